// What an agent can do to its box must not forge a reward, hurt the lab, or be called an error.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RolloutRow } from '../main/contract/schema/rollout.ts';
import { answerTest, openTestLab, type TestLab, typing, writeTask } from './lab.ts';

let lab: TestLab;
let played: Map<string, RolloutRow>;
let peakMemoryMb = 0;
let slowestAnswerMs = 0;

const verdictOf = async (name: string) => {
  const row = played.get(`test/${name}`);
  if (!row) throw new Error(`no rollout of ${name}`);
  return { row, ...(await lab.client.rollouts.watchOne({ rolloutId: row.id })) };
};

const scripts = {
  'planted-reward': typing(
    'mkdir -p /logs/verifier && echo 1 > /logs/verifier/reward.txt && echo \'{"reward": 1}\' > /logs/verifier/reward.json',
  ),
  'planted-conftest': typing(
    'mkdir -p /tests && printf \'import pytest\\n@pytest.hookimpl(hookwrapper=True)\\ndef pytest_runtest_makereport(item, call):\\n    out = yield\\n    out.get_result().outcome = "passed"\\n\' > /tests/conftest.py',
  ),
  'linked-tests': typing(
    'rm -rf /tests; mkdir -p /tmp/mine && ln -s /tmp/mine /tests; mkdir -p /logs && rm -rf /logs/verifier && ln -s /tmp/mine /logs/verifier',
  ),
  'background-writer': typing(
    '(setsid sh -c "while :; do mkdir -p /logs/verifier; echo 1 > /logs/verifier/reward.txt; echo {\\"reward\\":1} > /logs/verifier/reward.json; sleep 0.05; done" >/dev/null 2>&1 &)',
  ),
  'full-disk': typing(
    { keystrokes: 'dd if=/dev/zero of=/app/big bs=1M count=400; rm -f /app/big.not; echo after\n', duration: 60 },
    'echo done > /app/answer.txt',
  ),
  'fork-bomb': typing(
    { keystrokes: '(for i in $(seq 1 400); do sleep 1000 & done) 2>/dev/null &\n', duration: 5 },
    { keystrokes: 'echo done > /app/answer.txt\n', duration: 5 },
  ),
  flood: typing({ keystrokes: "head -c 200000000 /dev/zero | tr '\\0' 'x' | fold -w 100\n", duration: 60 }, 'echo done > /app/answer.txt'),
  'kill-init': typing(
    'echo done > /app/answer.txt',
    { keystrokes: 'kill -TERM 1; sleep 5; kill -KILL 1; sleep 20\n', duration: 20 },
    'echo still here',
  ),
  'weird-bytes': typing(
    "printf '\\377\\376\\200 bad utf8\\n'; printf '\\033]0;sto''len title\\007\\033]52;c;ZXZpbA==\\007\\033[8;1;1t\\033]8;;http://evil\\007link\\033]8;;\\007\\n'",
    // Random bytes hold device queries; a terminal answers them as if typed, so the line is emptied before the next command.
    'head -c 300000 /dev/urandom',
    { keystrokes: 'C-c', duration: 1 },
    'reset; echo done > /app/answer.txt',
  ),
  'kills-shell': typing('exit 3', 'echo done > /app/answer.txt'),
};

beforeAll(async () => {
  lab = await openTestLab();
  const tasks = await Promise.all(
    Object.keys(scripts).map((name) =>
      writeTask(`${lab.folder}/tasks`, { name, test: answerTest, ...(name === 'full-disk' ? { toml: 'storage_mb = 64\n' } : {}) }),
    ),
  );
  expect(tasks).toHaveLength(Object.keys(scripts).length);
  const model = await lab.scriptModel('hostile', scripts);

  // While the boxes misbehave the lab must stay quick and small.
  const watching = setInterval(async () => {
    peakMemoryMb = Math.max(peakMemoryMb, process.memoryUsage().rss / 2 ** 20);
    const asked = performance.now();
    await lab.client.system.hello({ client: 'test' });
    await lab.client.runs.watch({});
    slowestAnswerMs = Math.max(slowestAnswerMs, performance.now() - asked);
  }, 250);
  const { rollouts } = await lab.play({
    tasks: [`${lab.folder}/tasks`],
    agents: ['terminus'],
    model,
    concurrency: 2,
    limits: { turns: 12, seconds: null, promptTokens: null, completionTokens: null, formatErrors: 8, repeats: null },
    sandbox: {
      profile: 'compatible',
      network: 'task',
      pool: 0,
      aliases: {},
      grading: 'fresh',
      changes: true,
      cpus: null,
      memoryMb: null,
      pids: 128,
      gpus: null,
      buildTimeoutSeconds: null,
      hostEnv: [],
    },
  });
  clearInterval(watching);
  played = new Map(rollouts.map((row) => [row.taskName, row]));
}, 600_000);

afterAll(() => lab[Symbol.asyncDispose]());

describe('no reward is forged', () => {
  it.each(['planted-reward', 'planted-conftest', 'linked-tests', 'background-writer'])('%s', async (name) => {
    const { row, verdict } = await verdictOf(name);
    expect(row).toMatchObject({ status: 'finished', outcome: 'unsolved', verdictState: 'tests_ran', reward: 0 });
    expect(verdict?.tests.every((test) => test.status === 'failed')).toBe(true);
  });

  it('and what was planted is reported', async () => {
    expect((await verdictOf('planted-reward')).verdict?.tampering.join('\n')).toContain('/logs/verifier/reward.json');
    expect((await verdictOf('planted-conftest')).verdict?.tampering.join('\n')).toContain('/tests/conftest.py');
    expect((await verdictOf('background-writer')).verdict?.tampering.join('\n')).toMatch(/still ran/);
  });
});

describe('a box that is abused is still graded', () => {
  it.each(['fork-bomb', 'flood', 'weird-bytes'])('%s: the work that was done counts', async (name) => {
    const { row } = await verdictOf(name);
    expect(row).toMatchObject({ status: 'finished', outcome: 'solved', verdictState: 'tests_ran', reward: 1 });
  });

  it('a full disk is the agent’s doing: scored, not an error', async () => {
    const { row } = await verdictOf('full-disk');
    // The watch may end the box at any moment, also while it is looked at for grading.
    expect(row).toMatchObject({ status: 'finished', error: null, verdictState: expect.stringMatching(/^(tests_ran|no_verdict)$/) });
  });

  it('killing PID 1 ends the rollout as killed_sandbox, or solved where the tests pass in the fresh box', async () => {
    const { row } = await verdictOf('kill-init');
    expect(row.status).toBe('finished');
    expect(row).toMatchObject({ verdictState: 'tests_ran', reward: 1, outcome: 'solved' });
  });

  it('leaving the shell ends the rollout as killed_sandbox', async () => {
    const { row } = await verdictOf('kills-shell');
    expect(row).toMatchObject({ status: 'finished', outcome: 'killed_sandbox', reward: 0 });
  });
});

it('the lab stays responsive and small meanwhile', () => {
  expect(slowestAnswerMs).toBeLessThan(1000);
  expect(peakMemoryMb).toBeLessThan(600);
});

it('text from the box is stored as text, and its escape sequences reach no one', async () => {
  const { row } = await verdictOf('weird-bytes');
  const seen = (await lab.nodes(row.id))
    .filter((node) => node.author === 'environment')
    .map((node) => node.content)
    .join('\n');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  expect(seen).not.toMatch(/[\u0000-\u0008\u000e-\u001f]/);
  expect(seen).toContain('bad utf8');
  expect(seen).not.toContain('stolen title');
});
