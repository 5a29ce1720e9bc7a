// What was typed and not saved. One row a file; the newest text replaces the one before, so a journal of an afternoon is as small as its files.
import type { Db } from './db.ts';
import type { Draft, Store } from './store.ts';

export function openDrafts(db: Db): Store['drafts'] {
  return {
    list(folder) {
      return db.all<Draft>('SELECT path, text, base, at FROM draft WHERE folder = ? ORDER BY path', folder);
    },
    put(folder, { path, text, base }) {
      db.write((write) => {
        db.run('INSERT OR REPLACE INTO draft (folder, path, text, base, at) VALUES (?, ?, ?, ?, ?)', folder, path, text, base, write.at);
      });
    },
    remove(folder, path) {
      db.write(() => {
        db.run('DELETE FROM draft WHERE folder = ? AND path = ?', folder, path);
      });
    },
  };
}
