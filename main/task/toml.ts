// Reads a TOML file of a task against a schema: values, and everything worth telling about them with the line it stands on.
import { join } from 'node:path';
import { parse, TomlDate, TomlError } from 'smol-toml';
import type * as z from 'zod';
import { AppError } from '../lib/errors.ts';
import { type Checked, checkAgainst } from './against.ts';
import { lineOf, mapToml, type TomlEntry, type TomlPath } from './toml-map.ts';

/**
 * Parses `text` of the file `name` in `folder`. An unknown key becomes a warning with its line and the nearest known key.
 * Fails with `task.invalid` and `where` at the line of a syntax error or of the first wrong value.
 */
export function readToml<S extends z.ZodType>(
  schema: S,
  text: string,
  folder: string,
  name: string,
): Checked<z.output<S>> & { entries: TomlEntry[] } {
  const table = parseToml(text, join(folder, name));
  const entries = mapToml(text);
  return { ...checkAgainst(schema, table, (path) => lineOf(entries, path), folder, name), entries };
}

/** `{ line }` where the path stands in the text, `{}` where it does not. */
export function lineIn(entries: readonly TomlEntry[], path: TomlPath): { line?: number } {
  const line = lineOf(entries, path);
  return line === undefined ? {} : { line };
}

function parseToml(text: string, where: string): Record<string, unknown> {
  try {
    return plain(parse(text.replace(/^\uFEFF/, '')));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new AppError('task.invalid', `not valid TOML: ${reason(error)}`, {
      where: `${where}:${error.line}`,
      hint: `Look at line ${error.line}, column ${error.column}.`,
      cause: error,
    });
  }
}

/** The library's message without its own heading and without the piece of code below. */
function reason(error: TomlError): string {
  return (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '');
}

/** A parsed table as ordinary objects, dates as ISO text: task data is stored, compared and sent as JSON. */
export function plain(table: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (value instanceof TomlDate) return value.toISOString();
  if (Array.isArray(value)) return value.map(plainValue);
  return typeof value === 'object' && value !== null ? plain(value) : value;
}
