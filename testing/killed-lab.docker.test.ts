// kill -9 of the backend in the middle of a run costs at most the rollouts in flight: nothing is left in Docker, nothing finished is lost,
// and resume plays the rest.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { runConfig } from '../main/contract/schema/config.ts';
import type { RolloutRow } from '../main/contract/schema/rollout.ts';
import { readLock } from '../main/store/lock.ts';
import { connect, type LabConnection } from '../main/transport/connect.ts';
import { answerTest, typing, untilRun, writeTask } from './lab.ts';

const root = join(import.meta.dirname, '..');
let folder: string;
let data: string;
const children: ChildProcess[] = [];

/** Starts `termarium serve` as a user would and connects as the CLI does. */
async function startLab(): Promise<{ child: ChildProcess; lab: LabConnection }> {
  const child = spawn(process.execPath, [join(root, 'main/cli.ts'), '--data', data, '--json', 'serve', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  if (!child.stdout) throw new Error('no output');
  for await (const _line of createInterface({ input: child.stdout })) break;
  const owner = readLock(data);
  if (!owner?.url || !owner.token) throw new Error('the lab did not announce itself');
  return { child, lab: await connect(owner.url, owner.token) };
}

const listRollouts = async (lab: LabConnection, runId: string) => (await lab.client.rollouts.watch({ runId })).rows;

/** Waits through the watch until the run's rollouts are as wanted. */
async function untilRollouts(lab: LabConnection, runId: string, wanted: (rows: RolloutRow[]) => boolean): Promise<RolloutRow[]> {
  let { run, cursor } = await lab.client.runs.watchOne({ runId });
  for (;;) {
    const rows = await listRollouts(lab, runId);
    if (wanted(rows)) return rows;
    if (run.status === 'finished') throw new Error('the run ended before its rollouts were as wanted');
    ({ run, cursor } = await lab.client.runs.watchOne({ runId, after: cursor }));
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'termarium-killed-'));
  data = join(folder, 'data');
  for (const name of ['quick', 'slow']) await writeTask(join(folder, 'tasks'), { name, test: answerTest });
  await mkdir(join(folder, 'script'), { recursive: true });
  const scripts = {
    quick: typing('echo done > /app/answer.txt'),
    slow: typing('echo started > /app/started; sleep 8', 'echo done > /app/answer.txt'),
  };
  for (const [task, answers] of Object.entries(scripts))
    await writeFile(join(folder, 'script', `${task}.yaml`), stringify({ task, attempts: [answers] }));
  await mkdir(join(data, 'configs', 'models'), { recursive: true });
  await writeFile(
    join(data, 'configs', 'models', 'typist.yaml'),
    stringify({ kind: 'scripted', name: 'typist', script: join(folder, 'script') }),
  );
});

afterAll(async () => {
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(
    children.map((child) =>
      child.exitCode !== null || child.signalCode !== null ? undefined : new Promise((done) => child.once('exit', done)),
    ),
  );
  await rm(folder, { recursive: true, force: true });
});

it('is survived', async () => {
  const first = await startLab();
  const { runId } = await first.lab.client.runs.start({
    config: runConfig.parse({
      tasks: [join(folder, 'tasks')],
      agents: ['terminus'],
      model: 'typist',
      attempts: 8,
      concurrency: 8,
      sandbox: { pool: 0 },
    }),
  });
  const before = await untilRollouts(
    first.lab,
    runId,
    (rows) => rows.filter((row) => row.status === 'finished').length >= 2 && rows.filter((row) => row.status === 'running').length >= 4,
  );
  const finished = before.filter((row) => row.status === 'finished');
  expect(
    (await first.lab.client.system.clean({ remove: false })).found.filter(({ kind }) => kind === 'container').length,
  ).toBeGreaterThanOrEqual(4);
  first.child.kill('SIGKILL');
  await new Promise((done) => first.child.once('exit', done));

  const second = await startLab();
  const after = await listRollouts(second.lab, runId);
  expect(after.filter((row) => ['starting', 'running', 'verifying'].includes(row.status))).toEqual([]);
  expect(after.some((row) => row.status === 'interrupted')).toBe(true);
  for (const row of finished) expect(after.find(({ id }) => id === row.id)).toEqual(row);
  // Leftovers are removed in the background of the start; asking to clean waits for that.
  await second.lab.client.system.clean({ remove: true });
  expect((await second.lab.client.system.clean({ remove: false })).found).toEqual([]);

  await second.lab.client.runs.resume({ runId });
  const run = await untilRun(second.lab.client, runId, (row) => row.status !== 'running');
  expect(run).toMatchObject({ status: 'finished', counts: { total: 16, finished: 16, errors: 0, interrupted: 0 } });
  const ended = await listRollouts(second.lab, runId);
  expect(ended.every((row) => row.outcome === 'solved')).toBe(true);
  for (const row of finished) expect(ended.find(({ id }) => id === row.id)).toEqual(row);
  expect((await second.lab.client.system.clean({ remove: false })).found).toEqual([]);
  await second.lab.close();
}, 240_000);
