// What two people, or one impatient one, do to a run at the same moment: it ends as the last of them wanted, and nothing is left in Docker.
import { mkdtemp } from 'node:fs/promises';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunConfig, runConfig } from '../main/contract/schema/config.ts';
import type { RolloutRow } from '../main/contract/schema/rollout.ts';
import { answerTest, openTestLab, type TestLab, typing, untilRun, writeTask } from './lab.ts';

let lab: TestLab;
let tasks: string;
let slow: string;

beforeAll(async () => {
  lab = await openTestLab();
  tasks = await mkdtemp(`${lab.folder}/tasks-`);
  for (const name of ['one', 'two', 'three']) await writeTask(tasks, { name, test: answerTest, solution: 'echo done > /app/answer.txt' });
  slow = await lab.scriptModel('slow', { '*': typing('sleep 1', 'echo done > /app/answer.txt') });
});
afterAll(() => lab[Symbol.asyncDispose]());

const start = async (config: Partial<RunConfig>): Promise<string> =>
  (
    await lab.client.runs.start({
      config: runConfig.parse({ tasks: [tasks], agents: ['terminus'], model: slow, concurrency: 2, sandbox: { pool: 0 }, ...config }),
    })
  ).runId;

const rollouts = async (runId: string) => (await lab.client.rollouts.watch({ runId })).rows;

/** Waits through the watch until one rollout of the run is in this state. */
async function until(runId: string, status: RolloutRow['status']): Promise<RolloutRow> {
  let { rows, cursor } = await lab.client.rollouts.watch({ runId });
  for (;;) {
    const found = rows.find((row) => row.status === status);
    if (found) return found;
    ({ rows, cursor } = await lab.client.rollouts.watch({ runId, after: cursor }));
  }
}

const ended = (runId: string) => untilRun(lab.client, runId, ({ status }) => status !== 'running' && status !== 'paused');

async function expectNothingLeft(): Promise<void> {
  const { found } = await lab.client.system.clean({ remove: false });
  expect(found.filter(({ kind }) => kind === 'container' || kind === 'network')).toEqual([]);
}

describe('a run that is being cancelled', () => {
  it('cannot be paused, and ends', async () => {
    const runId = await start({});
    await until(runId, 'running');
    const cancelled = lab.client.runs.cancel({ runId });
    await expect(lab.client.runs.pause({ runId })).rejects.toThrow(/is ending, not running/);
    await cancelled;
    expect(await ended(runId)).toMatchObject({ status: 'cancelled', counts: { active: 0, queued: 0 } });
    await expectNothingLeft();
  });

  it('and is resumed at once by two clients is played once', async () => {
    const runId = await start({});
    await until(runId, 'running');
    await Promise.all([lab.client.runs.cancel({ runId }), lab.client.runs.resume({ runId }), lab.client.runs.resume({ runId })]);
    const run = await ended(runId);
    expect(run).toMatchObject({ status: 'finished', counts: { total: 3, finished: 3, errors: 0 }, overAll: { passed: 3 } });
    // Played twice at once, a rollout would have two first turns.
    for (const { id } of await rollouts(runId))
      expect((await lab.nodes(id)).filter(({ turn, role }) => turn === 0 && role === 'assistant')).toHaveLength(1);
    await expectNothingLeft();
  });

  it('while it is paused lets go of what it holds', async () => {
    const runId = await start({});
    await until(runId, 'running');
    await lab.client.runs.pause({ runId });
    await lab.client.runs.cancel({ runId });
    expect(await ended(runId)).toMatchObject({ status: 'cancelled' });
    await expectNothingLeft();
  });
});

it('a container that is removed from outside is a failure of the lab, not of the agent: no reward', async () => {
  const runId = await start({ concurrency: 1 });
  const { id } = await until(runId, 'running');
  const { stdout: box } = await execa('docker', ['ps', '-q', '--filter', `label=termarium.rollout=${id}`]);
  await execa('docker', ['rm', '-f', box]);
  await ended(runId);
  expect((await rollouts(runId)).find((row) => row.id === id)).toMatchObject({
    status: 'error',
    verdictState: 'infra_error',
    reward: null,
    error: { code: 'sandbox.lost' },
  });
});

it('pausing and continuing in quick turns loses nothing', async () => {
  const runId = await start({});
  for (let round = 0; round < 20; round += 1)
    await Promise.all([lab.client.runs.pause({ runId }), lab.client.runs.resume({ runId }), lab.client.runs.resume({ runId })]);
  expect(await ended(runId)).toMatchObject({ status: 'finished', counts: { finished: 3 }, overAll: { passed: 3 } });
});

it('a rollout that is cancelled while its image builds stops the build; others that wait for the same image get it', async () => {
  const folder = await mkdtemp(`${lab.folder}/build-`);
  await writeTask(folder, {
    name: 'builds',
    test: answerTest,
    solution: 'echo done > /app/answer.txt',
    dockerfile: `RUN echo ${folder} && sleep 6`,
  });
  const runId = await start({ tasks: [folder], agents: ['oracle'], model: null, attempts: 2 });
  const first = await until(runId, 'starting');
  await lab.client.rollouts.cancel({ rolloutId: first.id });
  const run = await ended(runId);
  expect(run.counts).toMatchObject({ finished: 1, cancelled: 1, errors: 0 });
  await expectNothingLeft();
});

it('a rollout that is cancelled while it is graded leaves no box behind', async () => {
  const folder = await mkdtemp(`${lab.folder}/verify-`);
  await writeTask(folder, { name: 'graded', test: 'sleep 50', solution: 'true' });
  const runId = await start({ tasks: [folder], agents: ['oracle'], model: null });
  const { id } = await until(runId, 'verifying');
  await lab.client.rollouts.cancel({ rolloutId: id });
  const run = await ended(runId);
  expect((await rollouts(runId))[0]).toMatchObject({ status: 'cancelled', verdictState: 'cancelled', reward: null });
  expect((run.endedAt ?? 0) - run.createdAt).toBeLessThan(30_000);
  await expectNothingLeft();
});

it('a paused run in which too many rollouts fail is stopped all the same', async () => {
  const folder = await mkdtemp(`${lab.folder}/broken-`);
  await writeTask(folder, { name: 'broken', test: answerTest, dockerfile: `RUN echo ${folder} && sleep 2 && exit 3` });
  const runId = await start({ tasks: [folder], agents: ['oracle'], model: null, attempts: 12, concurrency: 10 });
  await until(runId, 'starting');
  await lab.client.runs.pause({ runId });
  const run = await ended(runId);
  expect(run).toMatchObject({ status: 'stopped', error: { code: 'verifier.failed' }, counts: { active: 0, queued: 0 } });
});

it('two runs at once on the same images both come to their ends', async () => {
  const both = await Promise.all([
    start({ agents: ['oracle', 'nop'], model: null, sandbox: { ...runConfig.parse({ tasks: ['-'] }).sandbox, pool: 2 } }),
    start({ agents: ['oracle'], model: null, attempts: 2 }),
  ]);
  const [first, second] = await Promise.all(both.map(ended));
  expect(first).toMatchObject({ status: 'finished', overAll: { passed: 3, total: 6 }, counts: { errors: 0 } });
  expect(second).toMatchObject({ status: 'finished', overAll: { passed: 6, total: 6 }, counts: { errors: 0 } });
  // Boxes that were ready ahead and not needed go in the background; all of them go.
  for (;;) {
    const { found } = await lab.client.system.clean({ remove: false });
    if (!found.some(({ kind }) => kind === 'container' || kind === 'network')) break;
  }
});
