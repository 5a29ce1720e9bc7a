// The text index over instructions, commands and outputs. It keeps words and owners, not the texts; those are read where they lie.
import type { Db, Write } from './db.ts';
import type { SearchHit, SearchKind } from './store.ts';
import { cutText } from './text.ts';

/** Bytes of one text that are indexed: what a reader would look for stands in the first screens, not in megabytes of log. */
const indexedBytes = 64 * 1024;

/** Adds a text to the index, in the transaction that stores it. */
export function addToIndex(db: Db, write: Write, entry: { kind: SearchKind; owner: string; index?: number }, text: string): void {
  if (text.trim() === '') return;
  const id = write.next();
  db.run('INSERT INTO search_entry (id, kind, owner, idx) VALUES (?, ?, ?, ?)', id, entry.kind, entry.owner, entry.index ?? null);
  db.run('INSERT INTO search (rowid, body) VALUES (?, ?)', id, cutText(text, indexedBytes));
}

export function removeFromIndex(db: Db, owner: string): void {
  db.run('DELETE FROM search WHERE rowid IN (SELECT id FROM search_entry WHERE owner = ?)', owner);
  db.run('DELETE FROM search_entry WHERE owner = ?', owner);
}

/** Texts that hold every word of `query`; the last word may be the beginning of one. Nothing in `query` is an operator. */
export function findText(db: Db, query: string, options: { kind?: SearchKind; limit?: number } = {}): SearchHit[] {
  const words = query.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (words.length === 0) return [];
  const match = `${words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' ')}*`;
  const kinds = options.kind ? [options.kind] : [];
  return db.all<SearchHit>(
    `SELECT kind, owner, idx AS "index" FROM search JOIN search_entry ON search_entry.id = search.rowid
     WHERE search MATCH ? ${options.kind ? 'AND kind = ?' : ''} ORDER BY rank LIMIT ?`,
    match,
    ...kinds,
    options.limit ?? 50,
  );
}
