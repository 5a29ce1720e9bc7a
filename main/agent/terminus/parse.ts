// Reads a Terminus-2 JSON answer. `strict` decides exactly as Terminus-2's own parser does; `robust` accepts all that and what that
// parser refuses without need. Pure, linear in the length of the text, and never throws.
import type { Command } from '../agent.ts';
import { type Answer, autoCorrected, concatenated, judged, type ParsedAnswer, type ParserMode, refused, storable } from './answer.ts';
import { type JsonObject, type JsonValue, mayBeObject, type Repair, readObject } from './json.ts';

const FIELDS = ['analysis', 'plan', 'commands'] as const;
const DEFAULT_DURATION = 1.0;

/** Objects that are looked at in search of the answer. No honest text holds so many; a hostile one would cost seconds. */
const MOST_TRIES = 5_000;
/** Characters that may be read in vain on the way to the answer, for the same reason. */
const MOST_READ = 256 * 1024;

/** The repairs, in the words that the model reads. */
const REPAIRED: Record<Repair, string> = {
  'raw control characters': 'Escaped raw line breaks or control characters inside a JSON string',
  'trailing comma': 'Removed a trailing comma',
  'missing closing brackets': 'Added missing closing brackets at the end',
};

/** Reads an answer in the given mode and says what both modes think of it. */
export function parseAnswer(text: string, mode: ParserMode = 'robust'): ParsedAnswer {
  const strict = parseStrict(text);
  return judged(strict, strict.error === null ? strict : parseRobust(text, strict), mode);
}

// ── strict: Terminus-2 0.20, step by step ───────────────────────────────────────────────────────────────────────────────────────────

function parseStrict(text: string): Answer {
  const first = readStrict(text);
  if (first.error === null) return first;
  for (const fixed of [() => addBraces(text, first.error), () => firstShallowObject(text)]) {
    const fix = fixed();
    if (fix === null) continue;
    const again = readStrict(fix.text);
    if (again.error === null) return { ...again, warnings: [autoCorrected(fix.name), ...again.warnings] };
  }
  return first;
}

function readStrict(text: string): Answer {
  const span = firstObject(text);
  if (span === null) return refused('No valid JSON found in response', ['No valid JSON object found']);
  const warnings = extraText(text, span);
  const json = text.slice(span.start, span.end);
  const value = parseJson(json);
  if (typeof value !== 'string') return interpret(value, json, warnings, false);
  const shown = json.length < 200 ? `Content: ${pythonRepr(json)}` : `Content preview: ${pythonRepr(json.slice(0, 100))}...`;
  return refused(`Invalid JSON: ${value} | ${shown}`, warnings);
}

/** The object, or the parse error. JSON.parse is several times faster and agrees wherever it succeeds. */
function parseJson(json: string): JsonObject | string {
  try {
    // A text that begins with a brace and parses is an object.
    return JSON.parse(json) as JsonObject;
  } catch {
    const read = readObject(json, 0, 'python');
    if (!read.ok) return read.message;
    return read.end === json.length ? read.value : `Extra data: line 1 column ${read.end + 1} (char ${read.end})`;
  }
}

interface Span {
  start: number;
  end: number;
}

/**
 * From the first opening brace to the one that closes it. Quotes and backslashes are tracked outside of the object too, as in
 * Terminus-2, so that a lone quote in front of it hides it.
 */
function firstObject(text: string): Span | null {
  let start = -1;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at += 1;
    else if (code === 0x22) quoted = !quoted;
    else if (quoted) continue;
    else if (code === 0x7b) {
      if (depth === 0) start = at;
      depth += 1;
    } else if (code === 0x7d) {
      depth -= 1;
      if (depth === 0 && start !== -1) return { start, end: at + 1 };
    }
  }
  return null;
}

function extraText(text: string, span: Span): string[] {
  const warnings: string[] = [];
  if (text.slice(0, span.start).trim() !== '') warnings.push('Extra text detected before JSON object');
  if (text.slice(span.end).trim() !== '') warnings.push('Extra text detected after JSON object');
  return warnings;
}

