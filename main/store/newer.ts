// The one read behind every row watch: rows and removals newer than a cursor, a page at a time.
import type { Db } from './db.ts';
import type { RowsRead, Table } from './store.ts';

/** Rows an answer holds where the caller does not say. */
const pageRows = 500;

/** Bytes after which an answer ends early, so that one read stays quick whatever the rows hold. */
const pageBytes = 4 * 1024 * 1024;

interface Query<Row> {
  table: Table;
  /** Columns, already named as in the contract; `rev` and `seq` are added. */
  columns: string;
  /** Restriction to one set, run or rollout, by this column. */
  scope?: { column: string; id: string } | undefined;
  after: number | undefined;
  limit?: number | undefined;
  /** Bytes that the row will take in the answer, where rows can be heavy. */
  weigh?: (row: Row) => number;
}

/** What `readNewer` gives before the rows are made into their contract shape. */
export type RawRead<Row> = RowsRead<Row & { seq: number; rev: number }>;

/**
 * Pages are cut in order of revision, so that a cursor never skips a row; within an answer rows stand in the order they were added.
 * Without a cursor, or with one that this store has not reached (of another database, or from before a restored backup), the answer starts over as `all`.
 */
export function readNewer<Row>(db: Db, query: Query<Row>): RawRead<Row> {
  const { table, scope } = query;
  const limit = query.limit ?? pageRows;
  const fresh = query.after === undefined || query.after > db.rev;
  const after = fresh ? 0 : (query.after ?? 0);
  const where = scope ? `${scope.column} = ? AND ` : '';
  const ids = scope ? [scope.id] : [];

  const rows = db.all<Row & { seq: number; rev: number }>(
    `SELECT seq, rev, ${query.columns} FROM ${table} WHERE ${where}rev > ? ORDER BY rev LIMIT ?`,
    ...ids,
    after,
    limit + 1,
  );
  const removed = fresh
    ? []
    : db.all<{ id: string; rev: number }>(
        `SELECT id, rev FROM tombstone WHERE tab = ? AND ${scope ? 'scope = ? AND ' : ''}rev > ? ORDER BY rev LIMIT ?`,
        table,
        ...ids,
        after,
        limit + 1,
      );

  // Both lists are in order of revision: the page ends where together they fill it.
  const weigh = query.weigh ?? (() => 0);
  const found = [...rows.map((row) => ({ rev: row.rev, bytes: weigh(row) })), ...removed.map(({ rev }) => ({ rev, bytes: 0 }))];
  found.sort((a, b) => a.rev - b.rev);
  let bytes = 0;
  const over = found.findIndex((entry, index) => {
    bytes += entry.bytes;
    return index >= limit || (index > 0 && bytes > pageBytes);
  });
  const cursor = found[over - 1]?.rev ?? db.rev;
  return {
    kind: fresh ? 'all' : 'changed',
    rows: rows.filter((row) => row.rev <= cursor).sort((a, b) => a.seq - b.seq),
    removed: removed.filter((entry) => entry.rev <= cursor).map((entry) => entry.id),
    cursor,
    more: over > 0,
  };
}
