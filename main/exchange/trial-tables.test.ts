import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImportReport } from '../contract/schema/exchange.ts';
import type { RolloutRow, Verdict } from '../contract/schema/rollout.ts';
import { type Desk, hasPack, openDesk, pack, packNote } from './pack.testing.ts';

const count = <T>(rows: readonly T[], test: (row: T) => boolean) => rows.filter(test).length;

function runNamed(desk: Desk, report: ImportReport, name: string): { rollouts: RolloutRow[]; verdicts: Verdict[] } {
  const runId = report.runs.find((run) => run.name === name)?.runId ?? '';
  return { rollouts: desk.store.rollouts.ofRun(runId), verdicts: desk.verdicts(runId) };
}

describe.skipIf(!hasPack)(`a table of 1,780 trials with their steps beside it${packNote}`, () => {
  let desk: Desk;
  let report: ImportReport;
  beforeAll(async () => {
    desk = await openDesk();
    report = await desk.import(join(pack, 'tb2_tmax/trials.jsonl'));
  }, 120_000);
  afterAll(() => desk[Symbol.asyncDispose]());

  it('is a run for each model, with nothing rejected', () => {
    expect(report.progress).toMatchObject({ records: 1780, imported: 1780, rejected: 0 });
    expect(report.issues).toEqual([]);
    expect(report.runs.map(({ name, imported }) => [name, imported])).toEqual(
      ['Qwen3.5-2B', 'Qwen3.5-9B', 'tmax-2b', 'tmax-9b'].map((name) => [name, 445]),
    );
  });

  // Numbers of the pack's README: the last is of the trials whose tests crashed or gave no verdict.
  it.each([
    ['Qwen3.5-2B', { passed: 10, timeouts: 5, missing: 2, neverRan: 43, noVerdict: 4, steps: 25_110, withVerdict: 2.49 }],
    ['tmax-2b', { passed: 13, timeouts: 62, missing: 12, neverRan: 8, noVerdict: 13, steps: 16_645, withVerdict: 2.97 }],
    ['Qwen3.5-9B', { passed: 94, timeouts: 34, missing: 1, neverRan: 28, noVerdict: 5, steps: 17_205, withVerdict: 22.54 }],
    ['tmax-9b', { passed: 121, timeouts: 33, missing: 7, neverRan: 33, noVerdict: 8, steps: 14_015, withVerdict: 29.37 }],
  ])('has the counts of %s', (model, expected) => {
    const { rollouts, verdicts } = runNamed(desk, report, model);
    const notes = rollouts.map(({ id }) => JSON.stringify(desk.store.events.ofKinds(id, ['note'])));
    const passed = count(rollouts, (row) => (row.reward ?? 0) >= 1);
    const neverRan = count(verdicts, (verdict) => verdict.state === 'verifier_failed');
    expect({
      passed,
      timeouts: count(notes, (note) => note.includes('AgentTimeoutError')),
      missing: count(verdicts, (verdict) => !('reward' in verdict.rewards)),
      neverRan,
      noVerdict: count(verdicts, (verdict) => verdict.state === 'no_verdict'),
      steps: rollouts.reduce((sum, row) => sum + row.turns, 0),
      withVerdict: Number(((100 * passed) / (445 - neverRan)).toFixed(2)),
    }).toEqual(expected);
    expect(new Set(rollouts.map((row) => row.taskName)).size).toBe(89);
    expect(rollouts.every((row) => row.model === model && row.taskDigest.length === 64)).toBe(true);
  });

  it('has every step as a turn with its command, exit code and times', () => {
    const all = report.runs.flatMap(({ runId }) => desk.store.rollouts.ofRun(runId));
    let turns = 0;
    let failedFormat = 0;
    let long = 0;
    for (const row of all) {
      // At most 64 steps a trial, well within a page.
      const { rows, more } = desk.store.nodes.read(row.id);
      expect(more).toBe(false);
      expect(rows).toHaveLength(row.turns);
      expect(rows.map(({ turn }) => turn)).toEqual(rows.map((_, index) => index));
      turns += rows.length;
      failedFormat += count(rows, (node) => node.format?.strict === false);
      // Characters, not UTF-16 units: one command was cut behind an emoji.
      long += count(rows, (node) => [...(node.commands[0]?.keystrokes ?? '')].length === 200);
      expect(rows.some((node) => node.sampled)).toBe(false);
    }
    expect({ turns, failedFormat, long }).toEqual({ turns: 72_975, failedFormat: 352, long: 30_167 });
    const [first] = all;
    expect(desk.store.nodes.read(first?.id ?? '').rows[0]).toMatchObject({
      timings: { totalMs: 1200 },
      commands: [{ keystrokes: 'which R && R --version | head -5', exitCode: 1, duration: 0.3 }],
    });
    expect(first).toMatchObject({ agent: 'vanillux2-agent', promptTokens: 1_006_484, startedAt: Date.parse('2026-06-10T22:55:20.965Z') });
    expect(JSON.stringify(desk.store.events.ofKinds(first?.id ?? '', ['note']))).toContain('may be cut');
    expect(desk.store.imports.rest(first?.id ?? '')).toMatchObject({ parts: { max_repeat_full: 8 } });
  });

  it('ends as the trials did', () => {
    const { rollouts } = runNamed(desk, report, 'Qwen3.5-2B');
    // Step-cap hits that were neither solved nor ended by a timeout.
    expect(count(rollouts, (row) => row.outcome === 'turn_limit')).toBeGreaterThan(300);
    expect(count(rollouts, (row) => row.outcome === 'solved')).toBe(10);
    // Of the five that ran out of time one had solved its task by then, which is what counts.
    expect(count(rollouts, (row) => row.outcome === 'time_limit')).toBe(4);
  });

  it('adds nothing the second time', async () => {
    const again = await desk.import(join(pack, 'tb2_tmax/trials.jsonl'));
    expect(again.progress).toMatchObject({ imported: 0, known: 1780 });
    expect(again.runs.map(({ imported }) => imported)).toEqual([0, 0, 0, 0]);
  });
});

