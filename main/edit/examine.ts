// What a task.toml says while it is being written: its values for a form, and what the reader of tasks would say about it, line by line.
import { parse } from 'smol-toml';
import type { ConfigIssue } from '../contract/schema/task.ts';
import { AppError } from '../lib/errors.ts';
import { readHarborTask } from '../task/harbor.ts';
import { plain } from '../task/toml.ts';
import { issueOf } from '../task/unreadable.ts';

export type FieldValue = string | number | boolean | (string | number | boolean)[];

export interface Examination {
  /** What keeps the file from being read (`error`) and what is worth knowing, as `termarium import` and `check` would tell it. */
  issues: ConfigIssue[];
  /** Every single value by its dotted key; null where the text is no TOML. */
  values: Record<string, FieldValue> | null;
}

/** Examines `text` as the task.toml of the task in `folder`; nothing is written. */
export async function examineToml(folder: string, text: string, signal?: AbortSignal): Promise<Examination> {
  return { issues: await issuesOf(folder, text, signal), values: valuesOf(text) };
}

async function issuesOf(folder: string, text: string, signal: AbortSignal | undefined): Promise<ConfigIssue[]> {
  try {
    return (await readHarborTask(folder, signal, text)).issues;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [issueOf(folder, error)];
  }
}

function valuesOf(text: string): Examination['values'] {
  try {
    const values: Record<string, FieldValue> = {};
    collect(plain(parse(text.replace(/^\uFEFF/, ''))), '', values);
    return values;
  } catch {
    // What is wrong with it is among the issues, with its line.
    return null;
  }
}

function collect(table: object, prefix: string, into: Record<string, FieldValue>): void {
  for (const [key, value] of Object.entries(table)) {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    if (isScalar(value) || (Array.isArray(value) && value.every(isScalar))) into[path] = value;
    else if (typeof value === 'object' && value !== null && !Array.isArray(value)) collect(value, path, into);
  }
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