/** Terminus-2's first fix: as many closing braces as are missing in the whole text, quoted ones counted too. */
function addBraces(text: string, error: string | null): { name: string; text: string } | null {
  if (!/^(?:Invalid JSON|No valid JSON found)/.test(error ?? '')) return null;
  let missing = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x7b) missing += 1;
    else if (code === 0x7d) missing -= 1;
  }
  return missing > 0 ? { name: 'Fixed incomplete JSON by adding missing closing brace', text: text + '}'.repeat(missing) } : null;
}

/** Terminus-2's second fix: the first object of at most one level of nesting that parses, braces in strings counted as braces. */
function firstShallowObject(text: string): { name: string; text: string } | null {
  let start = text.indexOf('{');
  for (let tries = 0; start !== -1 && tries < MOST_TRIES; ) {
    const end = shallowEnd(text, start);
    if (end !== -1 && mayBeObject(text, start)) {
      tries += 1;
      const read = readObject(text.slice(start, end), 0, 'python');
      if (read.ok && read.end === end - start) return { name: 'Extracted JSON from mixed content', text: text.slice(start, end) };
    }
    start = text.indexOf('{', end === -1 ? start + 1 : end);
  }
  return null;
}

function shallowEnd(text: string, start: number): number {
  let inner = false;
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x7b) {
      if (inner) return -1;
      inner = true;
    } else if (code === 0x7d) {
      if (!inner) return at + 1;
      inner = false;
    }
  }
  return -1;
}

// ── robust: what Terminus-2 refuses without need ────────────────────────────────────────────────────────────────────────────────────

/**
 * Looks for the answer itself instead of the first brace: after leaked thinking and past braces that are no JSON, with the mistakes of
 * `readObject` put right. The first object decides. One that is no answer is not skipped: what comes after it may be a conversation
 * that the model made up, with an answer at its end that nobody asked for. One that is an answer and cannot be read is not looked into.
 */
function parseRobust(text: string, strict: Answer): Answer {
  const thought = text.lastIndexOf('</think>');
  const from = thought !== -1 && text.includes('{', thought) ? thought + '</think>'.length : 0;
  const body = withoutFence(text);
  let budget = MOST_READ;
  let start = body.indexOf('{', from);
  for (let tries = 0; start !== -1 && budget > 0 && tries < MOST_TRIES; ) {
    if (!mayBeObject(body, start)) {
      start = body.indexOf('{', start + 1);
      continue;
    }
    tries += 1;
    const read = readObject(body, start, 'lenient');
    const end = read.ok ? read.end : read.at;
    const repairs = read.ok ? read.repairs.map((repair) => autoCorrected(REPAIRED[repair])) : [];
    if (isAnswer(read.ok ? read.value : read.partial)) {
      const warnings = [...repairs, ...extraText(text, { start, end })];
      return read.ok ? interpret(read.value, body.slice(start, end), warnings, true) : refused(`Invalid JSON: ${read.message}`, []);
    }
    if (read.ok && Object.keys(read.value).length > 0) return strict;
    budget -= end - start + 1;
    start = body.indexOf('{', read.ok ? end : start + 1);
  }
  return strict;
}

function isAnswer(object: JsonObject): boolean {
  return Object.hasOwn(object, 'task_complete') || FIELDS.some((field) => Object.hasOwn(object, field));
}

/** The text up to a closing Markdown fence, which ends an answer as the end of the text does. */
function withoutFence(text: string): string {
  const body = text.trimEnd();
  return body.endsWith('```') ? body.slice(0, -3).trimEnd() : body;
}

