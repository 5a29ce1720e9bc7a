import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { RolloutRow } from '../contract/schema/rollout.ts';
import { linesOf } from './lines.ts';
import { type Desk, hasPack, openDesk, pack, packNote } from './pack.testing.ts';

const rowsOf = (desk: Desk): RolloutRow[] => desk.store.runs.read().rows.flatMap((run) => desk.store.rollouts.ofRun(run.id));
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe.skipIf(!hasPack)(`rollouts.jsonl of a training run${packNote}`, () => {
  it('is a run with every reward kept apart', async () => {
    await using desk = await openDesk();
    const report = await desk.import(join(pack, 'seed_format/rollouts.jsonl'));
    expect(report.progress).toMatchObject({ imported: 1920, rejected: 0 });
    // 38 tasks have no instruction: told once each, no failure.
    expect(report.issues).toHaveLength(38);
    const rewards = desk.verdicts(report.runs[0]?.runId ?? '').map((verdict) => verdict.rewards);
    expect(mean(rewards.map((each) => each.reward ?? Number.NaN))).toBeCloseTo(0.327719, 6);
    expect(rewards.filter((each) => each.format_reward === 1)).toHaveLength(1878);
    expect(rewards.filter((each) => each.script_reward === 1)).toHaveLength(1512);
    expect(rewards.filter((each) => (each.verifier_reward ?? 0) >= 0.9)).toHaveLength(391);
    const [rollout] = rowsOf(desk);
    const nodes = desk.store.nodes.read(rollout?.id ?? '').rows;
    expect(nodes.at(-1)).toMatchObject({ role: 'assistant', sampled: true, format: { strict: true } });
    expect(nodes.at(-1)?.commands.length).toBeGreaterThan(0);
    expect(desk.store.imports.rest(rollout?.id ?? '')).toMatchObject({ parts: { training_step: 1 } });
  });

  it('that is damaged tells of every damaged or doubtful line, and gives the others', async () => {
    await using desk = await openDesk();
    const expected: { line: number; problem: string }[] = JSON.parse(
      readFileSync(join(pack, 'seed_format/rollouts_damaged.expected.json'), 'utf8'),
    );
    const report = await desk.import(join(pack, 'seed_format/rollouts_damaged.jsonl'));
    const told = report.issues.flatMap((issue) => (issue.line === undefined ? [] : [issue.line]));
    expect([...new Set(told)]).toEqual(expected.map(({ line }) => line));
    const rejected = report.issues.filter((issue) => issue.level === 'error').map((issue) => issue.line);
    expect(rejected).toEqual([8, 10, 11, 12, 15, 18, 21, 22, 28]);
    expect(report.progress).toMatchObject({ imported: 17, rejected: 9 });
    const again = await desk.import(join(pack, 'seed_format/rollouts_damaged.jsonl'));
    expect(again.progress).toMatchObject({ imported: 0, known: 17 });
  });
});

describe.skipIf(!hasPack)(`solution summaries of Endless Terminals${packNote}`, () => {
  it('are one run with every sample, and tell apart tests that failed from tests that never ran', async () => {
    await using desk = await openDesk();
    const report = await desk.import(join(pack, 'endless_playground/tasks'));
    expect(report.progress).toMatchObject({ records: 160, imported: 160, rejected: 0 });
    expect(report.runs).toHaveLength(1);
    const run = desk.store.runs.get(report.runs[0]?.runId ?? '');
    expect(run).toMatchObject({ name: 'tasks', overVerdict: { passed: 47, total: 153 }, overAll: { total: 160 } });
    const passed = Map.groupBy(rowsOf(desk), (row) => row.taskName);
    const counts = [...passed].map(([task, rows]) => [task, rows.length, rows.filter((row) => row.reward === 1).length]);
    expect(counts).toEqual([
      ['task_000000_19c3c4b9', 16, 1],
      ['task_000000_3bb4337a', 16, 7],
      ['task_000000_7c0ad94e', 16, 10],
      ['task_000000_7ca8fc9c', 16, 10],
      ['task_000000_83a2beb5', 16, 2],
      ['task_000000_9cc1e5be', 16, 3],
      ['task_000000_c79e7c5d', 16, 4],
      ['task_000000_dfbcff7a', 32, 2],
      ['task_000000_f6642236', 16, 8],
    ]);
    expect(new Set(rowsOf(desk).map((row) => row.model))).toEqual(new Set(['Qwen_Qwen3-32B-AWQ']));
    expect((await desk.import(join(pack, 'endless_playground/tasks'))).progress).toMatchObject({ imported: 0, known: 160 });
  });
});

