// A real lab with one small task in a folder of its own, and a window on it: for tests that change tasks.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { silent } from '../main/lib/log.ts';
import { serveHttp } from '../main/transport/http.ts';
import { builtPage, openWindow } from './browser.ts';
import { type CliProcess, startCli } from './cli.ts';
import { openTestLab } from './lab.ts';

const run = promisify(execFile);

export const greetFiles = {
  'task.toml':
    '# made by hand\nschema_version = "1.4"\n[task]\nname = "lab/greet"\n[metadata]\ndifficulty = "easy"   # so far\n[agent]\ntimeout_sec = 60.0\n',
  'instruction.md': '# Greeting\r\n\r\nWrite **hello** into `/app/greeting.txt`.\r\n\r\n<script>alert(1)</script>\r\n',
  'environment/Dockerfile': 'FROM termarium/base:1\n',
  'environment/data.bin': 'a\0b',
  'tests/test.sh': '#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n',
};

/** A window on a real lab with the task `lab/greet` imported from a folder. */
export async function openGreetLab() {
  const lab = await openTestLab();
  const folder = join(lab.folder, 'set', 'greet');
  for (const [path, text] of Object.entries(greetFiles)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const { setId } = await lab.client.tasks.importFolder({ path: join(lab.folder, 'set') });
  const taskId = (await lab.client.tasks.watch({ setId })).rows[0]?.id ?? '';
  const door = await serveHttp({ router: lab.app.router, log: silent, port: 0, rendererFolder: await builtPage() });
  const window = await openWindow(door.issueUrl());
  return {
    ...window,
    lab,
    folder,
    taskId,
    /** Makes a Git repository of the set, and answers its address. */
    async publish() {
      const set = dirname(folder);
      const git = (...args: string[]) => run('git', ['-C', set, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args]);
      await git('init', '--quiet', '--initial-branch=main');
      await git('add', '.');
      await git('commit', '--quiet', '-m', 'a set');
      return `file://${set}`;
    },
    read: (path: string) => readFile(join(folder, path), 'utf8'),
    async [Symbol.asyncDispose]() {
      await window[Symbol.asyncDispose]();
      await door.close();
      await lab[Symbol.asyncDispose]();
    },
  };
}

/** A window on a lab in a process of its own, which can be killed and started again at the same address. */
export async function openMortalLab() {
  await builtPage();
  const folder = await mkdtemp(join(tmpdir(), 'termarium-mortal-'));
  let process: CliProcess;
  const start = async (port: string): Promise<string> => {
    process = startCli(['--data', join(folder, 'data'), '--json', 'serve', '--port', port]);
    const said = await process.said('"port"');
    return /"url":"([^"]+)"/.exec(said)?.[1] ?? '';
  };
  const url = await start('0');
  const window = await openWindow(url);
  const kill = async () => {
    process.kill('SIGKILL');
    await process.ended;
  };
  return {
    ...window,
    kill,
    restart: () => start(new URL(url).port),
    async [Symbol.asyncDispose]() {
      await window[Symbol.asyncDispose]();
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