describe.skipIf(!hasPack)(`a table of the trials of three jobs${packNote}`, () => {
  it.each([
    ['2026-04-28__23-13-48', { trials: 8, passed: 4, rewarded: 8, ran: 8, neverRan: 0, none: 0 }],
    ['2026-04-29__04-16-11', { trials: 37, passed: 13, rewarded: 35, ran: 21, neverRan: 14, none: 2 }],
    ['2026-04-29__05-14-55', { trials: 19, passed: 8, rewarded: 19, ran: 16, neverRan: 3, none: 0 }],
  ])('has the verdicts of %s', async (job, expected) => {
    await using desk = await openDesk();
    const report = await desk.import(join(pack, 'endless_playground/trials.jsonl'));
    expect(report.progress).toMatchObject({ imported: 64, rejected: 0 });
    const { rollouts, verdicts } = runNamed(desk, report, job);
    expect({
      trials: rollouts.length,
      passed: count(rollouts, (row) => row.reward === 1),
      rewarded: count(verdicts, (verdict) => 'reward' in verdict.rewards),
      ran: count(verdicts, (verdict) => verdict.state === 'tests_ran'),
      neverRan: count(verdicts, (verdict) => verdict.state === 'verifier_failed'),
      none: count(verdicts, (verdict) => verdict.state === 'cancelled'),
    }).toEqual(expected);
  });
});

describe('a table of trials', () => {
  const row = (trial: string, more: object = {}) =>
    JSON.stringify({ model: 'm', task: 't', trial, reward: 1, exception: null, n_steps: 1, ...more });
  const step = (trial: string, cmd: string) => JSON.stringify({ model: 'm', trial, step: 1, llm_s: 1, bash_s: 0.5, return_code: 0, cmd });

  it('tells of broken rows by their line, and imports the others', async () => {
    await using desk = await openDesk();
    const file = join(desk.folder, 'trials.jsonl');
    writeFileSync(
      file,
      `${row('a')}\n{"half": \n${row('b', { reward: 'yes' })}\n{"other": 1}\n${row('c', { verdict_state: 'never heard of' })}\n`,
    );
    const report = await desk.import(file);
    expect(report.progress).toMatchObject({ imported: 2, rejected: 3 });
    expect(report.issues.map(({ line, level }) => [line, level])).toEqual([
      [2, 'error'],
      [3, 'error'],
      [4, 'error'],
    ]);
    // A reward that comes with a word nobody knows is no evidence.
    expect(desk.verdicts(report.runs[0]?.runId ?? '').map(({ state, reward }) => [state, reward])).toEqual([
      ['tests_ran', 1],
      ['no_verdict', null],
    ]);
  });

  it('finds its steps in any order', async () => {
    await using desk = await openDesk();
    const file = join(desk.folder, 'trials.jsonl');
    writeFileSync(file, `${row('a')}\n${row('b')}\n${row('c')}\n`);
    writeFileSync(join(desk.folder, 'steps.jsonl'), `${step('b', 'of b')}\n${step('x', 'of x')}\n${step('a', 'of a')}\n`);
    const report = await desk.import(file);
    const typed = desk.store.rollouts
      .ofRun(report.runs[0]?.runId ?? '')
      .map(({ id }) => desk.store.nodes.read(id).rows.flatMap((node) => node.commands.map((command) => command.keystrokes)));
    expect(typed).toEqual([['of a'], ['of b'], []]);
  });

  it('does without steps that are broken, and says so', async () => {
    await using desk = await openDesk();
    const file = join(desk.folder, 'trials.jsonl');
    writeFileSync(file, `${row('a')}\n${row('b')}\n`);
    writeFileSync(join(desk.folder, 'steps.jsonl'), `${step('a', 'of a')}\n${step('b', 'of b')}\n{"model"`);
    const report = await desk.import(file);
    expect(report.progress).toMatchObject({ imported: 2, rejected: 0 });
    expect(report.issues).toEqual([
      { level: 'warning', message: expect.stringContaining('is not whole JSON'), file: join(desk.folder, 'steps.jsonl'), line: 3 },
    ]);
  });
});
