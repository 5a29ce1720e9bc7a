import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runConfig } from '../../../main/contract/schema/config.ts';
import type { RolloutRow } from '../../../main/contract/schema/rollout.ts';
import { assignPlaces, excludedCount, matrixOf, outcomeCounts, timeLeft } from './progress.ts';

const rollout = (change: Partial<RolloutRow>): RolloutRow => ({
  id: 'r1',
  runId: 'run',
  taskId: 't1',
  taskName: 'sort-logs',
  taskDigest: '',
  attempt: 1,
  agent: 'terminus',
  model: null,
  status: 'finished',
  outcome: 'solved',
  verdictState: 'tests_ran',
  reward: 1,
  error: null,
  turns: 3,
  promptTokens: 0,
  completionTokens: 0,
  timings: {},
  queuedAt: 0,
  startedAt: 0,
  endedAt: 10_000,
  rev: 1,
  ...change,
});

describe('the terminal wall', () => {
  it('keeps a rollout where it is until its place is needed', () => {
    const first = assignPlaces([], ['a', 'b'], 2);
    expect(first).toEqual(['a', 'b']);
    expect(assignPlaces(first, ['b'], 2)).toEqual(['a', 'b']);
    expect(assignPlaces(first, ['b', 'c'], 2)).toEqual(['c', 'b']);
  });

  it('never moves or doubles a playing rollout, whatever happens', () => {
    void fc.assert(
      fc.property(fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 20 }).map(String), { maxLength: 12 })), (steps) => {
        let places: string[] = [];
        for (const active of steps) {
          const next = assignPlaces(places, active, 8);
          expect(new Set(next).size).toBe(next.length);
          expect(next.length).toBeLessThanOrEqual(8);
          for (const [place, id] of places.entries()) if (active.includes(id)) expect(next[place]).toBe(id);
          expect(next.filter((id) => active.includes(id)).length).toBe(Math.min(8, active.length));
          places = next;
        }
      }),
    );
  });
});

describe('a run from its rows', () => {
  it('counts what is evidence apart from what is excluded', () => {
    const rows = [
      rollout({}),
      rollout({ outcome: 'unsolved' }),
      rollout({ outcome: 'unsolved' }),
      rollout({ outcome: 'solved', verdictState: 'no_verdict' }),
    ];
    expect(outcomeCounts(rows)).toEqual([
      { outcome: 'unsolved', count: 2 },
      { outcome: 'solved', count: 1 },
    ]);
    expect(excludedCount(rows)).toBe(1);
  });

  it('estimates the rest from what has ended', () => {
    const config = runConfig.parse({ tasks: ['demo'], concurrency: 2 });
    const counts = { total: 12, queued: 8, active: 2, finished: 2, errors: 0, cancelled: 0, interrupted: 0 };
    expect(timeLeft({ counts, config }, [])).toBeNull();
    expect(timeLeft({ counts, config }, [rollout({}), rollout({ id: 'r2' })])).toBe(45_000);
  });

  it('lays tasks against attempts', () => {
    const matrix = matrixOf([
      rollout({ id: '1', attempt: 2, outcome: 'unsolved' }),
      rollout({ id: '2', attempt: 1 }),
      rollout({ id: '3', taskId: 't2', taskName: 'a-task', agent: 'nop', outcome: 'unsolved' }),
    ]);
    expect(matrix.columns.map((column) => column.key)).toEqual(['nop/1', 'terminus/1', 'terminus/2']);
    expect(matrix.rows.map((row) => [row.taskName, row.cells.map((cell) => cell?.id), row.solved, row.scored])).toEqual([
      ['a-task', ['3', undefined, undefined], 0, 1],
      ['sort-logs', [undefined, '2', '1'], 1, 2],
    ]);
  });
});
