// What can be said of a run from its rows: how far it is, how long it will take, how its rollouts ended. Pure.
import type { Outcome, RolloutRow } from '../../../main/contract/schema/rollout.ts';
import type { RunRow } from '../../../main/contract/schema/run.ts';

type Counts = RunRow['counts'];

/** Rollouts that will not play again by themselves. */
export function endedCount(counts: Counts): number {
  return counts.finished + counts.errors + counts.cancelled + counts.interrupted;
}

export function isLive(run: Pick<RunRow, 'status'>): boolean {
  return run.status === 'running' || run.status === 'paused';
}

/** Whether `resume` would play anything. */
export function canResume(run: Pick<RunRow, 'status' | 'counts'>): boolean {
  if (run.status === 'paused') return true;
  return run.status !== 'running' && run.counts.total > run.counts.finished;
}

/**
 * Milliseconds until the run ends, from the rollouts that have: they took `busy` ms together, and `concurrency` play at once. Null
 * before anything has ended.
 */
export function timeLeft(run: Pick<RunRow, 'counts' | 'config'>, rollouts: readonly RolloutRow[]): number | null {
  let busy = 0;
  let ended = 0;
  for (const { startedAt, endedAt } of rollouts) {
    if (startedAt === null || endedAt === null) continue;
    busy += endedAt - startedAt;
    ended += 1;
  }
  if (ended === 0) return null;
  const left = run.counts.queued + run.counts.active / 2;
  return (left * (busy / ended)) / Math.min(run.config.concurrency, Math.max(1, left));
}

/** How the rollouts ended, most frequent first. */
export function outcomeCounts(rollouts: readonly RolloutRow[]): { outcome: Outcome; count: number }[] {
  const counts = new Map<Outcome, number>();
  for (const { outcome, verdictState } of rollouts) {
    if (outcome && verdictState === 'tests_ran') counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  return [...counts].map(([outcome, count]) => ({ outcome, count })).sort((one, other) => other.count - one.count);
}

/** Ended rollouts that say nothing about the agent, and why. */
export function excludedCount(rollouts: readonly RolloutRow[]): number {
  return rollouts.filter(({ endedAt, verdictState }) => endedAt !== null && verdictState !== 'tests_ran').length;
}

export function isActive(rollout: Pick<RolloutRow, 'status'>): boolean {
  return rollout.status === 'starting' || rollout.status === 'running' || rollout.status === 'verifying';
}

/** One cell of the matrix per task, agent and attempt. */
export interface Matrix {
  columns: { key: string; agent: string; attempt: number }[];
  rows: { taskId: string; taskName: string; cells: (RolloutRow | undefined)[]; solved: number; scored: number }[];
}

export function matrixOf(rollouts: readonly RolloutRow[]): Matrix {
  const columns = new Map<string, { key: string; agent: string; attempt: number }>();
  const tasks = new Map<string, { taskName: string; byColumn: Map<string, RolloutRow> }>();
  for (const rollout of rollouts) {
    const key = `${rollout.agent}/${rollout.attempt}`;
    columns.set(key, { key, agent: rollout.agent, attempt: rollout.attempt });
    const task = tasks.get(rollout.taskId) ?? { taskName: rollout.taskName, byColumn: new Map() };
    task.byColumn.set(key, rollout);
    tasks.set(rollout.taskId, task);
  }
  const ordered = [...columns.values()].sort((one, other) => one.agent.localeCompare(other.agent) || one.attempt - other.attempt);
  const rows = [...tasks].map(([taskId, { taskName, byColumn }]) => {
    const cells = ordered.map(({ key }) => byColumn.get(key));
    const scored = cells.filter((cell) => cell?.verdictState === 'tests_ran');
    return { taskId, taskName, cells, solved: scored.filter((cell) => cell?.outcome === 'solved').length, scored: scored.length };
  });
  rows.sort((one, other) => one.taskName.localeCompare(other.taskName, 'en', { numeric: true }));
  return { columns: ordered, rows };
}

/**
 * Which rollout each place of the terminal wall shows. A rollout keeps its place while it plays, and after its end until another needs
 * it, so that nothing jumps under the eye.
 */
export function assignPlaces(before: readonly string[], active: readonly string[], size: number): string[] {
  const playing = new Set(active);
  const places = before.slice(0, size);
  const waiting = active.filter((id) => !places.includes(id));
  for (const id of waiting) {
    if (places.length < size) {
      places.push(id);
      continue;
    }
    const free = places.findIndex((shown) => !playing.has(shown));
    if (free < 0) break;
    places[free] = id;
  }
  return places;
}
