// The filter of the task list: words, and comparisons of fields, joined by and, or, not and parentheses. Parsed into a function by hand;
// nothing of what is typed is ever run as code.
//
//   bisect                              every word is looked for in name, tags and text
//   difficulty = hard and not tag = git
//   gate.oracle = failed or gate.oracle = none
//   text ~ "access log" issues > 0      terms without a word between them must all hold
import { gateName, type TaskRow } from '../../../main/contract/schema/task.ts';

export type Filter = { ok: true; test: (task: FilteredTask) => boolean } | { ok: false; message: string };

/** A row with the name of its set. */
export interface FilteredTask extends TaskRow {
  setName: string;
}

type Test = (task: FilteredTask) => boolean;

/** What can be compared: the field's values as text; `number` where it can be ordered. */
const fields: Record<string, { values: (task: FilteredTask) => string[]; number?: (task: FilteredTask) => number }> = {
  name: { values: (task) => [task.name, task.name.slice(task.name.lastIndexOf('/') + 1)] },
  difficulty: { values: (task) => [task.difficulty ?? 'none'] },
  category: { values: (task) => [task.category ?? 'none'] },
  tag: { values: (task) => (task.tags.length > 0 ? task.tags : ['none']) },
  format: { values: (task) => [task.format] },
  set: { values: (task) => [task.setName] },
  text: { values: (task) => [task.instruction] },
  solution: { values: (task) => [task.hasSolution ? 'yes' : 'no'] },
  issues: {
    values: (task) => [String(task.issues.filter((issue) => issue.level !== 'note').length)],
    number: (task) => task.issues.filter((issue) => issue.level !== 'note').length,
  },
  tags: { values: (task) => [String(task.tags.length)], number: (task) => task.tags.length },
};
for (const gate of gateName.options) {
  fields[`gate.${gate}`] = { values: (task) => [task.gates.find((result) => result.gate === gate)?.state ?? 'none'] };
}

/** Names that a comparison may begin with. */
export const filterFields: readonly string[] = Object.keys(fields);

interface Token {
  kind: 'word' | 'text' | 'operator' | 'open' | 'close';
  text: string;
}

const TOKEN = /\s*(?:"((?:[^"\\]|\\.)*)"|(!=|>=|<=|[=~<>])|(\()|(\))|([^\s"()=~<>!]+|!))/y;

function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  let end = 0;
  for (let match = TOKEN.exec(source); match; match = TOKEN.exec(source)) {
    end = TOKEN.lastIndex;
    const [, text, operator, open, close, word] = match;
    if (text !== undefined) tokens.push({ kind: 'text', text: text.replaceAll(/\\(.)/g, '$1') });
    else if (operator !== undefined) tokens.push({ kind: 'operator', text: operator });
    else if (open !== undefined) tokens.push({ kind: 'open', text: '(' });
    else if (close !== undefined) tokens.push({ kind: 'close', text: ')' });
    else tokens.push({ kind: 'word', text: word ?? '' });
  }
  if (source.slice(end).trim() !== '') throw new FilterError('a quotation mark is not closed');
  return tokens;
}

class FilterError extends Error {}

/** Reads a filter. An empty one keeps everything. */
export function parseFilter(source: string): Filter {
  try {
    const tokens = tokensOf(source);
    if (tokens.length === 0) return { ok: true, test: () => true };
    const reader = new Reader(tokens);
    const test = reader.either();
    reader.end();
    return { ok: true, test };
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    return { ok: false, message: error.message };
  }
}

/** Deeper parentheses are a mistake, not a filter. */
const DEEPEST = 50;

class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  end(): void {
    if (this.#peek()) throw new FilterError('a closing parenthesis has no opening one');
  }

  either(): Test {
    const tests = [this.#all()];
    while (this.#takeWord('or')) tests.push(this.#all());
    return (task) => tests.some((test) => test(task));
  }

  #all(): Test {
    const tests = [this.#not()];
    for (;;) {
      const next = this.#peek();
      if (!next || next.kind === 'close' || isWord(next, 'or')) return (task) => tests.every((test) => test(task));
      this.#takeWord('and');
      tests.push(this.#not());
    }
  }

  #not(): Test {
    if (!this.#takeWord('not')) return this.#term();
    const test = this.#not();
    return (task) => !test(task);
  }

  #term(): Test {
    const token = this.#peek();
    if (!token || isWord(token, 'and') || isWord(token, 'or'))
      throw new FilterError('something is missing at the end, or between two words');
    this.#at += 1;
    switch (token.kind) {
      case 'open': {
        this.#depth += 1;
        if (this.#depth > DEEPEST) throw new FilterError('the parentheses are nested too deeply');
        const test = this.either();
        if (this.#peek()?.kind !== 'close') throw new FilterError('a parenthesis is not closed');
        this.#at += 1;
        this.#depth -= 1;
        return test;
      }
      case 'close':
        throw new FilterError('a parenthesis holds nothing');
      case 'operator':
        throw new FilterError(`"${token.text}" needs a field before it: ${filterFields.slice(0, 6).join(', ')}, gate.oracle …`);
      case 'text':
        return contains(token.text);
      case 'word': {
        const operator = this.#peek();
        if (operator?.kind !== 'operator') return contains(token.text);
        this.#at += 1;
        const value = this.#peek();
        if (value?.kind !== 'word' && value?.kind !== 'text') throw new FilterError(`${token.text} ${operator.text} what?`);
        this.#at += 1;
        return comparison(token.text, operator.text, value.text);
      }
    }
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  #takeWord(word: string): boolean {
    const token = this.#peek();
    if (!token || !isWord(token, word)) return false;
    this.#at += 1;
    return true;
  }
}

function isWord(token: Token, word: string): boolean {
  return token.kind === 'word' && token.text.toLowerCase() === word;
}

function comparison(name: string, operator: string, value: string): Test {
  const field = Object.hasOwn(fields, name.toLowerCase()) ? fields[name.toLowerCase()] : undefined;
  if (!field) throw new FilterError(`there is no field "${name}"; there are ${filterFields.slice(0, 9).join(', ')}, gate.build …`);
  const wanted = value.toLowerCase();
  switch (operator) {
    case '=':
      return (task) => field.values(task).some((each) => each.toLowerCase() === wanted);
    case '!=':
      return (task) => field.values(task).every((each) => each.toLowerCase() !== wanted);
    case '~':
      return (task) => field.values(task).some((each) => each.toLowerCase().includes(wanted));
    default: {
      const { number } = field;
      const limit = Number(value);
      if (!number || Number.isNaN(limit)) throw new FilterError(`"${operator}" compares numbers: issues ${operator} 0, tags ${operator} 2`);
      const holds: Record<string, (found: number) => boolean> = {
        '>': (found) => found > limit,
        '<': (found) => found < limit,
        '>=': (found) => found >= limit,
        '<=': (found) => found <= limit,
      };
      return (task) => holds[operator]?.(number(task)) ?? false;
    }
  }
}

const cached = new WeakMap<FilteredTask, string>();

function contains(word: string): Test {
  const wanted = word.toLowerCase();
  return (task) => {
    let words = cached.get(task);
    if (words === undefined) {
      words = [task.name, task.difficulty ?? '', task.category ?? '', ...task.tags, task.instruction].join(' ').toLowerCase();
      cached.set(task, words);
    }
    return words.includes(wanted);
  };
}
