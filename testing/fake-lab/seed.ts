// What the fake lab holds when it starts: a lived-in lab, an empty one, or one with more rows than anybody reads.
import type { Outcome } from '../../main/contract/schema/rollout.ts';
import { addNode, addRollout, addRun, recordEnded, refreshRun } from './play.ts';
import { fakeTasks, instructionOf, prompt } from './script.ts';
import type { FakeState } from './state.ts';

export type Seed = 'demo' | 'empty' | 'large';

const outcomes: readonly Outcome[] = [
  'solved',
  'solved',
  'unsolved',
  'solved',
  'turn_limit',
  'solved',
  'unsolved',
  'gave_up',
  'solved',
  'time_limit',
  'format_limit',
  'solved',
];

export function plant(state: FakeState, seed: Seed): void {
  plantTasks(state);
  if (seed === 'empty') return;
  if (seed === 'large') plantLarge(state);
  else plantDemo(state);
}

/** Four runs, as after a day's work: one clean, one mixed, one stopped by the lab. */
function plantDemo(state: FakeState): void {
  const hour = 3_600_000;
  const now = Date.now();
  const tasks = [...state.tasks.rows.values()];

  const nightly = addRun(
    state,
    { name: 'Nightly, qwen3-4b', tasks: ['bundled'], agents: ['terminus'], model: 'qwen3-4b', attempts: 3 },
    { createdAt: now - 9 * hour },
  );
  for (const [place, task] of tasks.entries()) {
    for (const attempt of [0, 1, 2]) {
      const rollout = addRollout(state, nightly, task, 'terminus', attempt);
      recordEnded(
        state,
        rollout,
        place,
        outcomes[(place * 3 + attempt * 5 + 5) % outcomes.length] ?? 'solved',
        now - 8 * hour + place * 60_000,
      );
    }
  }
  spoil(state, nightly.id);
  refreshRun(state, nightly.id, { status: 'finished', endedAt: now - 7 * hour });

  const stopped = addRun(
    state,
    {
      name: 'Small model, locked sandbox',
      tasks: ['bundled'],
      agents: ['minimal'],
      model: 'llama-local',
      sandbox: { ...nightly.config.sandbox, profile: 'locked' },
    },
    { createdAt: now - 3 * hour },
  );
  for (const task of tasks.slice(0, 6)) {
    addRollout(state, stopped, task, 'minimal', 0, {
      status: 'error',
      startedAt: now - 3 * hour,
      endedAt: now - 3 * hour + 4_000,
      verdictState: 'infra_error',
      error: {
        code: 'model.refused',
        message: 'Nothing listens at http://127.0.0.1:8081/v1.',
        hint: 'Start the llama.cpp server, then resume this run.',
        retryable: true,
      },
    });
  }
  for (const task of tasks.slice(6))
    addRollout(state, stopped, task, 'minimal', 0, { status: 'cancelled', endedAt: now - 3 * hour + 5_000, verdictState: 'cancelled' });
  refreshRun(state, stopped.id, {
    status: 'stopped',
    endedAt: now - 3 * hour + 5_000,
    error: {
      code: 'model.refused',
      message: '6 of 6 ended rollouts were excluded, more than the allowed share of 50 %. Nothing listens at http://127.0.0.1:8081/v1.',
      hint: 'Start the llama.cpp server, then resume this run.',
      retryable: true,
    },
  });

  const gate = addRun(state, { name: 'Oracle and nop', tasks: ['bundled'], agents: ['oracle', 'nop'] }, { createdAt: now - 26 * hour });
  for (const task of tasks) {
    recordEnded(state, addRollout(state, gate, task, 'oracle', 0), 0, 'solved', now - 25 * hour);
    recordEnded(state, addRollout(state, gate, task, 'nop', 0), 0, 'unsolved', now - 25 * hour);
  }
  refreshRun(state, gate.id, { status: 'finished', endedAt: now - 25 * hour });
}

/** Gives a finished run the rollouts that a reader must be able to tell apart: tampering, a broken verifier, a lost container. */
function spoil(state: FakeState, runId: string): void {
  const [cheat, broken, lost] = [...state.rollouts.rows.values()].filter((rollout) => rollout.runId === runId).slice(3, 6);
  const known = cheat && state.verdicts.get(cheat.id);
  if (known)
    state.verdicts.set(cheat.id, {
      ...known,
      verdict: { ...known.verdict, tampering: ['/logs/verifier/reward.txt existed before the tests ran; it was removed'] },
    });
  const brokenVerdict = broken && state.verdicts.get(broken.id);
  if (broken && brokenVerdict) {
    state.verdicts.set(broken.id, {
      output: 'E: Unable to locate package python3-pytest\n',
      verdict: {
        ...brokenVerdict.verdict,
        state: 'verifier_failed',
        reward: null,
        partial: null,
        tests: [],
        reason: 'The verifier could not install what it needs: “Unable to locate package”.',
      },
    });
    state.rollouts.put({ ...broken, verdictState: 'verifier_failed', outcome: 'unsolved', reward: null });
  }
  if (lost)
    state.rollouts.put({
      ...lost,
      status: 'error',
      outcome: null,
      verdictState: 'infra_error',
      reward: null,
      error: { code: 'sandbox.lost', message: 'The container was removed while the agent was at work.', retryable: true },
    });
}