describe.skipIf(!hasPack)(`rows of data sets${packNote}`, () => {
  it('with a row an episode become one rollout a conversation', async () => {
    await using desk = await openDesk();
    const report = await desk.import(join(pack, 'terminus2_golden', 'hello-world-context-summarization.traces.json'));
    // Ten rows: seven episodes of which five repeat the ones before, and three of sub-agents.
    expect(report.progress).toMatchObject({ imported: 5, rejected: 0 });
    const rollouts = rowsOf(desk);
    expect(rollouts.map((row) => [row.taskName, row.agent, row.reward])).toEqual(Array(5).fill(['harbor/hello-world', 'terminus-2', 1]));
    const sizes = rollouts.map((row) => desk.store.nodes.read(row.id).rows.length);
    expect(sizes).toEqual([6, 11, 9, 2, 7]);
  });

  it('of SkyRL are prompts that nobody has played, outside of every rate', async () => {
    await using desk = await openDesk();
    const report = await desk.import(join(pack, 'endless_playground/data'));
    expect(report.runs.map(({ name, imported }) => [name, imported])).toEqual([
      ['train', 10],
      ['validation', 2],
    ]);
    const run = desk.store.runs.get(report.runs[0]?.runId ?? '');
    expect(run).toMatchObject({ counts: { total: 10, cancelled: 10 }, overAll: { total: 0 } });
    const [rollout] = rowsOf(desk);
    expect(rollout?.taskName).toMatch(/^task_/);
    const nodes = desk.store.nodes.read(rollout?.id ?? '').rows;
    expect(nodes.every((node) => !node.sampled && node.author === 'template')).toBe(true);
    expect(desk.store.imports.rest(rollout?.id ?? '')).toMatchObject({ parts: { env_class: expect.any(String) } });
  });

  it('in a cut Parquet file are told, and nothing else is lost', async () => {
    await using desk = await openDesk();
    const folder = join(desk.folder, 'tables');
    mkdirSync(folder);
    const whole = readFileSync(join(pack, 'endless_playground/data/train.parquet'));
    writeFileSync(join(folder, 'cut.parquet'), whole.subarray(0, whole.length / 2));
    copyFileSync(join(pack, 'endless_playground/data/validation.parquet'), join(folder, 'whole.parquet'));
    const report = await desk.import(folder);
    expect(report.progress).toMatchObject({ imported: 2, rejected: 1 });
    expect(report.issues[0]).toMatchObject({ level: 'error', file: join(folder, 'cut.parquet') });
  });
});

describe('results.json of Terminal-Bench 1', () => {
  const result = (task: string, more: object) => ({
    trial_name: `${task}.1-of-1.run`,
    task_id: task,
    instruction: `Do ${task}.`,
    is_resolved: true,
    failure_mode: 'unset',
    parser_results: { test_a: 'passed', test_b: 'passed' },
    total_input_tokens: 100,
    total_output_tokens: 20,
    trial_started_at: '2025-06-01T10:00:00.000000+00:00',
    trial_ended_at: '2025-06-01T10:05:00.000000+00:00',
    ...more,
  });
  const trials = [
    result('good', {}),
    result('bad', { is_resolved: false, parser_results: { test_a: 'passed', test_b: 'failed' } }),
    result('slow', { is_resolved: false, failure_mode: 'agent_timeout', parser_results: { test_a: 'failed' } }),
    result('garbled', { is_resolved: null, failure_mode: 'parse_error', parser_results: null }),
    result('uninstalled', { is_resolved: null, failure_mode: 'agent_installation_failed', parser_results: null }),
  ];

  it('has a rollout for each trial, with its tests, its end and its recording', async () => {
    await using desk = await openDesk();
    const run = join(desk.folder, '2025-06-01__10-00-00');
    for (const trial of trials) {
      const folder = join(run, trial.task_id, trial.trial_name);
      mkdirSync(join(folder, 'sessions'), { recursive: true });
      mkdirSync(join(folder, 'panes'));
      writeFileSync(join(folder, 'results.json'), JSON.stringify(trial));
      writeFileSync(join(folder, 'sessions', 'agent.cast'), '{"version": 2, "width": 80, "height": 24}\n[0.1, "o", "hi"]\n');
      writeFileSync(join(folder, 'panes', 'post-test.txt'), 'short test summary info');
    }
    writeFileSync(join(run, 'results.json'), JSON.stringify({ results: trials, accuracy: 0.2, n_resolved: 1 }));

    const report = await desk.import(run);
    // Each trial stands in the file of the run and in its own: it is one rollout.
    expect(report.progress).toMatchObject({ imported: 5, known: 5, rejected: 0 });
    const told = rowsOf(desk).map((row) => [row.taskName, row.status, row.outcome, row.verdictState, row.reward]);
    expect(told.sort()).toEqual([
      ['bad', 'finished', 'unsolved', 'tests_ran', 0],
      ['garbled', 'finished', 'unsolved', 'no_verdict', null],
      ['good', 'finished', 'solved', 'tests_ran', 1],
      ['slow', 'finished', 'time_limit', 'tests_ran', 0],
      ['uninstalled', 'error', null, 'infra_error', null],
    ]);
    const good = rowsOf(desk).find((row) => row.taskName === 'good');
    expect(good).toMatchObject({ promptTokens: 100, completionTokens: 20, startedAt: Date.UTC(2025, 5, 1, 10) });
    expect(desk.store.rollouts.verdict(good?.id ?? '')?.verdict.tests).toHaveLength(2);
    expect(readFileSync(join(desk.recordings, `${good?.id}.cast`), 'utf8')).toContain('"hi"');
  });
});

describe('lines of a file', () => {
  it('are told apart from what is odd about their bytes, packed or not', async () => {
    await using desk = await openDesk();
    const bytes = Buffer.concat([Buffer.from('\ufefffirst\r\nsecond\n\n'), Buffer.from([0xff, 0xfe, 10]), Buffer.from('last')]);
    const paths = [join(desk.folder, 'a.jsonl'), join(desk.folder, 'a.jsonl.gz')];
    writeFileSync(paths[0] ?? '', bytes);
    writeFileSync(paths[1] ?? '', gzipSync(bytes));
    for (const path of paths) {
      const lines: [string | null, number][] = [];
      for await (const line of linesOf(path)) lines.push([line.text, line.remarks.length]);
      expect(lines).toEqual([
        ['first', 2],
        ['second', 0],
        ['', 0],
        [null, 0],
        ['last', 1],
      ]);
    }
  });
});
