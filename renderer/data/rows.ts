// Rows of one watch, in a steady order. Made for 100,000 rows: a change copies one array and nothing else.
import type { ErrorData } from '../../main/contract/errors.ts';
import { labError, type RowsAnswer, type RowsChange, watchRows } from '../client/index.ts';
import { createFeed, type Feed } from './feed.ts';

export interface Rows<Row> {
  list: readonly Row[];
  /** False until the first answer. */
  loaded: boolean;
  error: ErrorData | null;
}

type Identified = { id: string; rev: number };

/**
 * A holder of rows that applies changes. `places` is kept between changes; only the list is copied. With `order`, rows are kept in that
 * order, which must not depend on anything that changes; without, in the order in which they first appeared.
 */
export function createRowHolder<Row extends Identified>(order?: (one: Row, other: Row) => number) {
  let list: Row[] = [];
  const places = new Map<string, number>();
  const reindex = () => {
    places.clear();
    for (const [place, row] of list.entries()) places.set(row.id, place);
  };
  return {
    apply(change: RowsChange<Row>): readonly Row[] {
      list = change.kind === 'all' ? [] : list.slice();
      if (change.kind === 'all') places.clear();
      let misplaced = false;
      for (const row of change.rows) {
        const place = places.get(row.id);
        if (place === undefined) {
          places.set(row.id, list.length);
          const last = list.at(-1);
          if (order && last && order(last, row) > 0) misplaced = true;
          list.push(row);
        } else {
          list[place] = row;
        }
      }
      if (change.removed.length > 0) {
        const gone = new Set(change.removed);
        list = list.filter((row) => !gone.has(row.id));
        reindex();
      }
      if (order && misplaced) {
        list.sort(order);
        reindex();
      }
      return list;
    },
  };
}

/** Time between two renderings of a list, in ms: a long one costs more and arrives in many answers, one right after the other. */
function restAfter(rows: number): number {
  return Math.max(50, Math.min(200, rows / 250));
}

/** Calls `act` at once, then rests for as long as `rest` says, and goes on with the latest value that came meanwhile. */
function withRests<Value>(rest: (value: Value) => number, signal: AbortSignal, act: (value: Value) => void): (value: Value) => void {
  let next: { value: Value } | null = null;
  let resting = false;
  const begin = (shown: Value) => {
    act(shown);
    resting = true;
    setTimeout(() => {
      resting = false;
      if (!next || signal.aborted) return;
      const { value } = next;
      next = null;
      begin(value);
    }, rest(shown));
  };
  return (value) => {
    if (resting) next = { value };
    else begin(value);
  };
}

/** A feed of the rows that `call` watches. */
export function rowsFeed<Row extends Identified>(
  call: (input: { after?: number }, options: { signal: AbortSignal }) => Promise<RowsAnswer<Row>>,
  options: { order?: (one: NoInfer<Row>, other: NoInfer<Row>) => number; onIdle?: () => void } = {},
): Feed<Rows<Row>> {
  return createFeed<Rows<Row>>(
    { list: [], loaded: false, error: null },
    (store, signal) => {
      const holder = createRowHolder<Row>(options.order);
      const show = withRests(
        (list: readonly Row[]) => restAfter(list.length),
        signal,
        (list: readonly Row[]) => store.setState({ list, loaded: true, error: null }),
      );
      void watchRows(
        call,
        (change) => show(holder.apply(change)),
        signal,
        (error) => store.setState({ error: labError(error) }),
      );
    },
    options,
  );
}
