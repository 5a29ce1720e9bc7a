// Changes single values of a TOML text and leaves every other byte as it is: comments, order, spacing and keys nobody knows.
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'smol-toml';
import { AppError, messageOf } from '../lib/errors.ts';
import { plain } from './toml.ts';
import { mapToml, samePath, type TomlEntry, type TomlPath } from './toml-map.ts';

type TomlScalar = string | number | boolean;

export interface TomlEdit {
  /** Path to the key; numbers index arrays of tables. */
  path: TomlPath;
  /** `undefined` removes the key with its line. */
  value: TomlScalar | TomlScalar[] | undefined;
}

/**
 * Applies edits one after the other. A key that is there keeps its place; a new one goes after its siblings, or into a new table at
 * the end. Fails with `task.invalid` where the text cannot take the edit by a splice, which is checked by reading the result back.
 */
export function editToml(text: string, edits: readonly TomlEdit[]): string {
  return edits.reduce(applyEdit, text);
}

function applyEdit(text: string, edit: TomlEdit): string {
  const entries = mapToml(text);
  const hit = entries.find((entry) => entry.kind !== 'table' && samePath(entry.path, edit.path));
  let result: string;
  if (edit.value === undefined) result = hit ? withoutEntry(text, hit) : text;
  else if (hit) result = text.slice(0, hit.valueStart) + literal(edit.value) + text.slice(hit.valueEnd);
  else result = withNewKey(text, entries, edit.path, edit.value);
  if (!isDeepStrictEqual(read(result, edit), expectedAfter(text, edit))) throw refusal(edit, 'the text around it does not allow it');
  return result;
}

function withNewKey(text: string, entries: TomlEntry[], path: TomlPath, value: TomlScalar | TomlScalar[]): string {
  const parent = path.slice(0, -1);
  const last = String(path.at(-1));
  const line = `${keyText(last)} = ${literal(value)}`;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';

  const sibling = entries.findLast((entry) => entry.kind !== 'table' && samePath(entry.path.slice(0, -1), parent));
  if (sibling?.kind === 'inline') return insert(text, sibling.valueEnd, `, ${line}`);
  if (sibling) {
    // A sibling that is written dotted (`environment.cpus = 1`) lends its prefix.
    const written = text.slice(sibling.keyStart, sibling.keyEnd);
    const lastPart = /(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)$/.exec(written);
    const prefix = written.slice(0, lastPart?.index ?? 0);
    return afterLine(text, sibling.valueEnd, `${indentOf(text, sibling.keyStart)}${prefix}${line}`, newline);
  }
  const inline = entries.find((entry) => entry.kind !== 'table' && samePath(entry.path, parent));
  if (inline) return `${text.slice(0, inline.valueStart)}{ ${line} }${text.slice(inline.valueEnd)}`;
  const header = entries.find((entry) => entry.kind === 'table' && samePath(entry.path, parent));
  if (header) return afterLine(text, header.valueEnd, line, newline);
  if (parent.length === 0) return line + newline + text;
  const gap = text === '' || text.endsWith('\n') ? '' : newline;
  return `${text}${gap}${newline}[${parent.map((part) => keyText(String(part))).join('.')}]${newline}${line}${newline}`;
}

function withoutEntry(text: string, entry: TomlEntry): string {
  if (entry.kind === 'inline') {
    const after = /^\s*,\s*/.exec(text.slice(entry.valueEnd))?.[0];
    if (after !== undefined) return text.slice(0, entry.keyStart) + text.slice(entry.valueEnd + after.length);
    const before = /,?\s*$/.exec(text.slice(0, entry.keyStart))?.[0] ?? '';
    return (
      text.slice(0, entry.keyStart - before.length) + text.slice(entry.valueEnd).replace(/^[ \t]+(?=\})/, before.includes(',') ? ' ' : '')
    );
  }
  const start = text.lastIndexOf('\n', entry.keyStart - 1) + 1;
  const end = text.indexOf('\n', entry.valueEnd);
  return text.slice(0, start) + (end === -1 ? '' : text.slice(end + 1));
}

/** Inserts a line after the one on which `offset` lies. */
function afterLine(text: string, offset: number, line: string, newline: string): string {
  const end = text.indexOf('\n', offset);
  return end === -1 ? `${text}${newline}${line}${newline}` : insert(text, end + 1, line + newline);
}

function insert(text: string, offset: number, piece: string): string {
  return text.slice(0, offset) + piece + text.slice(offset);
}

function indentOf(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

function literal(value: TomlScalar | TomlScalar[]): string {
  return stringify({ v: value }).slice('v = '.length).trimEnd();
}

function expectedAfter(text: string, edit: TomlEdit): unknown {
  const root: unknown = read(text, edit);
  const last = edit.path.at(-1);
  let here: unknown = root;
  for (const part of edit.path.slice(0, -1)) {
    if (typeof here !== 'object' || here === null) throw refusal(edit, 'its parent is a value, not a table');
    if (!Object.hasOwn(here, part)) {
      if (edit.value === undefined) return root;
      Reflect.set(here, part, {});
    }
    here = Reflect.get(here, part);
  }
  if (typeof here !== 'object' || here === null || last === undefined) throw refusal(edit, 'its parent is a value, not a table');
  if (edit.value === undefined) Reflect.deleteProperty(here, last);
  else Reflect.set(here, last, edit.value);
  return root;
}

function read(text: string, edit: TomlEdit): unknown {
  try {
    return plain(parse(text.replace(/^\uFEFF/, '')));
  } catch (error) {
    throw refusal(edit, messageOf(error).split('\n')[0] ?? '', error);
  }
}

function refusal(edit: TomlEdit, why: string, cause?: unknown): AppError {
  return new AppError('task.invalid', `cannot set ${edit.path.join('.')} in place: ${why}`, { hint: 'Edit the file by hand.', cause });
}
