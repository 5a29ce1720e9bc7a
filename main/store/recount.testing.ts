// For tests: a run's counts and rates by plain counting of its rollouts, written apart from counters.ts so that the two can disagree.
import type { RolloutRow } from '../contract/schema/rollout.ts';
import type { RunRow } from '../contract/schema/run.ts';
import { rateOf } from '../lib/wilson.ts';

export function recount(rows: readonly RolloutRow[]): Pick<RunRow, 'counts' | 'overAll' | 'overVerdict'> {
  const having = (...statuses: RolloutRow['status'][]) => rows.filter((row) => statuses.includes(row.status));
  const ended = having('finished', 'error');
  const judged = ended.filter((row) => row.verdictState === 'tests_ran');
  const passed = judged.filter((row) => (row.reward ?? 0) >= 1).length;
  return {
    counts: {
      total: rows.length,
      queued: having('queued').length,
      active: having('starting', 'running', 'verifying').length,
      finished: having('finished').length,
      errors: having('error').length,
      cancelled: having('cancelled').length,
      interrupted: having('interrupted').length,
    },
    overAll: rateOf(passed, ended.length),
    overVerdict: rateOf(passed, judged.length),
  };
}
