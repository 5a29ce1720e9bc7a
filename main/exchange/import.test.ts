import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImportReport } from '../contract/schema/exchange.ts';
import type { NodeRow, RolloutRow } from '../contract/schema/rollout.ts';
import type { RunRow } from '../contract/schema/run.ts';
import { type Desk, hasPack, openDesk, pack, packNote } from './pack.testing.ts';

const byName = (desk: Desk, report: ImportReport) =>
  new Map(report.runs.map(({ runId, name }): [string, RunRow | null] => [name, desk.store.runs.get(runId)]));
const nodesOf = (desk: Desk, rollouts: RolloutRow[]): NodeRow[] =>
  rollouts.flatMap((row) => {
    const nodes: NodeRow[] = [];
    for (let after: number | undefined; ; ) {
      const read = desk.store.nodes.read(row.id, after);
      nodes.push(...read.rows);
      if (!read.more) return nodes;
      after = read.cursor;
    }
  });

describe.skipIf(!hasPack)(`three recorded jobs of Terminus-2${packNote}`, () => {
  let desk: Desk;
  let report: ImportReport;
  let rollouts: RolloutRow[];
  beforeAll(async () => {
    desk = await openDesk();
    report = await desk.import(await desk.unpack('endless_playground/solution_sonnet', false));
    rollouts = report.runs.flatMap(({ runId }) => desk.store.rollouts.ofRun(runId));
  });
  afterAll(() => desk[Symbol.asyncDispose]());

  it('become a run each, with every trial in it and nothing rejected', () => {
    expect(report.progress).toMatchObject({ records: 64, imported: 64, known: 0, rejected: 0 });
    expect(report.issues).toEqual([]);
    expect(report.runs.map(({ name, imported }) => [name, imported])).toEqual([
      ['2026-04-28__23-13-48', 8],
      ['2026-04-29__04-16-11', 37],
      ['2026-04-29__05-14-55', 19],
    ]);
    expect(new Set(rollouts.map((row) => row.taskName)).size).toBe(29);
  });

  it.each([
    ['2026-04-28__23-13-48', { passed: 4, rewarded: 8, ran: 8, neverRan: 0, cancelled: 0 }],
    ['2026-04-29__04-16-11', { passed: 13, rewarded: 35, ran: 21, neverRan: 14, cancelled: 2 }],
    ['2026-04-29__05-14-55', { passed: 8, rewarded: 19, ran: 16, neverRan: 3, cancelled: 0 }],
  ])('have the verdicts that their logs show: %s', (name, expected) => {
    const run = byName(desk, report).get(name);
    const verdicts = desk.verdicts(run?.id ?? '');
    const count = (state: string) => verdicts.filter((verdict) => verdict.state === state).length;
    expect({
      passed: run?.overVerdict.passed,
      rewarded: verdicts.filter((verdict) => 'reward' in verdict.rewards).length,
      ran: count('tests_ran'),
      neverRan: count('verifier_failed'),
      cancelled: count('cancelled'),
    }).toEqual(expected);
    expect(run?.overVerdict.total).toBe(expected.ran);
    expect(run).toMatchObject({ status: 'finished', origin: { format: 'harbor' } });
  });

  it('keep every answer as it was sampled, with the commands that it sent', () => {
    const nodes = nodesOf(desk, rollouts);
    const answers = nodes.filter((node) => node.role === 'assistant');
    const commands = answers.flatMap((node) => node.commands);
    expect(commands).toHaveLength(1758);
    expect(commands.filter(({ keystrokes }) => keystrokes.trim() === '')).toHaveLength(13);
    expect(answers.every((node) => node.sampled)).toBe(true);
    // What the model was told about its format is in the words of the next observation.
    const replies = nodes.filter((node) => node.author === 'environment').map((node) => node.content);
    const refusals = replies.filter((text) => text.includes('Previous response had parsing errors'));
    expect(refusals).toHaveLength(3);
    expect(replies.filter((text) => text.includes('WARNINGS:') && !refusals.includes(text))).toHaveLength(122);
    const refused = answers.filter((node) => node.format?.strict === false);
    expect(refused).toHaveLength(3);
  });

  it('keep times, tokens, the end of the agent and the recording', async () => {
    const timeouts = rollouts.filter((row) => row.outcome === 'time_limit');
    expect(timeouts).toHaveLength(1);
    const passed = rollouts.find((row) => row.outcome === 'solved');
    expect(passed?.timings.agentMs).toBeGreaterThan(1000);
    expect(passed?.timings.modelMs).toBeGreaterThan(1000);
    expect(passed?.promptTokens).toBeGreaterThan(1000);
    expect(passed?.model).toBe('claude-4.5-sonnet-20250514');
    expect((await readdir(desk.recordings)).filter((name) => name.endsWith('.cast'))).toHaveLength(61);
    expect(existsSync(join(desk.recordings, `${passed?.id}.cast`))).toBe(true);
  });

  it('can be found by what was typed and by where they come from', () => {
    expect(desk.store.search('checkpoint', { kind: 'output' }).length).toBeGreaterThan(0);
    const origin = desk.store.imports.origin(rollouts[0]?.id ?? '');
    expect(origin).toMatchObject({ format: 'harbor', line: null, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(existsSync(origin?.file ?? '')).toBe(true);
  });

  it('are not added again by a second import, wherever they lie by then', async () => {
    const moved = join(desk.folder, 'moved');
    cpSync(join(desk.folder, 'unpacked', 'solution_sonnet', '2026-04-28__23-13-48'), join(moved, 'renamed'), { recursive: true });
    const rev = desk.store.rev;
    for (const path of [join(desk.folder, 'unpacked'), moved]) {
      const again = await desk.import(path);
      expect(again.progress).toMatchObject({ imported: 0, known: path === moved ? 8 : 64 });
      expect(again.runs.every((run) => run.imported === 0)).toBe(true);
    }
    expect(desk.store.rev).toBe(rev);
  });
});

describe.skipIf(!hasPack)(`trials of a bash-tool agent${packNote}`, () => {
  it.each([
    ['Qwen3.5-9B', { passed: 18, timeouts: 5, capped: 5, solvedAtCap: 1 }],
    ['tmax-9b', { passed: 21, timeouts: 4, capped: 0, solvedAtCap: 0 }],
  ])('have every reward, verdict and timeout of %s', async (model, expected) => {
    await using desk = await openDesk();
    const report = await desk.import(join(await desk.unpack('tb2_tmax/harbor_jobs_raw', true), model));
    expect(report.progress).toMatchObject({ imported: 30, rejected: 0 });
    const [run] = report.runs;
    const rollouts = desk.store.rollouts.ofRun(run?.runId ?? '');
    expect(desk.verdicts(run?.runId ?? '').map((verdict) => verdict.state)).toEqual(Array(30).fill('tests_ran'));
    expect(rollouts.filter((row) => (row.reward ?? 0) >= 1)).toHaveLength(expected.passed);
    const noted = rollouts.filter((row) =>
      desk.store.events.read(row.id).some((event) => event.kind === 'note' && JSON.stringify(event.data).includes('AgentTimeoutError')),
    );
    expect(noted).toHaveLength(expected.timeouts);
    expect(rollouts.filter((row) => row.outcome === 'turn_limit')).toHaveLength(expected.capped - expected.solvedAtCap);
    const commands = nodesOf(desk, rollouts).flatMap((node) => node.commands);
    expect(commands.filter((command) => command.exitCode !== null).length).toBeGreaterThan(commands.length * 0.95);
  });

  it('alone are conversations without a verdict', async () => {
    await using desk = await openDesk();
    const report = await desk.import(join(pack, 'tb2_tmax/trajectories'));
    expect(report.runs.map(({ name, imported }) => [name, imported])).toEqual([
      ['Qwen3.5-9B', 40],
      ['tmax-9b', 40],
    ]);
    const counts = report.runs.map(({ runId }) => {
      const nodes = nodesOf(desk, desk.store.rollouts.ofRun(runId));
      const answers = nodes.filter((node) => node.role === 'assistant');
      return [nodes.length, answers.length, answers.flatMap((node) => node.commands).length];
    });
    expect(counts).toEqual([
      [2856, 1390, 1369],
      [2526, 1224, 1223],
    ]);
    expect(new Set(report.runs.flatMap(({ runId }) => desk.verdicts(runId)).map((verdict) => verdict.state))).toEqual(
      new Set(['no_verdict']),
    );
  });
});

describe.skipIf(!hasPack)(`a broken record${packNote}`, () => {
  it('in the middle is told with file and line, and everything else is imported', async () => {
    await using desk = await openDesk();
    const job = join(await desk.unpack('tb2_tmax/harbor_jobs_raw', true), 'tmax-9b');
    const trials = (await readdir(job)).sort();
    const torn = join(job, trials[10] ?? '', 'agent', 'trajectory.json');
    const whole = readFileSync(torn);
    writeFileSync(torn, whole.subarray(0, whole.length / 2));
    const garbage = join(job, trials[20] ?? '', 'result.json');
    writeFileSync(garbage, '{"id": 1,\n"task_name": oops}');

    const report = await desk.import(job);
    expect(report.progress).toMatchObject({ records: 30, imported: 28, rejected: 2 });
    expect(report.issues).toEqual([
      { level: 'error', file: torn, line: expect.any(Number), message: expect.stringContaining('is not whole JSON') },
      { level: 'error', file: garbage, line: 2, message: expect.stringContaining('is not whole JSON') },
    ]);
    expect(report.issues[0]?.line).toBe(
      whole
        .subarray(0, whole.length / 2)
        .toString()
        .split('\n').length,
    );

    // Mended, the rest goes into the same run.
    writeFileSync(torn, whole);
    const again = await desk.import(job);
    expect(again.progress).toMatchObject({ imported: 1, known: 28, rejected: 1 });
    expect(again.runs.map(({ runId }) => runId)).toEqual(report.runs.map(({ runId }) => runId));
  });

  it('does not bring down an import that has nothing else', async () => {
    await using desk = await openDesk();
    mkdirSync(join(desk.folder, 'odd'));
    writeFileSync(
      join(desk.folder, 'odd', 'trajectory.json'),
      '{"schema_version": "ATIF-v1.7", "steps": [{"source": "ghost", "message": 1}]}',
    );
    const report = await desk.import(join(desk.folder, 'odd'));
    expect(report.progress).toMatchObject({ imported: 0, rejected: 1 });
    expect(report.issues[0]?.message).toContain('step 1 has no source');
    await expect(desk.import(join(desk.folder, 'nowhere'))).rejects.toMatchObject({ code: 'request.not_found' });
    mkdirSync(join(desk.folder, 'empty'));
    await expect(desk.import(join(desk.folder, 'empty'))).rejects.toMatchObject({ code: 'request.invalid' });
  });
});