// ── both ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Fields and commands of a readable answer. `lenient`: a finished task needs no fields beside task_complete. */
function interpret(data: JsonObject, json: string, warnings: string[], lenient: boolean): Answer {
  const complete = isComplete(own(data, 'task_complete') ?? false);
  const missing = FIELDS.filter((field) => !Object.hasOwn(data, field));
  if (missing.length > 0) {
    const problem = `Missing required fields: ${missing.join(', ')}`;
    if (!lenient || !complete) return refused(problem, warnings);
    warnings.push(problem);
  }
  for (const field of ['analysis', 'plan'] as const) {
    const value = own(data, field);
    if (value !== undefined && typeof value !== 'string') warnings.push(`Field '${field}' should be a string`);
  }
  const commands = own(data, 'commands') ?? (missing.includes('commands') ? [] : null);
  if (!Array.isArray(commands)) return refused("Field 'commands' must be an array", warnings);
  checkOrder(data, json, warnings);
  const flag = own(data, 'task_complete') ?? false;
  if (typeof flag !== 'boolean' && typeof flag !== 'string') warnings.push("Field 'task_complete' should be a boolean or string");

  const read = readCommands(commands, warnings);
  if (typeof read !== 'string') return { commands: read, complete, error: null, warnings };
  if (!complete) return refused(read, warnings);
  return { commands: [], complete, error: null, warnings: [...warnings, read] };
}

/** The commands, or what is wrong with one of them. */
function readCommands(values: JsonValue[], warnings: string[]): Command[] | string {
  const commands: Command[] = [];
  for (const [index, value] of values.entries()) {
    const name = `Command ${index + 1}`;
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return `${name} must be an object`;
    const keystrokes = own(value, 'keystrokes');
    if (keystrokes === undefined) return `${name} missing required 'keystrokes' field`;
    if (typeof keystrokes !== 'string') return `${name} 'keystrokes' must be a string`;
    const given = own(value, 'duration');
    // In Python a bool is an int.
    const duration = typeof given === 'boolean' ? Number(given) : given;
    if (given === undefined) warnings.push(`${name}: Missing duration field, using default 1.0`);
    else if (typeof duration !== 'number') warnings.push(`${name}: Invalid duration value, using default 1.0`);
    const unknown = Object.keys(value).filter((key) => key !== 'keystrokes' && key !== 'duration');
    if (unknown.length > 0) warnings.push(`${name}: Unknown fields: ${unknown.join(', ')}`);
    if (index < values.length - 1 && keystrokes !== '' && !keystrokes.endsWith('\n')) {
      warnings.push(concatenated(name));
    }
    commands.push({ keystrokes, duration: typeof duration === 'number' ? storable(duration) : DEFAULT_DURATION });
  }
  return commands;
}

function checkOrder(data: JsonObject, json: string, warnings: string[]): void {
  const found = FIELDS.filter((field) => Object.hasOwn(data, field))
    .map((field) => ({ field, at: json.search(new RegExp(`"${field}"\\s*:`)) }))
    .filter(({ at }) => at !== -1);
  const actual = found.toSorted((a, b) => a.at - b.at).map(({ field }) => field);
  const expected = found.map(({ field }) => field);
  if (actual.join() !== expected.join()) {
    warnings.push(`Fields appear in wrong order. Found: ${actual.join(' → ')}, expected: ${expected.join(' → ')}`);
  }
}

/** True as Python would have it, but of texts only the ones that mean it. */
function isComplete(value: JsonValue): boolean {
  if (typeof value === 'string') return ['true', '1', 'yes'].includes(value.toLowerCase());
  if (typeof value === 'number') return value !== 0;
  if (value === null || typeof value === 'boolean') return value === true;
  return Object.keys(value).length > 0;
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A text as Python's repr shows it, which is part of the error that Terminus-2 feeds back. */
function pythonRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let escaped = '';
  for (const letter of text) {
    const code = letter.charCodeAt(0);
    if (letter === '\\' || letter === quote) escaped += `\\${letter}`;
    else if (letter === '\n') escaped += '\\n';
    else if (letter === '\r') escaped += '\\r';
    else if (letter === '\t') escaped += '\\t';
    else if (code < 0x20 || code === 0x7f) escaped += `\\x${code.toString(16).padStart(2, '0')}`;
    else escaped += letter;
  }
  return `${quote}${escaped}${quote}`;
}
