// Checks what a task file says against its schema: a key that nobody knows is told and passed over, a wrong value is an error.
import { join } from 'node:path';
import type * as z from 'zod';
import { dotted, explain } from '../config/explain.ts';
import type { ConfigIssue } from '../contract/schema/task.ts';
import { AppError } from '../lib/errors.ts';

export interface Checked<T> {
  data: T;
  /** Unknown keys: they stay in the file and are left out of `data`. */
  issues: ConfigIssue[];
}

type LineOf = (path: (string | number)[]) => number | undefined;

/**
 * Checks `value`, read from the file `name` in `folder`; `value` loses its unknown keys on the way.
 * Fails with `task.invalid` and `where` at the line of the first wrong value; the message lists all of them.
 */
export function checkAgainst<S extends z.ZodType>(
  schema: S,
  value: unknown,
  lineOf: LineOf,
  folder: string,
  name: string,
): Checked<z.output<S>> {
  const issues: ConfigIssue[] = [];
  for (;;) {
    const parsed = schema.safeParse(value);
    if (parsed.success) return { data: parsed.data, issues };
    const findings = explain(schema, value, parsed.error.issues);
    const unknown = findings.filter((finding) => finding.kind === 'unknown_key');
    if (unknown.length === 0) {
      const [first] = findings;
      const line = first && lineOf(first.path);
      throw new AppError('task.invalid', findings.map(({ path, message }) => `${dotted(path) || name}: ${message}`).join('; '), {
        where: line === undefined ? join(folder, name) : `${join(folder, name)}:${line}`,
        hint: 'Correct the value; the fields are described in docs/guide/tasks.md.',
      });
    }
    // Below an unknown key the schema stops looking, so each round may find more.
    for (const { path, message } of unknown) {
      const line = lineOf(path);
      issues.push({ level: 'warning', message: `${dotted(path)}: ${message}`, file: name, ...(line === undefined ? {} : { line }) });
      remove(value, path);
    }
  }
}

function remove(value: unknown, path: (string | number)[]): void {
  let here = value;
  for (const part of path.slice(0, -1)) here = typeof here === 'object' && here !== null ? Reflect.get(here, part) : undefined;
  const last = path.at(-1);
  if (typeof here === 'object' && here !== null && last !== undefined) Reflect.deleteProperty(here, last);
}
