// What the store promises, shown on one run from start to finish.
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runConfig } from '../contract/schema/config.ts';
import { nodeRow, rolloutRow, type Verdict } from '../contract/schema/rollout.ts';
import { runRow } from '../contract/schema/run.ts';
import { taskRow, taskSetRow } from '../contract/schema/task.ts';
import { openStore } from './open.ts';
import type { NewNode, NewRollout, Store } from './store.ts';

let folder: ReturnType<typeof mkdtempDisposableSync>;
let store: Store;

beforeEach(() => {
  folder = mkdtempDisposableSync(join(tmpdir(), 'termarium-store-'));
  store = openStore(folder.path);
});
afterEach(() => {
  store[Symbol.dispose]();
  folder.remove();
});

const config = runConfig.parse({ tasks: ['samples'] });
const signal = new AbortController().signal;

function queued(count: number): NewRollout[] {
  return Array.from({ length: count }, (_, index) => ({
    taskId: `task-${index}`,
    taskName: `task ${index}`,
    taskDigest: 'd'.repeat(64),
    attempt: 1,
    agent: 'terminus',
    model: 'scripted',
  }));
}

function message(rolloutId: string, text: string, more: Partial<NewNode> = {}): NewNode {
  return {
    rolloutId,
    parentId: null,
    turn: 1,
    role: 'assistant',
    author: 'sampled',
    content: text,
    reasoning: null,
    format: null,
    promptTokens: null,
    completionTokens: null,
    stopReason: null,
    tokenIds: null,
    logprobs: null,
    tokens: null,
    sampled: true,
    timings: {},
    ...more,
  };
}

const solved: Verdict = {
  state: 'tests_ran',
  reward: 1,
  rewards: { reward: 1 },
  partial: 1,
  tests: [{ name: 'test_state', status: 'passed' }],
  box: 'fresh',
  tampering: [],
  reason: 'one test ran and passed',
  seconds: 0.4,
};

type TaskInput = Parameters<Store['tasks']['putSet']>[1][number];
function task(name: string, more: Partial<TaskInput> = {}): TaskInput {
  return {
    name,
    path: `/tasks/${name}`,
    format: 'harbor',
    digest: 'a'.repeat(64),
    instruction: `Make ${name} work.`,
    difficulty: 'easy',
    category: null,
    tags: ['files'],
    hasSolution: true,
    issues: [],
    ...more,
  };
}
const samples = { name: 'samples', path: '/tasks', origin: 'bundled' } as const;

function runWith(count: number): { runId: string; rolloutIds: string[] } {
  const runId = store.runs.create(config, 'first run', queued(count));
  return { runId, rolloutIds: store.rollouts.ofRun(runId).map((rollout) => rollout.id) };
}

function one<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined || items.length !== 1) throw new Error(`expected one item, got ${items.length}`);
  return item;
}

describe('a run', () => {
  test('is created with its queued rollouts, in order, as the contract shows them', () => {
    const { runId, rolloutIds } = runWith(3);
    const run = runRow.parse(store.runs.get(runId));
    expect(run).toMatchObject({ name: 'first run', status: 'running', config, endedAt: null });
    expect(run.counts).toEqual({ total: 3, queued: 3, active: 0, finished: 0, errors: 0, cancelled: 0, interrupted: 0 });
    expect(run.overAll).toEqual({ passed: 0, total: 0, value: null, low: null, high: null });
    expect(store.rollouts.ofRun(runId).map((row) => rolloutRow.parse(row).taskName)).toEqual(['task 0', 'task 1', 'task 2']);
    expect(new Set(rolloutIds).size).toBe(3);
  });

  test('shows its pass rate over all trials and over those with a verdict', () => {
    const { runId, rolloutIds } = runWith(4);
    const [pass, fail, broken, playing] = rolloutIds;
    if (!pass || !fail || !broken || !playing) throw new Error('four rollouts expected');
    store.rollouts.update(pass, 'finished', { status: 'finished', outcome: 'solved', verdictState: 'tests_ran', reward: 1 });
    store.rollouts.update(fail, 'finished', { status: 'finished', outcome: 'unsolved', verdictState: 'tests_ran', reward: 0.5 });
    store.rollouts.update(broken, 'failed', { status: 'error', verdictState: 'infra_error' });
    store.rollouts.update(playing, 'started', { status: 'running', startedAt: 5 });
    const run = store.runs.get(runId);
    expect(run?.counts).toEqual({ total: 4, queued: 0, active: 1, finished: 2, errors: 1, cancelled: 0, interrupted: 0 });
    expect(run?.overAll).toMatchObject({ passed: 1, total: 3, value: 1 / 3 });
    expect(run?.overVerdict).toMatchObject({ passed: 1, total: 2, value: 0.5 });
  });

  test('has an end once it ended, and none when it goes on', () => {
    const { runId } = runWith(1);
    const error = { code: 'model.unavailable', message: 'no answer', retryable: true } as const;
    store.runs.setStatus(runId, 'stopped', error);
    expect(store.runs.get(runId)).toMatchObject({ status: 'stopped', error, endedAt: expect.any(Number) });
    store.runs.setStatus(runId, 'running');
    expect(store.runs.get(runId)).toMatchObject({ status: 'running', error: null, endedAt: null });
  });
});

