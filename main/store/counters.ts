// What one rollout adds to the counters of its run. Pure: a write adds the difference between after and before.
import type { RolloutRow } from '../contract/schema/rollout.ts';

export interface Counters {
  queued: number;
  active: number;
  finished: number;
  errors: number;
  cancelled: number;
  interrupted: number;
  /** Ended rollouts whose tests ran. */
  verdicts: number;
  /** Those of them with reward 1 or more. */
  passed: number;
}

type Counted = Pick<RolloutRow, 'status' | 'verdictState' | 'reward'>;

const column = {
  queued: 'queued',
  starting: 'active',
  running: 'active',
  verifying: 'active',
  finished: 'finished',
  error: 'errors',
  cancelled: 'cancelled',
  interrupted: 'interrupted',
} as const satisfies Record<RolloutRow['status'], keyof Counters>;

/**
 * A rollout counts under its status. Only one that has ended, and whose tests ran, is evidence about the agent; it has passed where its
 * reward is 1 or more. A reward of any other origin never makes a pass.
 */
export function countersOf(rollout: Counted): Counters {
  const counters: Counters = { queued: 0, active: 0, finished: 0, errors: 0, cancelled: 0, interrupted: 0, verdicts: 0, passed: 0 };
  counters[column[rollout.status]] = 1;
  const ended = rollout.status === 'finished' || rollout.status === 'error';
  if (ended && rollout.verdictState === 'tests_ran') {
    counters.verdicts = 1;
    counters.passed = rollout.reward !== null && rollout.reward >= 1 ? 1 : 0;
  }
  return counters;
}

/** What the run's counters change by, or null where they do not. */
export function difference(before: Counted, after: Counted): Counters | null {
  const from = countersOf(before);
  const to = countersOf(after);
  const change: Counters = {
    queued: to.queued - from.queued,
    active: to.active - from.active,
    finished: to.finished - from.finished,
    errors: to.errors - from.errors,
    cancelled: to.cancelled - from.cancelled,
    interrupted: to.interrupted - from.interrupted,
    verdicts: to.verdicts - from.verdicts,
    passed: to.passed - from.passed,
  };
  return Object.values(change).some((n) => n !== 0) ? change : null;
}
