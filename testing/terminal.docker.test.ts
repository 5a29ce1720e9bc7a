// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text
// A terminal in a real container: what session.test.ts shows with a local shell holds through the engine, as any user, without bash.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createDockerProvider } from '../main/sandbox/docker.ts';
import { currentOwner } from '../main/sandbox/labels.ts';
import type { Sandbox, SandboxProvider } from '../main/sandbox/sandbox.ts';
import { encodeKeys } from '../main/terminal/keys.ts';
import { openTerminal } from '../main/terminal/session.ts';
import { shellCommand } from '../main/terminal/shell.ts';
import type { Terminal } from '../main/terminal/terminal.ts';

const LONG = 30_000;
let provider: SandboxProvider;
let image: string;

beforeAll(async () => {
  const log = { info: () => {}, warn: () => {} };
  provider = createDockerProvider({ lab: `terminal-test-${process.pid}`, owner: currentOwner(), aliases: {}, log });
  image = await provider.prepareImage({ reference: 'termarium/base:1' }, {});
});
afterAll(() => provider[Symbol.asyncDispose]());

async function start(profile: 'compatible' | 'locked' = 'compatible'): Promise<Sandbox> {
  const network = { mode: 'none' as const, allowedHosts: [] };
  const box = await provider.start({ image, resources: {}, network, profile, env: {}, labels: {} });
  onTestFinished(() => box[Symbol.asyncDispose]());
  return box;
}

async function openShell(box: Sandbox, user?: string): Promise<Terminal> {
  const shell = shellCommand();
  const connection = await box.openTty({ ...shell, cols: 160, rows: 40, ...(user === undefined ? {} : { user }) });
  const terminal = await openTerminal(connection, { cols: 160, rows: 40, token: shell.token });
  onTestFinished(() => terminal[Symbol.asyncDispose]());
  await terminal.ready(LONG);
  return terminal;
}

async function type(terminal: Terminal, keystrokes: string, wait = LONG) {
  await terminal.send(encodeKeys(keystrokes, 'fixed', terminal));
  return { ...(await terminal.settle(wait)), ...(await terminal.observe()) };
}

describe.each(['compatible', 'locked'] as const)('in a %s container', (profile) => {
  test('waits end with the command and its exit code, and nothing of the marks is left behind', async () => {
    const box = await start(profile);
    const terminal = await openShell(box);
    expect(terminal.marks).toBe(true);
    expect(await type(terminal, 'sleep 0.3; (exit 3)\n')).toMatchObject({ reason: 'idle', exitCode: 3 });
    const seen = await type(
      terminal,
      'env | grep -cE "[1]33|[a]id="; echo "[$PROMPT_COMMAND][$PS0x]"; ls -A /tmp | wc -l; ls -l /proc/$$/fd\n',
    );
    expect(seen).toMatchObject({ reason: 'idle', exitCode: 0 });
    expect(seen.text).toContain('\n0\n[][]\n0\n');
    expect(seen.text).not.toContain('pipe:');
    await box.exec(['touch', '/tmp/only-this']);
    expect((await box.changes()).filter(({ kind }) => kind === 'A').map(({ path }) => path)).toEqual(['/tmp/only-this']);
  });
});

test('as another user, and through su', async () => {
  const box = await start();
  const terminal = await openShell(box, 'nobody');
  expect(await type(terminal, 'whoami\n')).toMatchObject({ reason: 'idle', exitCode: 0, text: expect.stringContaining('nobody') });
  const root = await openShell(box);
  expect(await type(root, 'su -s /bin/bash nobody\n', 500)).toMatchObject({ reason: 'elapsed' });
  expect(await type(root, 'whoami\n', 500)).toMatchObject({ reason: 'elapsed', text: expect.stringContaining('nobody') });
  expect(await type(root, 'exit 6\n')).toMatchObject({ reason: 'idle', exitCode: 6 });
});

test('200 KB of here-document arrive intact', async () => {
  const box = await start();
  const terminal = await openShell(box);
  const text = Array.from({ length: 3_000 }, (_, index) => `${index}\t${'some text ✓ $HOME '.repeat(3)}\n`).join('');
  expect(await type(terminal, `cat > /tmp/typed <<'END'\n${text}END\n`, 120_000)).toMatchObject({ reason: 'idle', exitCode: 0 });
  expect((await box.readFile('/tmp/typed'))?.toString() === text).toBe(true);
});

test('without bash there is sh, ready at once, without marks', async () => {
  const box = await start();
  await box.exec(['sh', '-c', 'mv "$(command -v bash)" /root/gone; hash -r'], { user: 'root' });
  const before = performance.now();
  const terminal = await openShell(box);
  expect(performance.now() - before).toBeLessThan(LONG / 2);
  expect(terminal.marks).toBe(false);
  expect(await type(terminal, 'cat <<E; echo "shell $0"\n\ttab\nE\n', 1_000)).toMatchObject({
    reason: 'elapsed',
    text: expect.stringMatching(/ {4}tab\n.*shell sh/s),
  });
});

test('a python prompt takes lines and gives the shell back', async () => {
  const terminal = await openShell(await start());
  expect(await type(terminal, 'python3 -q\n1 + 41\nexit(5)\n')).toMatchObject({
    reason: 'idle',
    exitCode: 5,
    text: expect.stringContaining('42'),
  });
});

test('a container that goes away is an exit, not an error', async () => {
  const box = await start();
  const terminal = await openShell(box);
  await terminal.send('sleep 100\r');
  const wait = terminal.settle(LONG);
  await box[Symbol.asyncDispose]();
  expect(await wait).toMatchObject({ reason: 'exited' });
});