describe('a rollout', () => {
  test('keeps every change as an event beside its current row', () => {
    const { rolloutIds } = runWith(1);
    const id = one(rolloutIds);
    store.rollouts.update(id, 'started', { status: 'starting', startedAt: 10 });
    store.rollouts.update(id, 'turn', { turns: 2, promptTokens: 900, completionTokens: 40, timings: { modelMs: 12.5 } });
    store.events.append(id, 'note', { text: 'looked at it' });
    expect(store.rollouts.get(id)).toMatchObject({ status: 'starting', turns: 2, promptTokens: 900, timings: { modelMs: 12.5 } });
    const events = store.events.read(id);
    expect(events.map((event) => event.kind)).toEqual(['started', 'turn', 'note']);
    expect(events[2]?.data).toEqual({ text: 'looked at it' });
    expect(store.events.read(id, events[0]?.id, 1).map((event) => event.kind)).toEqual(['turn']);
  });

  test('its verdict and its row agree, and verifier output of any size comes back whole', () => {
    const { runId, rolloutIds } = runWith(1);
    const id = one(rolloutIds);
    const output = 'collected 1 item\n'.repeat(20_000);
    store.rollouts.putVerdict(id, solved, output);
    store.rollouts.update(id, 'finished', { status: 'finished', outcome: 'solved' });
    expect(store.rollouts.verdict(id)).toEqual({ verdict: solved, verifierOutput: output });
    expect(store.rollouts.get(id)).toMatchObject({ verdictState: 'tests_ran', reward: 1 });
    expect(store.runs.get(runId)?.overVerdict).toMatchObject({ passed: 1, total: 1 });
  });

  test('goes back to the queue with nothing recorded, and its earlier try is kept', () => {
    const { runId, rolloutIds } = runWith(1);
    const id = one(rolloutIds);
    store.rollouts.update(id, 'started', { status: 'running', startedAt: 10, turns: 1 });
    const first = store.nodes.append(message(id, 'ls'));
    store.rollouts.putVerdict(id, solved, 'ok');
    const { cursor } = store.nodes.read(id);

    store.rollouts.requeue(id);
    expect(store.rollouts.get(id)).toMatchObject({ status: 'queued', turns: 0, startedAt: null, verdictState: null, reward: null });
    expect(store.rollouts.verdict(id)).toBeNull();
    expect(store.nodes.get(first)).toBeNull();
    expect(store.nodes.read(id, cursor)).toMatchObject({ kind: 'changed', rows: [], removed: [first] });
    expect(store.runs.get(runId)?.counts).toMatchObject({ queued: 1, active: 0 });

    const event = store.events.read(id).find(({ kind }) => kind === 'requeued');
    expect(event?.data).toMatchObject({ nodes: 1, record: expect.any(String), was: { status: 'running' } });
    const record = event?.data instanceof Object && 'record' in event.data ? String(event.data.record) : '';
    const kept = JSON.parse(String(store.blobs.get(record)));
    expect(kept.nodes[0]).toMatchObject({ id: first, content: 'ls' });
    expect(kept).toMatchObject({ verdict: { verifierOutput: 'ok' }, rollout: { status: 'running' } });
  });

  test('what does not exist is said to be missing', () => {
    expect(() => store.rollouts.update('nobody', 'started', {})).toThrow(expect.objectContaining({ code: 'request.not_found' }));
    expect(() => store.runs.setStatus('nobody', 'finished')).toThrow(expect.objectContaining({ code: 'request.not_found' }));
    expect(() => store.nodes.append(message('nobody', 'x'))).toThrow(expect.objectContaining({ code: 'request.not_found' }));
    expect(store.rev).toBe(0);
  });

  test('what a killed lab left unfinished is marked, and so is its run', () => {
    const { runId, rolloutIds } = runWith(3);
    const [playing, grading, waiting] = rolloutIds;
    if (!playing || !grading || !waiting) throw new Error('three rollouts expected');
    const idle = store.runs.create(config, 'paused', queued(1));
    store.runs.setStatus(idle, 'paused');
    store.rollouts.update(playing, 'started', { status: 'running' });
    store.rollouts.update(grading, 'verifying', { status: 'verifying' });
    store[Symbol.dispose]();

    store = openStore(folder.path);
    expect(store.markInterrupted()).toBe(2);
    expect(store.rollouts.ofRun(runId).map((row) => row.status)).toEqual(['interrupted', 'interrupted', 'queued']);
    expect(store.runs.get(runId)).toMatchObject({ status: 'interrupted', counts: { active: 0, interrupted: 2, queued: 1 } });
    expect(store.runs.get(idle)?.status).toBe('paused');
    const lastSeen = store.events.read(playing).find(({ kind }) => kind === 'started')?.at;
    expect(store.rollouts.get(playing)?.endedAt).toBe(lastSeen);
    expect(store.markInterrupted()).toBe(0);
  });
});

