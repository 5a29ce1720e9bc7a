// How a parked watch answers: at once on the first call, else when something newer is committed.
import { delay } from '../lib/abort.ts';
import type { RowsRead, Store, Table } from '../store/store.ts';

/** A parked call answers at least this often, so that connections that died quietly are noticed. */
export const PARK_MS = 25_000;

/** The same client is answered at most every so many ms: changes in between coalesce into one answer. */
const BETWEEN_ANSWERS_MS = 50;

/** Reads rows newer than `after`, parking until there are some. Aborts with the call. */
export async function watchRows<T>(
  store: Store,
  tables: Table[],
  read: (after: number | undefined) => RowsRead<T>,
  after: number | undefined,
  signal: AbortSignal,
  scope?: string,
): Promise<RowsRead<T>> {
  if (after === undefined) return read(undefined);
  const arrived = performance.now();
  let answer = read(after);
  if (answer.kind === 'changed' && answer.rows.length === 0 && answer.removed.length === 0) {
    await store.wait(tables, after, signal, { maxMs: PARK_MS, ...(scope === undefined ? {} : { scope }) });
    answer = read(after);
  }
  if (!answer.more) {
    const early = BETWEEN_ANSWERS_MS - (performance.now() - arrived);
    if (early > 0) {
      await delay(early, signal);
      answer = read(after);
    }
  }
  return answer;
}

/** As `watchRows` for one row: parks until `changed(after)` says that there is something newer, or the park time is over. */
export async function watchOne(
  store: Store,
  tables: Table[],
  after: number | undefined,
  rev: () => number,
  signal: AbortSignal,
  scope: string,
): Promise<void> {
  if (after === undefined || rev() > after) return;
  const arrived = performance.now();
  await store.wait(tables, after, signal, { maxMs: PARK_MS, scope });
  const early = BETWEEN_ANSWERS_MS - (performance.now() - arrived);
  if (early > 0) await delay(early, signal);
}
