// Reads a Dockerfile into instructions with their line numbers and heredocs, by the rules of BuildKit's parser. Pure.
import { AppError } from '../lib/errors.ts';

interface Heredoc {
  /** The word that announced it, e.g. `<<-"EOF"`; with blanks behind the signs where there are any, e.g. `<< EOF`. */
  word: string;
  name: string;
  /** Text between the announcing line and the terminator, each line with its line feed. */
  content: string;
  /** Leading tabs are to be removed (`<<-`). */
  chomp: boolean;
  /** No part of the name was quoted, so variables in the content are to be replaced where Docker itself writes the file. */
  expand: boolean;
}

export interface Instruction {
  /** In capitals. */
  keyword: string;
  /** 1-based line on which it starts. */
  line: number;
  /** Its lines as they are in the file, comments and heredocs in it included. */
  raw: string[];
  /** Options in front of the arguments, e.g. `--chown=user`. */
  flags: string[];
  /** Arguments behind the options, continuation lines joined. */
  args: string;
  heredocs: Heredoc[];
}

export interface Dockerfile {
  /** Comments before the first instruction, with parser directives. */
  head: string[];
  instructions: Instruction[];
  /** Continues a line: `\` unless a directive says otherwise. */
  continuation: '\\' | '`';
}

const withHeredocs = new Set(['RUN', 'COPY', 'ADD']);

/** Fails with `image.build_failed` for a heredoc without an end; everything else is left for the engine to judge. */
export function parseDockerfile(text: string, file: string): Dockerfile {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const continuation = continuationOf(lines);
  const continued = new RegExp(`${continuation === '\\' ? '\\\\' : '`'}[ \\t]*$`);
  const head: string[] = [];
  const instructions: Instruction[] = [];
  let at = 0;
  while (at < lines.length) {
    const start = at;
    let logical = lines[at++] ?? '';
    if (logical.trim() === '' || logical.trimStart().startsWith('#')) {
      (instructions.at(-1)?.raw ?? head).push(logical);
      continue;
    }
    while (continued.test(logical) && at < lines.length) {
      logical = logical.replace(continued, '');
      const next = lines[at++] ?? '';
      // Comments and blank lines inside an instruction do not end it.
      logical += next.trim() === '' || next.trimStart().startsWith('#') ? continuation : next;
    }
    logical = logical.replace(continued, '').trim();
    const [, word = '', rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(logical) ?? [];
    const keyword = word.toUpperCase();
    const heredocs: Heredoc[] = [];
    if (withHeredocs.has(keyword) && !rest.trimStart().startsWith('[')) {
      for (const announced of heredocsIn(rest)) {
        const body = takeBody(lines, at, announced);
        if (!body) {
          // With blanks behind it `<<` may also be a shift, as in `$((1 << 2))`.
          if (/<<\s/.test(announced.word)) continue;
          throw new AppError('image.build_failed', `the heredoc ${announced.word} has no line \`${announced.name}\` that ends it`, {
            where: `${file}:${start + 1}`,
            hint: 'Write the name alone on a line, without spaces around it.',
          });
        }
        heredocs.push({ ...announced, content: body.content });
        at = body.next;
      }
    }
    instructions.push({ keyword, line: start + 1, raw: lines.slice(start, at), ...splitFlags(rest), heredocs });
  }
  return { head, instructions, continuation };
}

/**
 * Words of a line, split at spaces outside quotes; quotes and escapes are kept, and `<<` takes blanks behind it into its word. An open
 * quote gives no words at all. All as in BuildKit.
 */
export function shellWords(text: string): string[] {
  const words: string[] = [];
  let word = '';
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\\' && quote !== "'") word += char + text.charAt(++at);
    else if (quote !== '') {
      word += char;
      if (char === quote) quote = '';
    } else if (/\s/.test(char)) {
      if (word !== '') words.push(word);
      word = '';
    } else {
      const blanks = /^<<([ \t]+)/.exec(text.slice(at, at + 64));
      if (blanks && !word.endsWith('<')) {
        word += blanks[0];
        at += blanks[0].length - 1;
        continue;
      }
      word += char;
      if (char === "'" || char === '"') quote = char;
    }
  }
  if (quote !== '') return [];
  if (word !== '') words.push(word);
  return words;
}

/** A word without its quotes and escapes. */
export function unquote(word: string): string {
  return word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs, (_all, single?: string, double?: string, escaped?: string) => {
    if (single !== undefined) return single;
    if (double !== undefined) return double.replace(/\\(["\\$`])/g, '$1');
    return escaped ?? '';
  });
}

function heredocsIn(line: string): Omit<Heredoc, 'content'>[] {
  return shellWords(line).flatMap((word) => {
    const [, dash, quoted] = /^\d*<<(-?)\s*([^<]+)$/.exec(word) ?? [];
    if (quoted === undefined) return [];
    const name = unquote(quoted);
    return name === '' ? [] : [{ word, name, chomp: dash === '-', expand: name === quoted }];
  });
}

function takeBody(lines: string[], from: number, heredoc: { name: string; chomp: boolean }): { content: string; next: number } | null {
  let content = '';
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if ((heredoc.chomp ? line.replace(/^\t+/, '') : line) === heredoc.name) return { content, next: at + 1 };
    content += `${line}\n`;
  }
  return null;
}

function splitFlags(rest: string): { flags: string[]; args: string } {
  const flags: string[] = [];
  let args = rest;
  for (;;) {
    const flag = /^(--[a-z][\w-]*(?:=\S*)?)(?:\s+|$)/.exec(args);
    if (!flag?.[1]) return { flags, args };
    flags.push(flag[1]);
    args = args.slice(flag[0].length);
  }
}

/** `# escape=` among the directives at the very top. */
function continuationOf(lines: string[]): '\\' | '`' {
  for (const line of lines) {
    const directive = /^#\s*([a-z]+)\s*=\s*(\S+)\s*$/i.exec(line.trim());
    if (!directive) break;
    if (directive[1]?.toLowerCase() === 'escape') return directive[2] === '`' ? '`' : '\\';
  }
  return '\\';
}