describe('nodes', () => {
  test('come back exactly as they were, long content and token arrays too', () => {
    const id = one(runWith(1).rolloutIds);
    const content = `${'é€😀\u0000 line\r\n'.repeat(2000)}end`;
    const node = message(id, content, {
      reasoning: 'r'.repeat(9000),
      format: { strict: false, robust: true, problems: ['trailing comma'] },
      tokenIds: [1, 151_643],
      logprobs: [-0.1, -1.2345678901234566e-9],
      tokens: ['a', '\ufffd'],
      timings: { totalMs: 1.5 },
    });
    const nodeId = store.nodes.append(node);
    const read = nodeRow.parse(store.nodes.get(nodeId));
    expect(read).toMatchObject(node);
    expect(one(store.nodes.read(id).rows)).toEqual(read);
  });

  test('are cut in a list at a visible mark, never inside a character, and whole on their own', () => {
    const id = one(runWith(1).rolloutIds);
    const nodeId = store.nodes.append(message(id, '€'.repeat(5000), { tokenIds: [7], author: 'environment' }));
    const row = one(store.nodes.read(id, undefined, { cut: 100, tokens: false }).rows);
    expect(row.content).toBe(`${'€'.repeat(33)}\n[… cut here: the first 99 of 15000 bytes are shown …]`);
    expect(row.tokenIds).toBeNull();
    expect(store.nodes.get(nodeId)).toMatchObject({ content: '€'.repeat(5000), tokenIds: [7] });
  });

  test('carry their commands, and change when a command begins or ends', () => {
    const id = one(runWith(1).rolloutIds);
    const nodeId = store.nodes.append(message(id, 'two commands'));
    store.nodes.beginCommand({ nodeId, index: 0, keystrokes: 'make\n', duration: 1, startedAt: 100, from: 0 });
    store.nodes.beginCommand({ nodeId, index: 1, keystrokes: 'ls\n', duration: 0.1, startedAt: 200, from: 50 });
    const { cursor } = store.nodes.read(id);
    store.nodes.endCommand(nodeId, 0, { endedAt: 150, exitCode: 2, settled: 'idle', to: 50 });
    const { rows, kind } = store.nodes.read(id, cursor);
    expect(kind).toBe('changed');
    expect(one(rows).commands).toEqual([
      { nodeId, index: 0, keystrokes: 'make\n', duration: 1, startedAt: 100, endedAt: 150, exitCode: 2, settled: 'idle', from: 0, to: 50 },
      {
        nodeId,
        index: 1,
        keystrokes: 'ls\n',
        duration: 0.1,
        startedAt: 200,
        endedAt: null,
        exitCode: null,
        settled: null,
        from: 50,
        to: null,
      },
    ]);
    expect(() => store.nodes.endCommand(nodeId, 7, { endedAt: 1, exitCode: 0, settled: 'idle', to: 1 })).toThrow('no command 7');
  });

  test('heavy ones come in several answers', () => {
    const id = one(runWith(1).rolloutIds);
    for (let turn = 0; turn < 5; turn += 1) store.nodes.append(message(id, `${turn}${'x'.repeat(1_500_000)}`, { turn }));
    const first = store.nodes.read(id);
    expect(first.rows.map((row) => row.turn)).toEqual([0, 1]);
    expect(first.more).toBe(true);
    const second = store.nodes.read(id, first.cursor);
    const third = store.nodes.read(id, second.cursor);
    expect([...second.rows, ...third.rows].map((row) => row.turn)).toEqual([2, 3, 4]);
    expect(third.more).toBe(false);
    expect(store.nodes.read(id, undefined, { cut: 1000 }).more).toBe(false);
  });
});

