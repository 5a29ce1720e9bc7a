// The backend as the desktop app ships it: built by vite, started in a thread of its own, spoken to through real MessagePorts.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { createBuilder } from 'vite';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import type { FromHost, ToHost } from './lib/host-messages.ts';
import type { LabClient } from './transport/memory.ts';

const project = join(import.meta.dirname, '..');
let built: string;
/** An installation of its own, so that this test depends on no bundled task. */
let root: string;
let data: string;
const workers: Worker[] = [];

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'termarium-host-'));
  root = join(folder, 'root');
  data = join(folder, 'data');
  await writeTask(join(root, 'resources', 'tasks', 'hello-file'));
  await mkdir(join(root, 'configs'), { recursive: true });
  // Below node_modules, so that the packages which are not bundled are found as they are from dist/.
  const cache = join(project, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  built = await mkdtemp(join(cache, 'termarium-host-'));
  const builder = await createBuilder({
    configFile: join(project, 'vite.config.ts'),
    logLevel: 'error',
    environments: { main: { build: { outDir: built } } },
  });
  const environment = builder.environments.main;
  if (!environment) throw new Error('vite.config.ts has no environment "main"');
  await builder.build(environment);
}, 60_000);
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.terminate();
});
afterAll(async () => {
  await rm(built, { recursive: true });
  await rm(join(data, '..'), { recursive: true });
});

/** A small Harbor task. */
async function writeTask(folder: string) {
  for (const part of ['environment', 'tests']) await mkdir(join(folder, part), { recursive: true });
  await writeFile(join(folder, 'task.toml'), 'version = "1.0"\n\n[metadata]\ndifficulty = "easy"\n');
  await writeFile(join(folder, 'instruction.md'), 'Write "hello" to hello.txt.\n');
  await writeFile(join(folder, 'environment', 'Dockerfile'), 'FROM debian\n');
  await writeFile(join(folder, 'tests', 'test.sh'), 'grep -q hello hello.txt && echo 1 > /logs/verifier/reward.txt\n');
}

/** Starts the built backend and answers what it says. */
function startHost() {
  const worker = new Worker(join(built, 'main', 'host.js'), { stdout: true, stderr: true });
  workers.push(worker);
  const heard: FromHost[] = [];
  const listeners = new Set<() => void>();
  worker.on('message', (message: FromHost) => {
    heard.push(message);
    for (const listener of [...listeners]) listener();
  });
  const exited = new Promise<number>((resolve) => worker.once('exit', resolve));
  return {
    exited,
    say(message: ToHost, ports: MessageChannel['port1'][] = []) {
      worker.postMessage({ data: message, ports }, ports);
    },
    /** The next message of this kind, or the exit code where the backend ends first. */
    hears<Kind extends FromHost['kind']>(kind: Kind): Promise<Extract<FromHost, { kind: Kind }> | number> {
      const said = new Promise<Extract<FromHost, { kind: Kind }>>((resolve) => {
        const look = () => {
          const found = heard.find((message): message is Extract<FromHost, { kind: Kind }> => message.kind === kind);
          if (found) resolve(found);
        };
        listeners.add(look);
        look();
      });
      return Promise.race([said, exited]);
    },
    /** A page: its end of a port whose other end the backend got. */
    openPage(): LabClient {
      const { port1, port2 } = new MessageChannel();
      this.say({ kind: 'window' }, [port1]);
      const client: LabClient = createORPCClient(new RPCLink({ port: port2 }));
      port2.start();
      return client;
    },
  };
}

test('serves pages over ports, also one that asked before the lab was open, and closes in order', async () => {
  const host = startHost();
  host.say({ kind: 'start', root, data });
  const early = host.openPage();
  const hello = await early.system.hello({ client: 'early page' });
  expect(hello).toMatchObject({ version: packageJson.version });
  expect(await host.hears('ready')).toEqual({ kind: 'ready' });

  const late = host.openPage();
  expect((await late.system.hello({ client: 'late page' })).instance).toBe(hello.instance);
  await expect(late.rollouts.node({ nodeId: 'no such node' })).rejects.toMatchObject({ code: 'LAB', defined: true });
  expect(await late.tasks.watch({})).toMatchObject({ kind: 'all', rows: [{ name: 'hello-file', format: 'harbor' }] });

  host.say({ kind: 'close' });
  expect(await host.hears('closed')).toEqual({ kind: 'closed' });
  expect(await host.exited).toBe(0);
  expect(await readdir(join(data, 'logs'))).toEqual(['lab.log']);
});

test('says what stands in the way where the lab cannot be opened', async () => {
  const host = startHost();
  host.say({ kind: 'start', root, data: join(project, 'package.json', 'below a file') });
  const page = host.openPage().system.hello({ client: 'page' });
  await expect(page).rejects.toThrow();
  expect(await host.hears('failed')).toMatchObject({ kind: 'failed', error: { code: 'data.read_only', hint: expect.any(String) } });
  host.say({ kind: 'close' });
  expect(await host.exited).toBe(0);
});

test('a page that does not speak the protocol loses its port, and nobody else does', async () => {
  const host = startHost();
  host.say({ kind: 'start', root, data });
  expect(await host.hears('ready')).toEqual({ kind: 'ready' });
  const { port1, port2 } = new MessageChannel();
  host.say({ kind: 'window' }, [port1]);
  const closed = new Promise<void>((resolve) => port2.once('close', () => resolve()));
  port2.postMessage('{"i":7}');
  await closed;
  expect(await host.openPage().system.hello({ client: 'page' })).toMatchObject({ version: packageJson.version });
  host.say({ kind: 'close' });
  expect(await host.exited).toBe(0);
  expect(existsSync(join(data, 'lab.sqlite'))).toBe(true);
});
