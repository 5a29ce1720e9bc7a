// Tasks, images and models that are odd or broken, though nobody attacks: each rollout ends with the right verdict, and quickly.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type RunConfig, runConfig } from '../main/contract/schema/config.ts';
import { loadTask } from '../main/task/load.ts';
import { answerTest, openTestLab, type TestLab, typing, untilRun, writeTask } from './lab.ts';
import { type Behaviour, startModelServer } from './model-server.ts';

let lab: TestLab;
const solution = 'echo done > /app/answer.txt';
const plainTest =
  'if [ "$(cat /app/answer.txt)" = done ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi';

beforeAll(async () => {
  lab = await openTestLab();
});
afterAll(() => lab[Symbol.asyncDispose]());

const { sandbox } = runConfig.parse({ tasks: ['-'], sandbox: { pool: 0 } });

/** Changes the text of a file. */
async function edit(path: string, from: string, to: string): Promise<void> {
  await writeFile(path, (await readFile(path, 'utf8')).replace(from, to));
}

/** Plays one task once. */
async function playOne(path: string, config: Partial<RunConfig> = {}) {
  const { run, rollouts } = await lab.play({ tasks: [path], agents: ['oracle'], sandbox, ...config });
  const row = rollouts[0];
  if (!row) throw new Error('no rollout');
  const { verdict, verifierOutput } = await lab.client.rollouts.watchOne({ rolloutId: row.id });
  return { run, row, verdict, verifierOutput };
}

const folder = () => mkdtemp(`${lab.folder}/t-`);

describe('a task', () => {
  it('whose verifier hangs ends at its time limit', async () => {
    const path = await writeTask(await folder(), { name: 'hangs', test: 'echo begun; sleep 600', solution });
    await edit(join(path, 'task.toml'), 'timeout_sec = 60.0', 'timeout_sec = 2.0');
    const { row, verdict, verifierOutput } = await playOne(path);
    expect(row).toMatchObject({ status: 'finished', outcome: 'verify_timeout' });
    expect(verdict?.reason).toMatch(/2 s|time/);
    expect(verifierOutput).toContain('begun');
  });

  it('without a test script is refused by name', async () => {
    const path = await writeTask(await folder(), { name: 'untested', test: '', solution });
    await rm(join(path, 'tests', 'test.sh'));
    await expect(playOne(path)).rejects.toMatchObject({ message: expect.stringContaining('test.sh') });
  });

  it('whose tests say nothing has no verdict, which is no zero', async () => {
    const path = await writeTask(await folder(), { name: 'emptied', test: '', solution });
    const { row } = await playOne(path);
    expect(row).toMatchObject({ status: 'finished', reward: null });
    expect(row.verdictState).not.toBe('tests_ran');
  });

  it('that is mended before its run is resumed is played, and recorded, as it is then', async () => {
    const path = await writeTask(await folder(), { name: 'mended', test: answerTest, solution, dockerfile: 'RUN exit 3' });
    const { run, row } = await playOne(path);
    expect(row.error?.code).toBe('image.build_failed');
    await edit(join(path, 'environment', 'Dockerfile'), 'RUN exit 3', '');
    await lab.client.runs.resume({ runId: run.id });
    await untilRun(lab.client, run.id, ({ status }) => status === 'finished');
    const after = await lab.client.rollouts.watchOne({ rolloutId: row.id });
    expect(after.rollout).toMatchObject({ outcome: 'solved', taskDigest: (await loadTask(path)).digest });
    expect(after.rollout.taskDigest).not.toBe(row.taskDigest);
    expect(after.notes.map(({ text }) => text).join()).toContain(`changed after the run was made (${row.taskDigest.slice(0, 12)})`);
  });

  it('in a folder whose name has blanks and signs of all kinds', async () => {
    const path = await writeTask(await folder(), { name: 'räum auf 🧹 “now” $(id)', test: answerTest, solution });
    await edit(join(path, 'task.toml'), '[task]\nname = "test/räum auf 🧹 “now” $(id)"\n', '');
    const { row } = await playOne(path);
    expect(row).toMatchObject({ status: 'finished', outcome: 'solved', taskName: expect.stringContaining('räum auf 🧹 “now” $(id)') });
  });

  it('whose image has no bash is played in sh', async () => {
    const path = await writeTask(await folder(), { name: 'no-bash', test: '', dockerfile: 'RUN rm -f /bin/bash /usr/bin/bash' });
    await writeFile(join(path, 'tests', 'test.sh'), `#!/bin/sh\n${plainTest}\n`);
    const model = await lab.scriptModel('sh-typist', {
      '*': typing({ keystrokes: 'echo shell is $0\n', duration: 1 }, { keystrokes: `${solution}\n`, duration: 1 }),
    });
    const { row } = await playOne(path, { agents: ['terminus'], model });
    expect(row).toMatchObject({ status: 'finished', outcome: 'solved' });
    const seen = (await lab.nodes(row.id)).map(({ content }) => content).join('\n');
    expect(seen).toMatch(/shell is .*sh/);
  });

  it('whose command prints one line of many megabytes', async () => {
    const path = await writeTask(await folder(), { name: 'long-line', test: answerTest });
    const model = await lab.scriptModel('long-line', { '*': typing('head -c 8000000 /dev/zero | tr "\\0" x; echo', solution) });
    const { row } = await playOne(path, { agents: ['terminus'], model });
    expect(row).toMatchObject({ status: 'finished', outcome: 'solved' });
    expect(Math.max(...(await lab.nodes(row.id)).map(({ content }) => content.length))).toBeLessThan(200_000);
  });
});

