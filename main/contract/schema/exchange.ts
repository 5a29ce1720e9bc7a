// What flows in from and out to other programs.
import * as z from 'zod';
import { configIssue } from './task.ts';

/** What a record was read from. */
export const importFormat = z.enum(['harbor', 'atif', 'chat', 'tb1', 'endless', 'seed', 'rows', 'skyrl', 'trials']);
export type ImportFormat = z.infer<typeof importFormat>;

/** Where an imported rollout comes from. */
export const rolloutOrigin = z.object({
  format: importFormat,
  /** As it was found: file or folder of the trial. */
  file: z.string(),
  /** Line (JSON lines) or row (tables) of the record, from 1; null where the file is the record. */
  line: z.number().int().nullable(),
  /** SHA-256 of the record's content: the same record is never imported twice. */
  hash: z.string(),
  at: z.number().int(),
});
export type RolloutOrigin = z.infer<typeof rolloutOrigin>;

/** Where an imported run comes from. `source` tells apart what belongs to one run: the id of a Harbor job, else a path. */
export const runOrigin = z.object({ format: importFormat, path: z.string(), source: z.string() });
export type RunOrigin = z.infer<typeof runOrigin>;

export const importProgress = z.object({
  /** Records that were looked at, and the bytes that they had. */
  records: z.number().int(),
  bytes: z.number().int(),
  imported: z.number().int(),
  /** Records that were imported before. */
  known: z.number().int(),
  /** Records that could not be read; `issues` says which. */
  rejected: z.number().int(),
  /** Files of a folder that are no records of any kind the lab reads. */
  passedOver: z.number().int(),
});

export const importReport = z.object({
  progress: importProgress,
  /** Runs that now hold the records, in the order they were met. */
  runs: z.array(z.object({ runId: z.string(), name: z.string(), imported: z.number().int() })),
  /** Broken records with file and line, and what is doubtful about others. At most 1,000. */
  issues: z.array(configIssue),
});
export type ImportReport = z.infer<typeof importReport>;

export const exportFormat = z.enum(['atif', 'harbor', 'asciicast', 'messages', 'sharegpt', 'csv']);
export type ExportFormat = z.infer<typeof exportFormat>;

export const exportReport = z.object({
  /** What was written: a folder, or one file. */
  path: z.string(),
  rollouts: z.number().int(),
  files: z.number().int(),
  bytes: z.number().int(),
  /** What could not be written, and why. */
  issues: z.array(configIssue),
});
export type ExportReport = z.infer<typeof exportReport>;
