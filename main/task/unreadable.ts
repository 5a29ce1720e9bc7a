// A task that cannot be read: what is told of it, and how it stays listed so that it can be mended where it was broken.
import { basename, isAbsolute, relative } from 'node:path';
import type { ConfigIssue, TaskRow } from '../contract/schema/task.ts';
import type { AppError } from '../lib/errors.ts';
import { contentDigest, wholeDigest } from './digest.ts';

/** An error of the reader as an issue, its file relative to the task in `folder`. */
export function issueOf(folder: string, error: AppError): ConfigIssue {
  const { file, ...place } = placeOf(error, '');
  const below = isAbsolute(file) ? relative(folder, file) : file;
  const message = error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
  return { level: 'error', message, file: below === '' ? '.' : below, ...place };
}

/** The same where tasks of several folders are told of: with the task's name, and its file's whole path. */
export function rejectionOf(folder: string, error: AppError): ConfigIssue {
  const hint = error.hint === undefined ? '' : ` ${error.hint}`;
  return { level: 'error', message: `${basename(folder)}: ${error.message}.${hint}`, ...placeOf(error, folder) };
}

/** `where` of an error, which is `file` or `file:line`. */
function placeOf({ where }: AppError, otherwise: string): { file: string; line?: number } {
  const [, file = otherwise, line] = /^(.*?)(?::(\d+))?$/.exec(where ?? otherwise) ?? [];
  return { file, ...(line === undefined ? {} : { line: Number(line) }) };
}

/** A task that was read before, as it is listed now: as it was, with the reason as its first issue and without the results of its gates. */
export async function unreadableRow(
  row: TaskRow,
  error: AppError,
  signal?: AbortSignal,
): Promise<Omit<TaskRow, 'id' | 'setId' | 'rev' | 'gates'>> {
  const digest = await (row.format === 'harbor' ? contentDigest : wholeDigest)(row.path, signal);
  const { id: _id, setId: _setId, rev: _rev, gates: _gates, ...known } = row;
  return { ...known, digest, issues: [issueOf(row.path, error)] };
}
