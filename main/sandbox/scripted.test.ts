// The scripted sandbox passes the suite with programs that do in TypeScript what the suite's commands do in a shell.
import { sandboxSuite } from './sandbox.suite.ts';
import { createScriptedProvider, type ScriptedCall, type ScriptedProgram } from './scripted.ts';
import { ScriptedSandbox } from './scripted-box.ts';

const untilKilled: ScriptedProgram = ({ out }) => {
  out('begun\n');
  return new Promise<number>(() => {});
};

const programs: Record<string, ScriptedProgram> = {
  'sh -c echo out; echo err >&2; exit 3': ({ out, err }) => {
    out('out\n');
    err('err\n');
    return 3;
  },
  'sh -c echo $COLOR $SHADE; pwd': ({ out, env, cwd }) => {
    out(`${env.COLOR} ${env.SHADE}\n${cwd}\n`);
    return 0;
  },
  'sh -c echo begun; sleep 1000 & sleep 1000': untilKilled,
  'sh -c rm -r /tests/sub; ln -s /etc /tests/sub; ln -s /etc/target /tests/file': ({ files }) => {
    files.remove('/tests/sub');
    files.link('/tests/sub', '/etc');
    files.link('/tests/file', '/etc/target');
    return 0;
  },
  cat: ({ out, stdin }) => {
    out(stdin);
    return 0;
  },
  seq: ({ out, command: [, from, to] }) => {
    for (let n = Number(from); n <= Number(to); n += 1) out(`${n}\n`);
    return 0;
  },
  printf: ({ out }) => {
    out(new Uint8Array([255, 111, 107]));
    return 0;
  },
  ln: ({ files, command: [, , to = '', at = ''] }: ScriptedCall) => {
    files.link(at, to);
    return 0;
  },
};

sandboxSuite('in memory', async () => ({
  provider: createScriptedProvider({ programs }),
  reference: 'base',
  kill: async (box) => {
    if (!(box instanceof ScriptedSandbox)) throw new Error('not a scripted sandbox');
    box.kill('the test killed it');
  },
}));
