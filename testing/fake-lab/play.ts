// Plays rollouts in the fake lab: streams answers, types commands, prints outputs, grades. Nothing is executed anywhere.
import { type RunConfig, runConfig } from '../../main/contract/schema/config.ts';
import type { NodeRow, Outcome, RolloutRow, Verdict } from '../../main/contract/schema/rollout.ts';
import type { Rate, RunRow } from '../../main/contract/schema/run.ts';
import { delay } from '../../main/lib/abort.ts';
import { Tail } from '../../main/lib/tail.ts';
import { type FakeTurn, instructionOf, prompt, sessions } from './script.ts';
import { append, type FakeState } from './state.ts';

let ids = 0;
export function newId(kind: string): string {
  ids += 1;
  return `${kind}-${String(ids).padStart(6, '0')}`;
}

function rate(passed: number, total: number): Rate {
  if (total === 0) return { passed, total, value: null, low: null, high: null };
  const z = 1.96;
  const value = passed / total;
  const centre = (value + (z * z) / (2 * total)) / (1 + (z * z) / total);
  const half = (z * Math.sqrt((value * (1 - value)) / total + (z * z) / (4 * total * total))) / (1 + (z * z) / total);
  return { passed, total, value, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/** Counts and rates of a run from its rollouts, as the real store keeps them. */
export function refreshRun(state: FakeState, runId: string, change: Partial<RunRow> = {}): void {
  const run = state.runs.get(runId);
  if (!run) return;
  const rollouts = [...state.rollouts.rows.values()].filter((rollout) => rollout.runId === runId);
  const many = (test: (rollout: RolloutRow) => boolean) => rollouts.filter(test).length;
  const solved = many((rollout) => rollout.outcome === 'solved' && rollout.verdictState === 'tests_ran');
  const counts = {
    total: rollouts.length,
    queued: many(({ status }) => status === 'queued'),
    active: many(({ status }) => status === 'starting' || status === 'running' || status === 'verifying'),
    finished: many(({ status }) => status === 'finished'),
    errors: many(({ status }) => status === 'error'),
    cancelled: many(({ status }) => status === 'cancelled'),
    interrupted: many(({ status }) => status === 'interrupted'),
  };
  const over = run.status === 'running' && counts.queued + counts.active === 0 && rollouts.length > 0;
  state.runs.put({
    ...run,
    counts,
    overAll: rate(
      solved,
      many(({ endedAt }) => endedAt !== null),
    ),
    overVerdict: rate(
      solved,
      many(({ verdictState }) => verdictState === 'tests_ran'),
    ),
    ...(over ? { status: 'finished' as const, endedAt: Date.now() } : {}),
    ...change,
  });
}

export function addRun(state: FakeState, config: Partial<RunConfig> & Pick<RunConfig, 'tasks'>, change: Partial<RunRow> = {}): RunRow {
  const full = runConfig.parse(config);
  const id = newId('run');
  const none = rate(0, 0);
  const counts = { total: 0, queued: 0, active: 0, finished: 0, errors: 0, cancelled: 0, interrupted: 0 };
  return state.runs.put({
    id,
    name: full.name ?? full.tasks.join(' '),
    status: 'running',
    config: full,
    error: null,
    counts,
    overAll: none,
    overVerdict: none,
    createdAt: Date.now(),
    endedAt: null,
    ...change,
  });
}

export function addRollout(
  state: FakeState,
  run: RunRow,
  task: { id: string; name: string; digest: string },
  agent: string,
  attempt: number,
  change: Partial<RolloutRow> = {},
): RolloutRow {
  return state.rollouts.put({
    id: newId('rollout'),
    runId: run.id,
    taskId: task.id,
    taskName: task.name,
    taskDigest: task.digest,
    attempt,
    agent,
    model: agent === 'terminus' || agent === 'minimal' ? run.config.model : null,
    status: 'queued',
    outcome: null,
    verdictState: null,
    reward: null,
    error: null,
    turns: 0,
    promptTokens: 0,
    completionTokens: 0,
    timings: {},
    queuedAt: run.createdAt,
    startedAt: null,
    endedAt: null,
    ...change,
  });
}

export function addNode(
  state: FakeState,
  rolloutId: string,
  node: Partial<NodeRow> & Pick<NodeRow, 'turn' | 'role' | 'author' | 'content'>,
): NodeRow {
  return state.nodesOf(rolloutId).put({
    id: newId('node'),
    rolloutId,
    parentId: null,
    reasoning: null,
    format: null,
    promptTokens: null,
    completionTokens: null,
    stopReason: null,
    tokenIds: null,
    logprobs: null,
    tokens: null,
    sampled: node.author === 'sampled',
    timings: {},
    createdAt: Date.now(),
    commands: [],
    ...node,
  });
}

function answerText(turn: FakeTurn, complete: boolean): string {
  const commands = turn.commands.map(({ keystrokes, ms }) => ({ keystrokes, duration: Math.max(0.1, Math.ceil(ms / 1000)) }));
  return JSON.stringify({ analysis: turn.analysis, plan: turn.plan, commands, ...(complete ? { task_complete: true } : {}) }, null, 2);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
const plain = (text: string) => text.replaceAll('\r', '').replace(/\u001b\[[0-9;]*m/g, '');

/** What a terminal shows after these turns. */
function screenAfter(turns: readonly FakeTurn[]): string {
  return (
    turns
      .flatMap((turn) =>
        turn.commands.map(
          (command) => `${prompt}${command.keystrokes.replaceAll('\n', '\r\n')}${command.output === '' ? '' : `${command.output}\r\n`}`,
        ),
      )
      .join('') + prompt
  );
}

function observation(turn: FakeTurn): string {
  return `New Terminal Output:\n\n${turn.commands.map((command) => `${prompt}${command.keystrokes}${command.output === '' ? '' : `${plain(command.output)}\n`}`).join('')}${prompt}`;
}

function commandRows(nodeId: string, turn: FakeTurn, at: number) {
  let started = at;
  return turn.commands.map((command, index) => {
    const row = {
      nodeId,
      index,
      keystrokes: command.keystrokes,
      duration: Math.max(0.1, Math.ceil(command.ms / 1000)),
      startedAt: started,
      endedAt: started + command.ms,
      exitCode: command.exitCode,
      settled: command.ms >= 5000 ? ('elapsed' as const) : ('idle' as const),
      from: 0,
      to: 0,
    };
    started += command.ms;
    return row;
  });
}

/** Stores a whole rollout that ended `endedAt`. */
export function recordEnded(state: FakeState, rollout: RolloutRow, session: number, outcome: Outcome, endedAt: number): RolloutRow {
  const { turns } = sessions[session % sessions.length] ?? { turns: [] };
  addNode(state, rollout.id, {
    turn: 0,
    role: 'user',
    author: 'template',
    content: `You work in a Linux terminal.\n\n${instructionOf(rollout.taskName)}\n\nCurrent Terminal Screen:\n\n${prompt}`,
  });
  for (const [place, turn] of turns.entries()) {
    const id = newId('node');
    const content = answerText(turn, place === turns.length - 1);
    const tokens = content.match(/\s*\S{1,6}/g) ?? [];
    addNode(state, rollout.id, {
      id,
      turn: place,
      role: 'assistant',
      author: 'sampled',
      content,
      tokens,
      // Mostly sure of itself, as models are.
      logprobs: tokens.map((_, index) => -6 * (((index * 7_919) % 97) / 97) ** 8),
      format: { strict: place !== 1, robust: true, problems: place === 1 ? ['Extra text before the JSON object'] : [] },
      promptTokens: 1400 + place * 900,
      completionTokens: 180 + place * 40,
      stopReason: 'stop',
      timings: { firstTokenMs: 210, totalMs: 2400 + place * 300 },
      commands: commandRows(id, turn, endedAt - 60_000),
    });
    addNode(state, rollout.id, { turn: place, role: 'user', author: 'environment', content: observation(turn) });
  }
  state.screens.set(rollout.id, screenAfter(turns));
  return grade(
    state,
    {
      ...rollout,
      turns: turns.length,
      promptTokens: 8_214,
      completionTokens: 932,
      startedAt: endedAt - 74_000,
      timings: { startMs: 480, agentMs: 61_000, modelMs: 44_000, commandMs: 9_400, verifyMs: 5_100 },
    },
    outcome,
    endedAt,
  );
}

export function grade(state: FakeState, rollout: RolloutRow, outcome: Outcome, endedAt: number): RolloutRow {
  const solved = outcome === 'solved';
  const names = ['test_summary_exists', 'test_header', 'test_bytes_per_user', 'test_order', 'test_other_files_untouched'];
  const tests = names.map((name, place) =>
    solved || place < 3
      ? { name: `tests/test_outputs.py::${name}`, status: 'passed' as const, seconds: 0.01 * (place + 1) }
      : {
          name: `tests/test_outputs.py::${name}`,
          status: 'failed' as const,
          seconds: 0.02,
          message: "assert ['carol', 'alice', 'bob'] == ['carol', 'bob', 'alice']\n  At index 1 diff: 'alice' != 'bob'",
        },
  );
  const passed = tests.filter((test) => test.status === 'passed').length;
  const verdict: Verdict = {
    state: 'tests_ran',
    reward: solved ? 1 : 0,
    rewards: { reward: solved ? 1 : 0 },
    partial: passed / tests.length,
    tests,
    box: 'fresh',
    tampering: [],
    reason: `${passed} of ${tests.length} tests passed, counted from the CTRF report of the test run.`,
    seconds: 5.1,
  };
  const output = `${'='.repeat(24)} test session starts ${'='.repeat(24)}\nplatform linux -- Python 3.12.4, pytest-8.4.1\ncollected ${tests.length} items\n\n${tests.map((test) => `${test.name} ${test.status.toUpperCase()}`).join('\n')}\n\n${passed} passed, ${tests.length - passed} failed in 0.41s\n`;
  state.verdicts.set(rollout.id, { verdict, output });
  return state.rollouts.put({ ...rollout, status: 'finished', outcome, verdictState: 'tests_ran', reward: verdict.reward, endedAt });
}

/** Plays a rollout as it would look live. `pace` 1 is lifelike; smaller is faster. */
export async function playLive(
  state: FakeState,
  rolloutId: string,
  session: number,
  outcome: Outcome,
  pace: number,
  signal: AbortSignal,
): Promise<void> {
  const wait = (ms: number) => delay(ms * pace, signal);
  const now = (change: Partial<RolloutRow>) => {
    const rollout = state.rollouts.get(rolloutId);
    if (rollout) state.rollouts.put({ ...rollout, ...change });
    if (rollout) refreshRun(state, rollout.runId);
  };
  now({ status: 'starting', startedAt: Date.now() });
  await wait(500);
  const playing = { terminal: new Tail(), cols: 160, rows: 40, sampling: { turn: 0, text: new Tail() } };
  state.playing.set(rolloutId, playing);
  now({ status: 'running', timings: { startMs: Math.round(500 * pace) } });
  append(playing.terminal, prompt);
  const name = state.rollouts.get(rolloutId)?.taskName ?? '';
  addNode(state, rolloutId, {
    turn: 0,
    role: 'user',
    author: 'template',
    content: `You work in a Linux terminal.\n\n${instructionOf(name)}\n\nCurrent Terminal Screen:\n\n${prompt}`,
  });
  const { turns } = sessions[session % sessions.length] ?? { turns: [] };
  for (const [place, turn] of turns.entries()) {
    playing.sampling = { turn: place, text: new Tail() };
    const text = answerText(turn, place === turns.length - 1);
    await wait(400);
    for (let at = 0; at < text.length; at += 14) {
      append(playing.sampling.text, text.slice(at, at + 14));
      await wait(45);
    }
    playing.sampling.text.close();
    const node = addNode(state, rolloutId, {
      turn: place,
      role: 'assistant',
      author: 'sampled',
      content: text,
      format: { strict: true, robust: true, problems: [] },
      promptTokens: 1400 + place * 900,
      completionTokens: Math.round(text.length / 4),
      stopReason: 'stop',
      timings: { firstTokenMs: 210, totalMs: 2600 },
    });
    const all = commandRows(node.id, turn, Date.now());
    for (const [index, command] of turn.commands.entries()) {
      const typed = command.keystrokes.replaceAll('\n', '\r\n');
      state.nodesOf(rolloutId).put({
        ...node,
        commands: [
          ...all.slice(0, index),
          ...all.slice(index, index + 1).map((row) => ({ ...row, endedAt: null, exitCode: null, settled: null })),
        ],
      });
      for (let at = 0; at < typed.length; at += 6) {
        append(playing.terminal, typed.slice(at, at + 6));
        await wait(25);
      }
      await wait(Math.min(command.ms, 1500));
      append(playing.terminal, `${command.output === '' ? '' : `${command.output}\r\n`}${prompt}`);
      state.nodesOf(rolloutId).put({ ...node, commands: all.slice(0, index + 1) });
    }
    addNode(state, rolloutId, { turn: place, role: 'user', author: 'environment', content: observation(turn) });
    now({ turns: place + 1, promptTokens: (place + 1) * 2_400, completionTokens: (place + 1) * 210 });
    await wait(300);
  }
  now({ status: 'verifying' });
  await wait(1200);
  state.screens.set(rolloutId, screenAfter(turns));
  playing.terminal.close();
  state.playing.delete(rolloutId);
  const rollout = state.rollouts.get(rolloutId);
  if (!rollout) return;
  grade(
    state,
    { ...rollout, timings: { startMs: 480, agentMs: 21_000, modelMs: 16_000, commandMs: 4_000, verifyMs: 1_200 } },
    outcome,
    Date.now(),
  );
  refreshRun(state, rollout.runId);
}