function plantTasks(state: FakeState): void {
  const set = state.sets.put({
    id: 'set-bundled',
    name: 'bundled',
    path: '/opt/termarium/resources/tasks',
    origin: 'bundled',
    taskCount: fakeTasks.length,
  });
  for (const [place, [name, difficulty, category, tags]] of fakeTasks.entries()) {
    const checked = place % 4 !== 3;
    state.tasks.put({
      id: `task-${name}`,
      setId: set.id,
      name,
      path: `/opt/termarium/resources/tasks/${name}`,
      format: 'harbor',
      digest: (place + 10).toString(16).padStart(2, '0').repeat(32),
      instruction: instructionOf(name),
      difficulty,
      category,
      tags: [...tags],
      hasSolution: place !== 7,
      issues:
        place === 4
          ? [
              {
                level: 'warning',
                message: 'unknown key "verifier.retries" is kept and ignored; did you mean "verifier.timeout_sec"?',
                file: 'task.toml',
                line: 14,
              },
            ]
          : place === 9
            ? [{ level: 'note', message: 'legacy key "memory" is read as memory_mb', file: 'task.toml', line: 9 }]
            : [],
      gates: checked
        ? [
            { gate: 'build', state: 'passed', detail: 'from the cache', seconds: 0.4 },
            {
              gate: 'initial',
              state: place % 3 === 0 ? 'missing' : 'passed',
              detail: place % 3 === 0 ? 'the task has no tests of its initial state' : '2 tests passed',
              seconds: 1.2,
            },
            { gate: 'nop', state: 'passed', detail: 'reward 0, tests_ran', seconds: 3.1 },
            {
              gate: 'oracle',
              state: place === 7 ? 'missing' : place === 8 ? 'failed' : 'passed',
              detail:
                place === 7
                  ? 'the task has no solution'
                  : place === 8
                    ? 'reward 0: test_order failed after the oracle'
                    : 'reward 1, 5 of 5 tests',
              seconds: 6.8,
            },
            {
              gate: 'fresh',
              state: place === 8 ? 'skipped' : 'passed',
              detail: place === 8 ? 'needs a passing oracle' : 'same and fresh box agree',
              seconds: 5.9,
            },
          ]
        : [],
    });
  }
}

/** 5,000 runs, one of them with 100,000 rollouts, one rollout with 2,000 turns. */
function plantLarge(state: FakeState): void {
  const tasks = [...state.tasks.rows.values()];
  const now = Date.now();
  for (let place = 0; place < 4_999; place += 1) {
    addRun(
      state,
      { name: `Sweep ${place}`, tasks: ['bundled'], agents: ['nop'] },
      { status: 'finished', createdAt: now - (5_000 - place) * 60_000, endedAt: now },
    );
  }
  const large = addRun(
    state,
    { name: 'A hundred thousand', tasks: ['bundled'], agents: ['terminus'], model: 'qwen3-4b', attempts: 8_333 },
    { createdAt: now - 60_000 },
  );
  for (let place = 0; place < 100_000; place += 1) {
    const task = tasks[place % tasks.length];
    if (!task) continue;
    const outcome = outcomes[place % outcomes.length] ?? 'solved';
    addRollout(state, large, task, 'terminus', Math.floor(place / tasks.length), {
      status: 'finished',
      outcome,
      verdictState: 'tests_ran',
      reward: outcome === 'solved' ? 1 : 0,
      turns: place % 40,
      completionTokens: (place * 37) % 9_000,
      startedAt: now - 60_000,
      endedAt: now - 60_000 + ((place * 7_919) % 50_000),
    });
  }
  refreshRun(state, large.id, { status: 'finished', endedAt: now });
  const [long] = state.rollouts.rows.values();
  if (!long) return;
  addNode(state, long.id, { turn: 0, role: 'user', author: 'template', content: instructionOf(long.taskName) });
  for (let turn = 0; turn < 2_000; turn += 1) {
    const content = JSON.stringify({
      analysis: `Step ${turn} of many. ${'The output is long and says little. '.repeat(turn % 7)}`,
      plan: 'Go on.',
      commands: [{ keystrokes: `echo step ${turn}\n`, duration: 0.1 }],
    });
    const node = addNode(state, long.id, {
      turn,
      role: 'assistant',
      author: 'sampled',
      content,
      format: { strict: true, robust: true, problems: [] },
      completionTokens: 40,
    });
    state.nodesOf(long.id).put({
      ...node,
      commands: [
        {
          nodeId: node.id,
          index: 0,
          keystrokes: `echo step ${turn}\n`,
          duration: 0.1,
          startedAt: now,
          endedAt: now + 12,
          exitCode: turn % 50 === 49 ? 1 : 0,
          settled: 'idle',
          from: 0,
          to: 0,
        },
      ],
    });
    addNode(state, long.id, {
      turn,
      role: 'user',
      author: 'environment',
      content: `New Terminal Output:\n\n${Array.from({ length: 1 + (turn % 30) }, (_, line) => `step ${turn} line ${line}`).join('\n')}\n${prompt}`,
    });
  }
}
