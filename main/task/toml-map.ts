// Where each key of a TOML text stands. The parser gives values without positions; this gives positions without values, for texts
// that the parser has accepted.

/** A key's path from the root. Numbers index arrays, also those of `[[tables]]`. */
export type TomlPath = (string | number)[];

export interface TomlEntry {
  path: TomlPath;
  /** `table`: a `[header]` or `[[header]]`. `key`: a `key = value` line. `inline`: a key inside an inline table. */
  kind: 'table' | 'key' | 'inline';
  /** From 1. */
  line: number;
  /** Offsets of the key as written, dots included (of the name inside the brackets for a table). */
  keyStart: number;
  keyEnd: number;
  /** Offsets of the value; for a table, of the whole header. */
  valueStart: number;
  valueEnd: number;
}

/**
 * Lists every key and table header of a valid TOML 1.0 text in the order of the text.
 * Call it only on text that a TOML parser has accepted: on other text the result means nothing.
 */
export function mapToml(text: string): TomlEntry[] {
  return new Scanner(text).scan();
}

/** Line (from 1) of the key at `path`, or of the nearest table or key above it; undefined where the text has nothing of it. */
export function lineOf(entries: readonly TomlEntry[], path: TomlPath): number | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const wanted = path.slice(0, length);
    const hit = entries.find((entry) => samePath(entry.path, wanted)) ?? entries.find((entry) => startsWith(entry.path, wanted));
    if (hit) return hit.line;
  }
  return undefined;
}

export function samePath(a: TomlPath, b: TomlPath): boolean {
  return a.length === b.length && startsWith(a, b);
}

function startsWith(path: TomlPath, prefix: TomlPath): boolean {
  return prefix.every((part, index) => path[index] === part);
}

const NEWLINE = 10;

class Scanner {
  readonly #text: string;
  readonly #entries: TomlEntry[] = [];
  /** How many `[[headers]]` of each path there have been. */
  readonly #counts = new Map<string, number>();
  #at = 0;
  #line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): TomlEntry[] {
    let table: TomlPath = [];
    for (this.#skipBlank(); this.#at < this.#text.length; this.#skipBlank()) {
      if (this.#text[this.#at] === '[') table = this.#header();
      else this.#pair(table, 'key');
    }
    return this.#entries;
  }

