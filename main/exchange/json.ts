// Reads JSON of unknown origin: with patience about what is absent, and with file and line where it is broken.
import { AppError, messageOf } from '../lib/errors.ts';

export type JsonObject = Record<string, unknown>;

/** The value, as far as it is an object (no array). */
export function objectOf(value: unknown): JsonObject | null {
  // What is no array and no null among objects of JSON.parse is a record of unknown values.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

export function listOf(value: unknown): unknown[] | null {
  return Array.isArray(value) ? value : null;
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A list of finite numbers, or null where it is anything else. */
export function numbersOf(value: unknown): number[] | null {
  if (!Array.isArray(value)) return null;
  for (const item of value) if (typeof item !== 'number' || !Number.isFinite(item)) return null;
  return value;
}

/** Milliseconds since the epoch of an ISO 8601 time; one without a zone is taken as UTC, as Harbor means it. Null where it is none. */
export function timeOf(value: unknown): number | null {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}[T ]\d/.test(value)) return null;
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/.test(value) ? value : `${value}Z`;
  const time = Date.parse(zoned);
  return Number.isNaN(time) ? null : time;
}

/** The object without the keys that are null or undefined, at its first level: in these formats absent and null mean the same. */
export function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined));
}

/** Parses a text. Throws `request.invalid` with `where` = `file:line`; `firstLine` is the line of the file on which the text begins. */
export function parseJson(text: string, file: string, firstLine = 1): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(`is not whole JSON: ${messageOf(error).slice(0, 200)}`, file, firstLine + lineOf(text, messageOf(error)) - 1, error);
  }
}

/** An error about a record of an input file. */
export function invalid(message: string, file: string, line = 1, cause?: unknown): AppError {
  return new AppError('request.invalid', message, { where: `${file}:${line}`, ...(cause === undefined ? {} : { cause }) });
}

/** The line at which V8 stopped reading. Its message says the position; only a cut text has none, and there it is the last line. */
function lineOf(text: string, message: string): number {
  const position = /at position (\d+)/.exec(message)?.[1];
  const end = position === undefined ? text.trimEnd().length : Number(position);
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
