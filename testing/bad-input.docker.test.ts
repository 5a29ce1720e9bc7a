// What goes wrong while a run plays, through the command line on the real engine: told once, with what to do; what had ended stays, and the
// run can be resumed when the cause is gone.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { openStore } from '../main/store/open.ts';
import { startCli, termarium } from './cli.ts';
import { answerTest, type TaskFiles, typing, writeTask } from './lab.ts';
import { type Behaviour, type ModelServer, startModelServer } from './model-server.ts';

const MODEL = 'qwen3-4b-terminal';
let folder: string;
let data: string;
let server: ModelServer;
let behaviour: Behaviour;

const solution = 'echo done > /app/answer.txt';
const task = (name: string, more: Partial<TaskFiles> = {}) => writeTask(join(folder, name), { name, test: answerTest, solution, ...more });

async function writeModel(name: string, fields: object): Promise<void> {
  await mkdir(join(data, 'configs', 'models'), { recursive: true });
  await writeFile(
    join(data, 'configs', 'models', `${name}.yaml`),
    stringify({ kind: 'http', url: server.url, model: MODEL, timeoutSeconds: 1, retries: 1, ...fields }),
  );
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'termarium-bad-run-'));
  data = join(folder, 'data');
  server = await startModelServer({ behave: () => behaviour });
  await writeModel('local', {});
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Errors that are told in one output, without those that lines of a build log may hold. */
const toldErrors = (stderr: string) => stderr.match(/^error /gm) ?? [];

describe('a model server that', () => {
  it.each([
    ['does not let us in', 'model.unauthorized', { do: 'status', status: 401, body: { error: 'no' } }, /apiKeyEnv/],
    [
      'takes no more requests',
      'model.rate_limited',
      { do: 'status', status: 429, body: {}, headers: { 'retry-after': '0' } },
      /concurrency/,
    ],
    ['fails', 'model.unavailable', { do: 'status', status: 500, body: { error: 'out of memory' } }, /log of the model server/],
    ['answers garbage', 'model.bad_answer', { do: 'raw', body: '<h1>It works!</h1>', type: 'text/html' }, /base URL/],
    ['hangs', 'model.timeout', { do: 'hang' }, /timeoutSeconds/],
  ] as [string, string, Behaviour, RegExp][])(
    '%s is told once; the other rollouts keep their verdicts, and resume plays the rest',
    async (_, code, broken, todo) => {
      behaviour = broken;
      const path = await task('model-case');
      const run = await termarium(['--data', data, 'run', '-t', path, '-a', 'oracle,terminus', '-m', 'local', '-o', 'sandbox.pool=0']);
      expect(run.stdout).toContain(`error: ${code}`);
      expect(toldErrors(run.stderr), run.stderr).toHaveLength(1);
      expect(run.stderr).toMatch(todo);
      expect(run.stderr).toContain('(model-case)');
      expect(run.code).toBe(1);

      const store = openStore(data);
      const [latest] = store.runs.read().rows.slice(-1);
      const before = store.rollouts.ofRun(latest?.id ?? '').find(({ agent }) => agent === 'oracle');
      store[Symbol.dispose]();
      expect(before).toMatchObject({ status: 'finished', reward: 1 });

      behaviour = { do: 'answer' };
      const resumed = await termarium(['--data', data, '--json', 'resume']);
      expect(resumed.stderr).toBe('');
      expect(resumed.lines()).toEqual([
        expect.objectContaining({ agent: 'oracle', reward: 1, error: null, rollout: before?.id }),
        expect.objectContaining({ agent: 'terminus', reward: 0, outcome: 'unsolved', error: null, run: latest?.id }),
        expect.objectContaining({ run: latest?.id, status: 'finished' }),
      ]);
      expect(resumed.code).toBe(0);
    },
  );

  it('is not there: exit code 3 where no rollout has a verdict, and the whole error for programs', async () => {
    await writeModel('nobody', { url: 'http://127.0.0.1:9/v1' });
    const path = await task('no-server');
    const run = await termarium(['--data', data, '--json', 'run', '-t', path, '-m', 'nobody', '-k', '2', '-o', 'sandbox.pool=0']);
    expect(run.stderr).toBe('');
    const [first, second, end] = run.lines();
    for (const line of [first, second])
      expect(line).toMatchObject({
        reward: null,
        error: {
          code: 'model.refused',
          message: expect.stringContaining('nothing listens'),
          hint: expect.stringContaining('Start the model'),
        },
      });
    expect(end).toMatchObject({ status: 'finished', counts: { errors: 2 } });
    expect(run.code).toBe(3);
    const people = await termarium(['--data', data, 'resume']);
    expect(toldErrors(people.stderr), people.stderr).toHaveLength(1);
    expect(people.stderr).toContain('(2 rollouts: no-server)');
    expect(people.code).toBe(3);
  });
});

