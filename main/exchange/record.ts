// A record of an input: something that becomes one rollout. Its content hash is known before it is read, so that a record which is already
// there costs no reading.
import { createHash } from 'node:crypto';
import type { ConfigIssue } from '../contract/schema/task.ts';
import { AppError, messageOf } from '../lib/errors.ts';
import type { Trial } from './trial.ts';

export interface ImportRecord {
  kind: 'record';
  hash: string;
  /** File or folder of the record. */
  file: string;
  line: number | null;
  bytes: number;
  /** Records of one group make one run: name and path of the folder or file that they share. */
  group: Group;
  /** Throws `request.invalid` for a broken record. */
  read(): Trial;
}

export interface Group {
  name: string;
  path: string;
  /** Which of the runs of one file it is, where that holds several. */
  part?: string;
}

/** What a source of records gives: records, remarks on them, and files that hold none. */
export type Found =
  | ImportRecord
  | { kind: 'issue'; issue: ConfigIssue; bytes: number }
  /** A file of a folder that is none of the kinds the lab reads. */
  | { kind: 'other'; file: string };

/** SHA-256 of a record's content. `format` keeps apart what two readers make of the same bytes. */
export function hashOf(format: string, content: string | Uint8Array): string {
  return createHash('sha256').update(`${format}\0`).update(content).digest('hex');
}

/** The issue that tells of a failed record. Whatever a reader throws is about the input: a record must never stop the others. */
export function issueOf(error: unknown, file: string, line: number | null): ConfigIssue {
  const where = error instanceof AppError ? /^(.*):(\d+)$/s.exec(error.where ?? '') : null;
  const message = error instanceof AppError ? error.message : `cannot be read: ${messageOf(error)}`;
  const at = where ? Number(where[2]) : line;
  return { level: 'error', message: message.slice(0, 1000), file: where?.[1] ?? file, ...(at === null ? {} : { line: at }) };
}