describe('a model that', () => {
  async function answering(name: string, ...behaviours: Behaviour[]) {
    const server = await startModelServer();
    server.next(...behaviours);
    await mkdir(join(lab.app.lab.paths.userConfigs, 'models'), { recursive: true });
    await writeFile(
      join(lab.app.lab.paths.userConfigs, 'models', `${name}.yaml`),
      stringify({ kind: 'http', url: server.url, model: 'qwen3-4b-terminal', retries: 0, timeoutSeconds: 60 }),
    );
    return server;
  }
  const turn = (keystrokes: string) => JSON.stringify({ analysis: 'a', plan: 'p', commands: [{ keystrokes, duration: 5 }] });
  const path = async () => writeTask(await folder(), { name: 'asked', test: answerTest });

  it('streams a megabyte of noise, token by token, is told that it is no answer, and goes on', async () => {
    await using _server = await answering(
      'wordy',
      { do: 'answer', text: `{"analysis": "${'{[(\\"'.repeat(250_000)}` },
      { do: 'answer', text: turn(`${solution}\n`) },
    );
    const { row } = await playOne(await path(), { agents: ['terminus'], model: 'wordy' });
    expect(row).toMatchObject({ status: 'finished', outcome: 'solved' });
  });

  it('types two hundred kilobytes in one go is heard to the end', async () => {
    await using _server = await answering(
      'fast-typist',
      { do: 'answer', text: turn(`cat > /dev/null <<'X'\n${'y'.repeat(99)}\n${`${'y'.repeat(99)}\n`.repeat(2000)}X\n`) },
      { do: 'answer', text: turn(`${solution}\n`) },
    );
    const { row } = await playOne(await path(), { agents: ['terminus'], model: 'fast-typist' });
    expect(row).toMatchObject({ status: 'finished', outcome: 'solved' });
  });

  it('answers with NUL bytes and halves of characters', async () => {
    await using _server = await answering(
      'odd',
      { do: 'answer', text: 'a\u0000b \ud800 c \udfff' },
      { do: 'answer', text: turn(`echo "a\u0000b \ud83d c"\n`) },
      { do: 'answer', text: turn(`${solution}\n`) },
    );
    const { row } = await playOne(await path(), { agents: ['terminus'], model: 'odd' });
    expect(row).toMatchObject({ status: 'finished', outcome: 'solved' });
    const nodes = await lab.nodes(row.id);
    expect(nodes.find(({ role }) => role === 'assistant')?.content).toMatch(/^a\0b . c .$/);
    for (const { id } of nodes) await lab.client.rollouts.node({ nodeId: id });
  });
});

it('a human plays over the contract alone', async () => {
  const path = await writeTask(await folder(), { name: 'by-hand', test: answerTest });
  const { runId } = await lab.client.runs.start({
    config: runConfig.parse({ tasks: [path], agents: ['human'] }),
  });
  let { rows, cursor } = await lab.client.rollouts.watch({ runId });
  const all = new Map(rows.map((row) => [row.id, row]));
  while ([...all.values()].some(({ status }) => status !== 'running')) {
    ({ rows, cursor } = await lab.client.rollouts.watch({ runId, after: cursor }));
    for (const row of rows) all.set(row.id, row);
  }
  const [rolloutId = ''] = all.keys();
  await lab.client.rollouts.resize({ rolloutId, cols: 100, rows: 30 });
  await lab.client.rollouts.human({ rolloutId, action: 'pause' });
  await lab.client.rollouts.human({ rolloutId, action: 'continue' });
  await lab.client.rollouts.human({ rolloutId, action: 'note', text: 'easy' });
  await lab.client.rollouts.type({ rolloutId, data: `${solution}\r` });
  let nodes = await lab.client.rollouts.watchNodes({ rolloutId });
  while (!nodes.rows.some(({ role }) => role === 'assistant'))
    nodes = await lab.client.rollouts.watchNodes({ rolloutId, after: nodes.cursor });
  await lab.client.rollouts.human({ rolloutId, action: 'submit' });
  for (;;) {
    const { rollout, cursor: at } = await lab.client.rollouts.watchOne({ rolloutId });
    if (rollout.status === 'finished') break;
    await lab.client.rollouts.watchOne({ rolloutId, after: at });
  }
  expect((await lab.client.rollouts.watchOne({ rolloutId })).rollout).toMatchObject({ outcome: 'solved', reward: 1, agent: 'human' });
  await expect(lab.client.rollouts.type({ rolloutId, data: 'x' })).rejects.toThrow(/does not play now/);
});
