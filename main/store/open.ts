// Opens the store of a data folder: the file, its schema, and the parts that the rest of the backend asks of it (store.ts).
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { makeFolder } from '../lib/folder.ts';
import { openBlobs } from './blobs.ts';
import { Db, type StoreLog } from './db.ts';
import { openDrafts } from './drafts.ts';
import { dataFailure } from './failure.ts';
import { openImports } from './imports.ts';
import { migrate, refuseForeign } from './migrate.ts';
import { openNodes } from './nodes.ts';
import { openRollouts } from './rollouts.ts';
import { openRuns } from './runs.ts';
import { findText } from './search.ts';
import type { LabEvent, Store } from './store.ts';
import { openTasks } from './tasks.ts';

/** A write waits this long for one of another process (a backup program, a curious user's sqlite3) before it gives up. */
const busyMs = 2000;

/**
 * Opens (or makes) the store in `folder`: `lab.sqlite` and `blobs/`. Whoever opens it for long holds the folder's lock (lock.ts).
 * Throws `data.newer`, `data.read_only`, `data.corrupt` or `data.locked`; a file that it cannot use is left as it is.
 */
export function openStore(folder: string, options: { log?: StoreLog; busyMs?: number } = {}): Store {
  const file = join(folder, 'lab.sqlite');
  const connection = connect(folder, file, options.busyMs ?? busyMs);
  try {
    migrate(connection, folder);
    // SQLite opens a file that it may not write without a word, for reading; better to hear of it now than at the first fact.
    accessSync(file, constants.W_OK);
    return compose(folder, new Db(connection, options.log));
  } catch (error) {
    connection.close();
    throw dataFailure(error, file);
  }
}

function connect(folder: string, file: string, timeout: number): Database.Database {
  try {
    makeFolder(folder);
  } catch (error) {
    throw dataFailure(error, folder);
  }
  let connection: Database.Database | undefined;
  try {
    connection = new Database(file, { timeout });
    // Before anything is set: a file that is no database, not ours or newer must stay as it is.
    refuseForeign(connection);
    connection.pragma('foreign_keys = ON');
    connection.pragma('journal_mode = WAL');
    // In WAL mode a crash of the program loses nothing; a power cut may lose the last transactions, never half of one.
    connection.pragma('synchronous = NORMAL');
    // Checkpoints of 16 MB instead of 4: rows of a live run are written again and again, and reach the database file once each time.
    connection.pragma('wal_autocheckpoint = 4000');
    return connection;
  } catch (error) {
    connection?.close();
    throw dataFailure(error, file);
  }
}

function compose(folder: string, db: Db): Store {
  const blobs = openBlobs(join(folder, 'blobs'), db);
  const nodes = openNodes(db, blobs);
  const { rollouts, markInterrupted } = openRollouts(db, blobs, nodes);
  return {
    folder,
    get rev() {
      return db.rev;
    },
    wait: (tables, rev, signal, options) => db.parking.wait(tables, rev, signal, options),
    tasks: openTasks(db),
    drafts: openDrafts(db),
    runs: openRuns(db),
    rollouts,
    imports: openImports(db, blobs),
    nodes: nodes.nodes,
    events: openEvents(db),
    blobs,
    settings: openSettings(db),
    search: (query, options) => findText(db, query, options),
    markInterrupted,
    [Symbol.dispose]: () => db[Symbol.dispose](),
  };
}

function openEvents(db: Db): Store['events'] {
  const select = 'SELECT id, rollout_id AS rolloutId, kind, data, at FROM event WHERE rollout_id = ?';
  const rows = (query: string, ...values: (string | number)[]): LabEvent[] =>
    db.all<Omit<LabEvent, 'data'> & { data: string }>(query, ...values).map((event) => ({ ...event, data: JSON.parse(event.data) }));
  return {
    append(rolloutId, kind, data) {
      db.write((write) => write.event(rolloutId, kind, data));
    },
    read(rolloutId, after = 0, limit = 500) {
      return rows(`${select} AND id > ? ORDER BY id LIMIT ?`, rolloutId, after, limit);
    },
    ofKinds(rolloutId, kinds) {
      return rows(`${select} AND kind IN (SELECT value FROM json_each(?)) ORDER BY id`, rolloutId, JSON.stringify(kinds));
    },
  };
}

function openSettings(db: Db): Store['settings'] {
  return {
    get(key) {
      const value = db.value<string>('SELECT value FROM setting WHERE key = ?', key);
      return value === undefined ? undefined : JSON.parse(value);
    },
    put(key, value) {
      db.write((write) => {
        db.run('INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)', key, JSON.stringify(value ?? null));
        write.event(null, 'setting', { key });
      });
    },
  };
}
