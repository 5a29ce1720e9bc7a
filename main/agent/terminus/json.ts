// Reads one JSON object out of a model's answer, without ever throwing and in linear time. JSON.parse cannot be used where it counts:
// it refuses NaN and Infinity, which Python's json accepts, and it cannot be lenient about exactly the mistakes that models make.

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

/** What the lenient reading put right. */
export type Repair = 'raw control characters' | 'trailing comma' | 'missing closing brackets';

export type JsonRead =
  | { ok: true; value: JsonObject; end: number; repairs: Repair[] }
  /** `message` is worded as by Python's json, whose errors models have seen. `partial`: the members read until then. */
  | { ok: false; message: string; at: number; partial: JsonObject };

/** Deeper nesting is refused: no answer needs it, and it bounds the recursion. */
const DEEPEST = 200;

/**
 * Objects and arrays that may lack their closing bracket when the text ends: the answer and its list of commands. A command that is
 * still open may itself be cut off, and half a command is never run.
 */
const CLOSABLE = 2;

const LITERALS: [string, JsonValue][] = [
  ['true', true],
  ['false', false],
  ['null', null],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
];
const ESCAPES: Record<string, string> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const HEX4 = /[0-9a-fA-F]{4}/y;

/**
 * Reads the object that begins at `start`. `python` accepts what Python's json accepts. `lenient` also accepts raw line breaks and
 * other control characters in strings, a comma before a closing bracket, and closing brackets missing where the text ends, but only
 * after a complete value that no longer text could change.
 */
export function readObject(text: string, start: number, flavour: 'python' | 'lenient'): JsonRead {
  const lenient = flavour === 'lenient';
  const repairs = new Set<Repair>();
  let at = start;
  let root: JsonObject | null = null;
  let failure: { message: string; at: number } | null = null;

  const fail = (message: string, where: number): undefined => {
    failure ??= { message, at: where };
    return undefined;
  };
  const skipBlank = () => {
    for (;;) {
      const code = text.charCodeAt(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      at += 1;
    }
  };

  function readString(): string | undefined {
    const quote = at;
    let result = '';
    let from = quote + 1;
    for (at = from; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 0x22) {
        result += text.slice(from, at);
        at += 1;
        return result;
      }
      if (code < 0x20) {
        if (!lenient) return fail('Invalid control character at', at);
        repairs.add('raw control characters');
      }
      if (code !== 0x5c) continue;
      result += text.slice(from, at);
      const letter = text.charAt(at + 1);
      if (letter === '') break;
      if (letter === 'u') {
        HEX4.lastIndex = at + 2;
        const digits = HEX4.exec(text)?.[0];
        if (digits === undefined) return fail('Invalid \\uXXXX escape', at + 1);
        result += String.fromCharCode(Number.parseInt(digits, 16));
        at += 5;
      } else {
        const plain = ESCAPES[letter];
        if (plain === undefined) return fail('Invalid \\escape', at);
        result += plain;
        at += 1;
      }
      from = at + 1;
    }
    return fail('Unterminated string starting at', quote);
  }

  function readScalar(): JsonValue | undefined {
    for (const [word, value] of LITERALS) {
      if (text.startsWith(word, at)) {
        at += word.length;
        return value;
      }
    }
    NUMBER.lastIndex = at;
    const digits = NUMBER.exec(text)?.[0];
    if (digits === undefined) return fail('Expecting value', at);
    at += digits.length;
    // "0.1" cut after "0" is still a number, but not the one that was meant.
    if (lenient && at === text.length) return fail("Expecting ',' delimiter", at);
    return Number(digits);
  }

  function readValue(depth: number): JsonValue | undefined {
    const code = text.charCodeAt(at);
    if (code === 0x22) return readString();
    if (code === 0x7b) return readMembers(depth + 1);
    if (code === 0x5b) return readItems(depth + 1);
    return readScalar();
  }

  /** After a member or an item: true where the bracket is closed, false where another one follows, undefined where neither. */
  function readDelimiter(close: string, depth: number): boolean | undefined {
    skipBlank();
    if (text.charAt(at) === close) {
      at += 1;
      return true;
    }
    if (at >= text.length && lenient && depth <= CLOSABLE) {
      repairs.add('missing closing brackets');
      return true;
    }
    if (text.charAt(at) !== ',') return fail("Expecting ',' delimiter", at);
    at += 1;
    skipBlank();
    if (!lenient || text.charAt(at) !== close) return false;
    repairs.add('trailing comma');
    at += 1;
    return true;
  }

  function readMembers(depth: number): JsonObject | undefined {
    if (depth > DEEPEST) return fail('Too deeply nested', at);
    const object: JsonObject = {};
    root ??= object;
    at += 1;
    skipBlank();
    if (text.charAt(at) === '}') {
      at += 1;
      return object;
    }
    for (;;) {
      if (text.charAt(at) !== '"') return fail('Expecting property name enclosed in double quotes', at);
      const key = readString();
      if (key === undefined) return undefined;
      skipBlank();
      if (text.charAt(at) !== ':') return fail("Expecting ':' delimiter", at);
      at += 1;
      skipBlank();
      const value = readValue(depth);
      if (value === undefined) return undefined;
      // Assigned, this one key would set the prototype instead.
      if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
      else object[key] = value;
      const closed = readDelimiter('}', depth);
      if (closed === undefined) return undefined;
      if (closed) return object;
    }
  }

  function readItems(depth: number): JsonValue[] | undefined {
    if (depth > DEEPEST) return fail('Too deeply nested', at);
    const items: JsonValue[] = [];
    at += 1;
    skipBlank();
    if (text.charAt(at) === ']') {
      at += 1;
      return items;
    }
    for (;;) {
      const value = readValue(depth);
      if (value === undefined) return undefined;
      items.push(value);
      const closed = readDelimiter(']', depth);
      if (closed === undefined) return undefined;
      if (closed) return items;
    }
  }

  const value = readMembers(1);
  if (value !== undefined) return { ok: true, value, end: at, repairs: [...repairs] };
  const { message, at: where } = failure ?? { message: 'Expecting value', at };
  return { ok: false, message: `${message}: ${placeOf(text, start, where)}`, at: where, partial: root ?? {} };
}

/** False where the text after this opening brace cannot be an object: a cheap look before `readObject`. */
export function mayBeObject(text: string, start: number): boolean {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code === 0x22 || code === 0x7d;
  }
  return false;
}

/** Line and column from 1 and offset from 0, all counted from `start`. */
function placeOf(text: string, start: number, at: number): string {
  let line = 1;
  let lineStart = start;
  for (let next = start; next < at; next += 1) {
    if (text.charCodeAt(next) !== 0x0a) continue;
    line += 1;
    lineStart = next + 1;
  }
  return `line ${line} column ${at - lineStart + 1} (char ${at - start})`;
}
