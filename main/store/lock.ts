// One backend owns a data folder. Ownership is a lock that the kernel holds for the process and drops when it dies, however it dies;
// the note beside it says who the owner is and where it listens.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import * as z from 'zod';
import { AppError } from '../lib/errors.ts';
import { makeFolder } from '../lib/folder.ts';
import { dataFailure } from './failure.ts';

const ownerForm = z.object({
  pid: z.int(),
  host: z.string(),
  /** Where the owner listens and what opens its door; null before it does, and for one that opens no port. */
  url: z.string().nullable(),
  token: z.string().nullable(),
  /** Milliseconds since the epoch. */
  since: z.int(),
});
export type LockOwner = z.infer<typeof ownerForm>;

export interface FolderLock extends Disposable {
  /** Tells other programs of this user where this backend listens, once it does. */
  update(door: { url: string; token: string | null }): void;
}

// The lock is SQLite's own, on a file that holds nothing: the kernel releases it with the process, so after kill -9 there is no stale
// file to judge by pid and start time, and no moment at which two starters both take it over. proper-lockfile goes by file age instead:
// it leaves a killed lab's folder closed for ten seconds, and gives away that of a lab whose machine slept.
const lockFile = (folder: string) => join(folder, 'lab.lock');
const noteFile = (folder: string) => join(folder, 'lab.owner.json');

/** Readers look at the lock for an instant; a starter waits that long for them before it calls the folder taken. */
const readersMs = 250;

/**
 * Takes the folder for this process until the lock is disposed or the process ends. Throws `data.locked` naming the owner where another
 * process (or this one) has it, and `data.read_only` where the folder cannot be written.
 */
export function acquireLock(folder: string, owner: { pid?: number; url?: string | null; token?: string | null } = {}): FolderLock {
  let held: Database.Database | undefined;
  try {
    makeFolder(folder);
    held = new Database(lockFile(folder), { timeout: readersMs });
    held.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    held?.close();
    const failure = dataFailure(error, lockFile(folder));
    throw failure.code === 'data.locked' ? taken(folder, readNote(folder), error) : failure;
  }
  const lock = held;
  const { pid = process.pid, url = null, token = null } = owner;
  const note = { pid, host: hostname(), url, token, since: Date.now() };
  const write = (now: LockOwner) => {
    try {
      writeNote(folder, now);
    } catch (error) {
      throw dataFailure(error, noteFile(folder));
    }
  };
  try {
    write(note);
  } catch (error) {
    lock.close();
    throw error;
  }
  return {
    update: (door) => write({ ...note, ...door }),
    [Symbol.dispose]() {
      if (!lock.open) return;
      // The note goes first: once the lock is free it may already be the next owner's.
      rmSync(noteFile(folder), { force: true });
      lock.close();
    },
  };
}

/** Who owns the folder now; null where nobody does (a note that a killed owner left does not count). */
export function readLock(folder: string): LockOwner | null {
  return isHeld(folder) ? readNote(folder) : null;
}

function isHeld(folder: string): boolean {
  if (!existsSync(lockFile(folder))) return false;
  let probe: Database.Database | undefined;
  try {
    probe = new Database(lockFile(folder), { readonly: true, fileMustExist: true, timeout: 0 });
    probe.pragma('schema_version');
    return false;
  } catch (error) {
    const failure = dataFailure(error, lockFile(folder));
    if (failure.code === 'data.locked') return true;
    // No such file (or none that may be opened): nobody can have locked it.
    if (failure.code === 'data.read_only') return false;
    throw failure;
  } finally {
    probe?.close();
  }
}

function readNote(folder: string): LockOwner | null {
  try {
    const read = ownerForm.safeParse(JSON.parse(readFileSync(noteFile(folder), 'utf8')));
    return read.success ? read.data : null;
  } catch {
    return null; // the owner has just taken the lock and not written its note, or has just removed it
  }
}

function writeNote(folder: string, owner: LockOwner): void {
  const draft = `${noteFile(folder)}.new`;
  rmSync(draft, { force: true }); // `mode` holds for a new file only, and the note may carry a token
  writeFileSync(draft, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
  renameSync(draft, noteFile(folder));
}

function taken(folder: string, owner: LockOwner | null, cause: unknown): AppError {
  const who = owner ? `process ${owner.pid} on ${owner.host}${owner.url === null ? '' : `, listening at ${owner.url}`}` : 'another process';
  return new AppError('data.locked', `the data folder ${folder} is in use by ${who}`, {
    hint: 'Use that Termarium, or close it first; or choose another data folder (--data or TERMARIUM_HOME).',
    retryable: true,
    cause,
  });
}