describe('a task', () => {
  it('whose image is not there names the line, and how to get it', async () => {
    const path = await task('no-image', { dockerfile: 'FROM registry.example.invalid/nothing:1' });
    const run = await termarium(['--data', data, 'run', '-t', path, '-a', 'oracle']);
    expect(toldErrors(run.stderr), run.stderr).toHaveLength(1);
    expect(run.stderr).toMatch(/Dockerfile:3: image registry\.example\.invalid\/nothing:1 is not here and cannot be pulled/);
    expect(run.stderr).toMatch(/docker pull .*aliases/);
    expect(run.code).toBe(1);
  });

  it('whose Dockerfile is broken names the line and what the step said', async () => {
    const path = await task('broken-build', { dockerfile: 'RUN echo compiling && echo no such header >&2 && exit 3' });
    const run = await termarium(['--data', data, 'run', '-t', path, '-a', 'oracle']);
    expect(toldErrors(run.stderr), run.stderr).toHaveLength(1);
    expect(run.stderr).toMatch(/Dockerfile:3: the build failed/);
    expect(run.stderr).toContain('no such header');
    expect(run.code).toBe(1);
  });

  it('with a mistyped key is played, and the key is named with its line', async () => {
    const path = await task('mistyped', { toml: 'memroy_mb = 300\n' });
    const run = await termarium(['--data', data, 'run', '-t', path, '-a', 'oracle', '-o', 'sandbox.pool=0']);
    expect(run.stderr).toMatch(/warning .*mistyped\/task\.toml:\d+: environment\.memroy_mb: .*memory_mb/);
    expect(run.code).toBe(0);
  });

  it('that nobody can read is left out of the run by name, which is no full success', async () => {
    await writeTask(join(folder, 'mixed'), { name: 'good', test: answerTest, solution });
    await writeTask(join(folder, 'mixed'), { name: 'bad', test: answerTest, solution, toml: 'memory_mb = = 3\n' });
    const run = await termarium(['--data', data, '--json', 'run', '-t', join(folder, 'mixed'), '-a', 'oracle', '-o', 'sandbox.pool=0']);
    const [issue, rollout] = run.lines();
    expect(issue).toMatchObject({ issue: { level: 'error', file: expect.stringContaining('bad/task.toml'), line: expect.any(Number) } });
    expect(rollout).toMatchObject({ task: 'test/good', reward: 1 });
    expect(run.code).toBe(1);
  });
});

it('Ctrl+C ends a run in its own process, keeps what had ended, and says how to go on', async () => {
  await mkdir(join(folder, 'script'), { recursive: true });
  await writeFile(
    join(folder, 'script', 'any.yaml'),
    stringify({ task: '*', attempts: [typing({ keystrokes: 'sleep 60\n', duration: 60 })] }),
  );
  await writeModel('sleeper', {});
  await writeFile(
    join(data, 'configs', 'models', 'sleeper.yaml'),
    stringify({ kind: 'scripted', name: 'sleeper', script: join(folder, 'script') }),
  );
  const path = await task('interrupted');
  const cli = startCli(['--data', data, '--json', 'run', '-t', path, '-a', 'oracle,terminus', '-m', 'sleeper', '-o', 'sandbox.pool=0']);
  await cli.said('"agent":"oracle"');
  cli.kill('SIGINT');
  const ended = await cli.ended;
  expect(ended.code).toBe(130);
  expect(ended.lines().at(-1)).toMatchObject({ status: 'interrupted' });
  const store = openStore(data);
  const latest = store.runs.read().rows.at(-1);
  expect(latest).toMatchObject({ status: 'interrupted', counts: { finished: 1, interrupted: 1, active: 0 } });
  store[Symbol.dispose]();
  const clean = await termarium(['--data', data, '--json', 'clean', '--dry-run']);
  expect(clean.lines()).toEqual([{ found: [], removed: 0 }]);
});
