// Brings a database file to the schema of this version: numbered steps, each in its own transaction, a backup before the first one that
// changes an existing file. `user_version` says how far a file is; `application_id` says that it is ours.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { AppError } from '../lib/errors.ts';
import { foundation } from './migrations/0001_foundation.ts';
import { drafts } from './migrations/0002_drafts.ts';
import { origins } from './migrations/0003_origins.ts';
import { smallBlobs } from './migrations/0004_small_blobs.ts';

export interface Migration {
  name: string;
  sql: string;
}

/** In order; the position of a migration, from 1, is the `user_version` that it leads to. */
const migrations: readonly Migration[] = [
  { name: 'foundation', sql: foundation },
  { name: 'drafts', sql: drafts },
  { name: 'origins', sql: origins },
  { name: 'small blobs', sql: smallBlobs },
];

/** "TERM" in ASCII, in the field that SQLite keeps for telling file types apart. */
const applicationId = 0x5445524d;

/** Throws `data.newer` or `data.corrupt` where the file is of a later version or not ours. Reads only. */
export function refuseForeign(db: Database.Database, steps: readonly Migration[] = migrations): void {
  const version = versionOf(db);
  const empty = Number(db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()) === 0;
  if (!empty && Number(db.pragma('application_id', { simple: true })) !== applicationId) {
    throw new AppError('data.corrupt', `${db.name} is a database of another program`, {
      hint: 'Choose another data folder (--data or TERMARIUM_HOME), or move that file away.',
    });
  }
  if (version > steps.length) {
    const versions = `schema ${version}, this version knows ${steps.length}`;
    throw new AppError('data.newer', `${db.name} was written by a newer version of Termarium (${versions})`, {
      hint: 'Update Termarium, or choose another data folder (--data or TERMARIUM_HOME). Nothing was changed.',
    });
  }
}

/** Runs the steps that this file lacks. Answers the path of the backup it made, or null where none was needed. */
export function migrate(
  db: Database.Database,
  folder: string,
  steps: readonly Migration[] = migrations,
  now: () => number = Date.now,
): string | null {
  const version = versionOf(db);
  const backup = version > 0 && version < steps.length ? backUp(db, folder, version, now()) : null;
  steps.forEach((step, index) => {
    if (index < version) return;
    db.transaction(() => {
      db.exec(step.sql);
      db.pragma(`application_id = ${applicationId}`);
      db.pragma(`user_version = ${index + 1}`);
    }).immediate();
  });
  return backup;
}

function versionOf(db: Database.Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}

function backUp(db: Database.Database, folder: string, version: number, now: number): string {
  mkdirSync(join(folder, 'backups'), { recursive: true });
  const stamp = new Date(now).toISOString().replaceAll(/[:.]/g, '-');
  const path = join(folder, 'backups', `lab-schema-${version}-${stamp}.sqlite`);
  db.prepare('VACUUM INTO ?').run(path);
  return path;
}