describe('a row watch', () => {
  test('reads everything once, in pages, then only what changed', () => {
    const { runId, rolloutIds } = runWith(1203);
    const seen: string[] = [];
    let read = store.rollouts.read({ runId });
    expect(read).toMatchObject({ kind: 'all', more: true });
    seen.push(...read.rows.map((row) => row.id));
    while (read.more) {
      read = store.rollouts.read({ runId }, read.cursor);
      expect(read.kind).toBe('changed');
      seen.push(...read.rows.map((row) => row.id));
    }
    expect(seen).toEqual(rolloutIds);

    const third = rolloutIds[2] ?? '';
    store.rollouts.update(third, 'started', { status: 'starting' });
    expect(store.rollouts.read({ runId }, read.cursor).rows.map((row) => row.id)).toEqual([third]);
    expect(store.runs.read(read.cursor).rows.map((row) => row.id)).toEqual([runId]);
  });

  test('starts over for a cursor that this store never gave', () => {
    runWith(1);
    expect(store.runs.read(store.rev + 1000)).toMatchObject({ kind: 'all', rows: [{ name: 'first run' }], cursor: store.rev });
  });

  test('parks until a row in its scope changes', async () => {
    const [a, b] = [runWith(1), runWith(1)];
    const cursor = store.rev;
    const woken: string[] = [];
    const waits = [
      store.wait(['rollout'], cursor, signal, { scope: a.runId }).then(() => woken.push('a')),
      store.wait(['rollout'], cursor, signal, { scope: b.runId }).then(() => woken.push('b')),
      store.wait(['rollout'], cursor, signal, { scope: one(b.rolloutIds) }).then(() => woken.push('one of b')),
      store.wait(['run', 'task'], cursor, signal).then(() => woken.push('runs')),
    ];
    store.rollouts.update(one(b.rolloutIds), 'started', { status: 'starting' });
    await Promise.all(waits.slice(1));
    expect(woken.toSorted()).toEqual(['b', 'one of b', 'runs']);
    store.rollouts.update(one(a.rolloutIds), 'started', { status: 'starting' });
    await waits[0];
  });

  test('returns at once when something newer is already stored, and says what it is to a store that was opened again', async () => {
    const { runId } = runWith(1);
    await store.wait(['run'], 0, signal);
    store[Symbol.dispose]();
    store = openStore(folder.path);
    await store.wait(['run'], 0, signal, { scope: runId });
    expect(store.runs.read(0).rows).toHaveLength(1);
  });
});

