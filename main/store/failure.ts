// Turns what SQLite and the file system say about the data folder into the lab's own errors, by code and never by message text.
import Database from 'better-sqlite3';
import { AppError, messageOf } from '../lib/errors.ts';

const cannotWrite = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT']);
const full = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL']);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The `AppError` for a failed use of the data folder; an `AppError` passes through. `what` is the file or folder it was about. */
export function dataFailure(error: unknown, what: string): AppError {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  if (full.has(code)) {
    return new AppError('data.read_only', `${what} cannot be written: the disk or quota is full`, {
      hint: 'Free some space, then try again. What was stored before is intact.',
      retryable: true,
      cause: error,
    });
  }
  if (cannotWrite.has(code) || code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_CANTOPEN') || code === 'SQLITE_PERM') {
    return new AppError('data.read_only', `${what} cannot be written: ${messageOf(error)}`, {
      hint: 'Give this user write permission on the folder, or choose another one (--data or TERMARIUM_HOME).',
      cause: error,
    });
  }
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    return new AppError('data.read_only', `${what} cannot be used: a file lies where a folder is needed`, {
      hint: 'Choose another data folder (--data or TERMARIUM_HOME), or move that file away.',
      cause: error,
    });
  }
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return new AppError('data.corrupt', `${what} is damaged or not a database: ${messageOf(error)}`, {
      hint: 'Move it away and put back a copy (the folder "backups" beside it holds those made before an update), or start with a new data folder.',
      cause: error,
    });
  }
  if (code.startsWith('SQLITE_BUSY') || code === 'SQLITE_LOCKED') {
    return new AppError('data.locked', `${what} is being written by another process`, {
      hint: 'Close the other program that uses this data folder, or choose another folder (--data or TERMARIUM_HOME).',
      retryable: true,
      cause: error,
    });
  }
  return new AppError('internal', `${what}: ${messageOf(error)}`, { cause: error });
}

/** True for an error that SQLite itself raised. */
export function isSqliteError(error: unknown): boolean {
  return error instanceof Database.SqliteError;
}