  #header(): TomlPath {
    const valueStart = this.#at;
    const line = this.#line;
    const isArray = this.#text.startsWith('[[', this.#at);
    this.#at += isArray ? 2 : 1;
    this.#skipSpace();
    const keyStart = this.#at;
    const names = this.#key();
    const keyEnd = this.#at;
    this.#skipSpace();
    this.#at += isArray ? 2 : 1;
    const path = this.#resolve(names, isArray);
    this.#entries.push({ path, kind: 'table', line, keyStart, keyEnd, valueStart, valueEnd: this.#at });
    return path;
  }

  /** `[[a]]` then `[a.b]` speaks of the newest element of `a`. */
  #resolve(names: string[], isArray: boolean): TomlPath {
    const path: TomlPath = [];
    names.forEach((name, index) => {
      path.push(name);
      const key = JSON.stringify(path);
      const count = this.#counts.get(key);
      if (index === names.length - 1 && isArray) {
        path.push(count ?? 0);
        this.#counts.set(key, (count ?? 0) + 1);
      } else if (count !== undefined) {
        path.push(count - 1);
      }
    });
    return path;
  }

  #pair(parent: TomlPath, kind: 'key' | 'inline'): void {
    const line = this.#line;
    const keyStart = this.#at;
    const path = [...parent, ...this.#key()];
    const keyEnd = this.#at;
    this.#skipSpace();
    this.#at += 1; // the equals sign
    this.#skipSpace();
    const entry: TomlEntry = { path, kind, line, keyStart, keyEnd, valueStart: this.#at, valueEnd: this.#at };
    this.#entries.push(entry);
    this.#value(path);
    entry.valueEnd = this.#at;
  }

  /** A dotted key; leaves the position after its last character. */
  #key(): string[] {
    const names: string[] = [];
    for (;;) {
      const quote = this.#text[this.#at];
      const start = this.#at;
      if (quote === '"' || quote === "'") {
        this.#string();
        const raw = this.#text.slice(start + 1, this.#at - 1);
        names.push(quote === '"' ? decodeBasic(raw) : raw);
      } else {
        while (/[A-Za-z0-9_-]/.test(this.#text[this.#at] ?? '')) this.#at += 1;
        names.push(this.#text.slice(start, this.#at));
      }
      const end = this.#at;
      this.#skipSpace();
      if (this.#text[this.#at] !== '.') {
        this.#at = end;
        return names;
      }
      this.#at += 1;
      this.#skipSpace();
    }
  }

  #value(path: TomlPath): void {
    switch (this.#text[this.#at]) {
      case '"':
      case "'":
        this.#string();
        return;
      case '[':
        this.#array(path);
        return;
      case '{':
        this.#inlineTable(path);
        return;
      default: {
        // A number, boolean or date. A date may hold one space, so what ends it is a separator, a comment or the line.
        const end = /[,\]}#\r\n]/g;
        end.lastIndex = this.#at;
        const stop = end.exec(this.#text)?.index ?? this.#text.length;
        this.#at += this.#text.slice(this.#at, stop).trimEnd().length;
      }
    }
  }

  #string(): void {
    const quote = this.#text[this.#at] ?? '';
    const fence = quote.repeat(3);
    const isLong = this.#text.startsWith(fence, this.#at);
    this.#at += isLong ? 3 : 1;
    while (this.#at < this.#text.length) {
      if (quote === '"' && this.#text[this.#at] === '\\') {
        this.#step();
        this.#step();
      } else if (isLong && this.#text.startsWith(fence, this.#at)) {
        this.#at += 3;
        // Up to two quotes may stand directly before the closing three.
        while (this.#text[this.#at] === quote) this.#at += 1;
        return;
      } else if (!isLong && this.#text[this.#at] === quote) {
        this.#at += 1;
        return;
      } else {
        this.#step();
      }
    }
  }

  #array(path: TomlPath): void {
    this.#at += 1;
    for (let index = 0; ; index += 1) {
      this.#skipBlank();
      if (this.#at >= this.#text.length) return;
      if (this.#text[this.#at] === ']') break;
      this.#value([...path, index]);
      this.#skipBlank();
      if (this.#text[this.#at] === ',') this.#at += 1;
    }
    this.#at += 1;
  }

  #inlineTable(path: TomlPath): void {
    this.#at += 1;
    for (;;) {
      this.#skipBlank();
      if (this.#at >= this.#text.length) return;
      if (this.#text[this.#at] === '}') break;
      this.#pair(path, 'inline');
      this.#skipBlank();
      if (this.#text[this.#at] === ',') this.#at += 1;
    }
    this.#at += 1;
  }

  #skipSpace(): void {
    while (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\t') this.#at += 1;
  }

  /** White space, line ends and comments. */
  #skipBlank(): void {
    for (;;) {
      const char = this.#text[this.#at];
      if (char === '#') {
        const end = this.#text.indexOf('\n', this.#at);
        this.#at = end === -1 ? this.#text.length : end;
      } else if (char === ' ' || char === '\t' || char === '\r' || char === '\n' || char === '\uFEFF') {
        this.#step();
      } else {
        return;
      }
    }
  }

  #step(): void {
    if (this.#text.charCodeAt(this.#at) === NEWLINE) this.#line += 1;
    this.#at += 1;
  }
}

const shortEscapes: Record<string, string> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\u001b' };

/** Value of a basic string's inside: each escape once, from left to right. */
function decodeBasic(raw: string): string {
  return raw.replaceAll(
    /\\(?:U([0-9A-Fa-f]{8})|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))/g,
    (_, long?: string, short?: string, byte?: string, char?: string) => {
      const hex = long ?? short ?? byte;
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      return shortEscapes[char ?? ''] ?? char ?? '';
    },
  );
}
