// Follows a run to its end through the same watches that the page uses.
import type { RolloutRow } from '../contract/schema/rollout.ts';
import type { RunRow } from '../contract/schema/run.ts';
import type { LabClient } from '../transport/memory.ts';
import { type OutputMode, printJson, progressBar, rolloutLine } from './print.ts';

const ENDED = new Set<RolloutRow['status']>(['finished', 'error', 'cancelled', 'interrupted']);

/** Resolves when the run is no longer active. Prints a line per ended rollout as JSON, or moves a progress bar. */
export async function followRun(
  client: LabClient,
  runId: string,
  mode: OutputMode,
  signal: AbortSignal,
): Promise<{ run: RunRow; rollouts: RolloutRow[] }> {
  let { run, cursor } = await client.runs.watchOne({ runId }, { signal });
  const bar = progressBar(run.counts.total, mode);
  const printed = new Set<string>();
  const rows = new Map<string, RolloutRow>();
  let after: number | undefined;
  const readRows = async () => {
    for (;;) {
      const answer = await client.rollouts.watch(after === undefined ? { runId } : { runId, after }, { signal });
      after = answer.cursor;
      for (const row of answer.rows) {
        rows.set(row.id, row);
        if (ENDED.has(row.status) && !printed.has(row.id)) {
          printed.add(row.id);
          if (mode.json) printJson(rolloutLine(row));
        }
      }
      if (!answer.more) return;
    }
  };
  try {
    while (run.status === 'running' || run.status === 'paused') {
      bar.update(run);
      if (after === undefined || run.counts.finished + run.counts.errors + run.counts.cancelled > printed.size) await readRows();
      ({ run, cursor } = await client.runs.watchOne({ runId, after: cursor }, { signal }));
    }
    bar.update(run);
  } finally {
    bar.stop();
  }
  after = undefined;
  await readRows();
  return { run, rollouts: [...rows.values()] };
}