describe('a task set', () => {
  test('is replaced by what its folder holds now; what is as it was keeps id, revision and gates', () => {
    const setId = store.tasks.putSet(samples, [task('a'), task('b'), task('c')]);
    const [a, b, c] = store.tasks.read({ setId }).rows.map((row) => taskRow.parse(row));
    if (!a || !b || !c) throw new Error('three tasks expected');
    const gates = [{ gate: 'oracle', state: 'passed', detail: 'reward 1', seconds: 2 } as const];
    store.tasks.putGates(a.id, gates);
    store.tasks.putGates(b.id, gates);
    const cursor = store.rev;

    expect(store.tasks.putSet(samples, [task('a'), task('b', { digest: 'b'.repeat(64) }), task('d')])).toBe(setId);
    const changed = store.tasks.read({ setId }, cursor);
    expect(changed.rows.map((row) => [row.name, row.gates])).toEqual([
      ['b', []],
      ['d', []],
    ]);
    expect(changed.rows[0]?.id).toBe(b.id);
    expect(changed.removed).toEqual([c.id]);
    expect(store.tasks.read({}, cursor).removed).toEqual([c.id]);
    expect(store.tasks.get(a.id)).toMatchObject({ gates, hasSolution: true, tags: ['files'] });
    expect(one(store.tasks.readSets().rows.map((row) => taskSetRow.parse(row)))).toMatchObject({ id: setId, taskCount: 3 });

    const rev = store.rev;
    store.tasks.putSet(samples, [task('a'), task('b', { digest: 'b'.repeat(64) }), task('d')]);
    expect(store.rev).toBe(rev);
  });

  test('is found by path, else by name, and refuses one task twice', () => {
    const setId = store.tasks.putSet(samples, [task('a')]);
    const other = store.tasks.putSet({ ...samples, name: '/tasks', path: '/elsewhere' }, []);
    expect(store.tasks.setByName('samples')?.id).toBe(setId);
    expect(store.tasks.setByName('/tasks')?.id).toBe(setId);
    expect(store.tasks.setByName('/elsewhere')?.id).toBe(other);
    expect(store.tasks.setByName('nothing')).toBeNull();
    expect(() => store.tasks.putSet(samples, [task('a'), task('a')])).toThrow(expect.objectContaining({ code: 'task.invalid' }));
    expect(store.tasks.read({ setId }).rows).toHaveLength(1);
  });
});

test('search finds instructions, commands and outputs, and nothing in the query is an operator', () => {
  const setId = store.tasks.putSet(samples, [task('nginx', { instruction: 'Configure Nginx to log requests.' })]);
  const rolloutId = one(runWith(1).rolloutIds);
  const nodeId = store.nodes.append(message(rolloutId, 'not indexed'));
  store.nodes.beginCommand({ nodeId, index: 0, keystrokes: 'systemctl restart nginx\n', duration: 1, startedAt: 1, from: 0 });
  const output = store.nodes.append(
    message(rolloutId, `${'padding '.repeat(2000)} emerg: bind() to 0.0.0.0:80 failed`, { author: 'environment', role: 'user' }),
  );
  const taskId = one(store.tasks.read({ setId }).rows).id;
  expect(store.search('nginx').map((hit) => hit.owner)).toEqual(expect.arrayContaining([taskId, nodeId]));
  expect(store.search('restart ngi', { kind: 'command' })).toEqual([{ kind: 'command', owner: nodeId, index: 0 }]);
  expect(store.search('bind() 0.0.0.0:80')).toEqual([{ kind: 'output', owner: output, index: null }]);
  expect(store.search('nginx OR "*) NOT ^')).toEqual([]);
  store.rollouts.requeue(rolloutId);
  store.tasks.putSet(samples, []);
  expect(store.search('nginx')).toEqual([]);
});

test('settings are any JSON value, and undefined where never set', () => {
  expect(store.settings.get('theme')).toBeUndefined();
  store.settings.put('theme', { dark: true });
  store.settings.put('theme', { dark: false });
  expect(store.settings.get('theme')).toEqual({ dark: false });
});
