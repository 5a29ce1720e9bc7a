// What the keystrokes of an answer mean on a keyboard: key names as tmux understands them, text, and what Enter sends.
import { hereDocumentLines } from './heredoc.ts';

/** `strict`: byte for byte what `tmux send-keys` 3.3a would type. `fixed`: what the model meant. */
export type KeyMode = 'strict' | 'fixed';

/** What the program in the terminal asked the keyboard to be. A `Terminal` is one. */
export interface KeyboardState {
  /** Arrow keys, Home and End are sent in their application form (DECCKM). */
  readonly applicationCursor: boolean;
}

const NORMAL: KeyboardState = { applicationCursor: false };

/** Keys that a shell or program gets as one fixed sequence, whatever the modifiers. */
const PLAIN: Record<string, string> = {
  enter: '\r',
  escape: '\x1b',
  space: ' ',
  tab: '\t',
  btab: '\x1b[Z',
  bspace: '\x7f',
  kpenter: '\n',
};

/** Cursor keys: `ESC [ x`, in application mode `ESC O x`, with modifiers `ESC [ 1 ; m x`. */
const CURSOR: Record<string, string> = { up: 'A', down: 'B', right: 'C', left: 'D' };

/** F1 to F4: `ESC O x`, with modifiers `ESC [ 1 ; m x`. */
const FUNCTION: Record<string, string> = { f1: 'P', f2: 'Q', f3: 'R', f4: 'S' };

/** Editing keys: `ESC [ n ~`, with modifiers `ESC [ n ; m ~`. */
const NUMBERED: Record<string, number> = {
  home: 1,
  ic: 2,
  insert: 2,
  dc: 3,
  delete: 3,
  end: 4,
  pgup: 5,
  ppage: 5,
  pageup: 5,
  pgdn: 6,
  npage: 6,
  pagedown: 6,
  f5: 15,
  f6: 17,
  f7: 18,
  f8: 19,
  f9: 20,
  f10: 21,
  f11: 23,
  f12: 24,
};

/** Characters other than letters that Ctrl turns into a control code. */
const CONTROL: Record<string, string> = {
  '@': '\x00',
  ' ': '\x00',
  '[': '\x1b',
  '\\': '\x1c',
  ']': '\x1d',
  '^': '\x1e',
  _: '\x1f',
  '/': '\x1f',
  '?': '\x7f',
};

/** Sequence of one key name such as `C-c`, `M-x`, `S-Up` or `Enter`, or null where the text names no key. */
function keyNamed(name: string, keyboard: KeyboardState): string | null {
  let rest = name;
  let control = false;
  let meta = false;
  let shift = false;
  if (/^\^.$/s.test(rest)) {
    control = true;
    rest = rest.slice(1);
  }
  while (/^[CMS]-./is.test(rest)) {
    const modifier = rest[0]?.toUpperCase();
    if (modifier === 'C') control = true;
    else if (modifier === 'M') meta = true;
    else shift = true;
    rest = rest.slice(2);
  }
  const key = rest.toLowerCase();
  const parameter = 1 + (shift ? 1 : 0) + (meta ? 2 : 0) + (control ? 4 : 0);
  const cursor = Object.hasOwn(CURSOR, key) ? CURSOR[key] : undefined;
  if (cursor !== undefined)
    return parameter > 1 ? `\x1b[1;${parameter}${cursor}` : `\x1b${keyboard.applicationCursor ? 'O' : '['}${cursor}`;
  const fn = Object.hasOwn(FUNCTION, key) ? FUNCTION[key] : undefined;
  if (fn !== undefined) return parameter > 1 ? `\x1b[1;${parameter}${fn}` : `\x1bO${fn}`;
  const numbered = Object.hasOwn(NUMBERED, key) ? NUMBERED[key] : undefined;
  if (numbered !== undefined) return parameter > 1 ? `\x1b[${numbered};${parameter}~` : `\x1b[${numbered}~`;
  if (shift) return null;
  const plain = Object.hasOwn(PLAIN, key) ? PLAIN[key] : undefined;
  if (plain !== undefined && !(control && key !== 'space')) return `${meta ? '\x1b' : ''}${control ? '\x00' : plain}`;
  if ([...rest].length !== 1) return null;
  if (!control) return meta ? `\x1b${rest}` : null;
  const code = /^[a-z]$/.test(key)
    ? String.fromCharCode(key.charCodeAt(0) & 0x1f)
    : Object.hasOwn(CONTROL, rest)
      ? CONTROL[rest]
      : undefined;
  return code === undefined ? null : `${meta ? '\x1b' : ''}${code}`;
}

/**
 * In a here-document every tab is text, but a shell that reads it line by line would complete file names at it; a quoted tab
 * (Ctrl-V Tab) is taken literally by readline and by the kernel's line editing alike.
 */
function quoteHeredocTabs(text: string): string {
  if (!text.includes('\t') || !text.includes('<<')) return text;
  const lines = text.split('\n');
  const inBody = hereDocumentLines(lines);
  return lines.map((line, index) => (inBody[index] ? line.replaceAll('\t', '\x16\t') : line)).join('\n');
}

/**
 * Turns the keystrokes of an answer into what a keyboard would send.
 *
 * Both modes take a text as a key only when the whole of it names one, as tmux does. `strict` sends line feeds as they are.
 * `fixed` also takes one or more control keys that are followed by a line break or stand in a row (`C-c\n`, `C-x C-c`), sends
 * Enter as a carriage return (what programs in raw mode expect; line editing turns it into a line feed for all others), and keeps
 * the tabs of here-documents.
 */
export function encodeKeys(keystrokes: string, mode: KeyMode, keyboard: KeyboardState = NORMAL): string {
  const key = keyNamed(keystrokes, keyboard);
  if (key !== null) return key;
  if (mode === 'strict') return keystrokes;
  const words = keystrokes.trim().split(/\s+/);
  if (words.every((word) => /^C-./i.test(word))) {
    const keys = words.map((word) => keyNamed(word, keyboard));
    if (keys.every((sequence) => sequence !== null)) return keys.join('');
  }
  return quoteHeredocTabs(keystrokes.replaceAll('\r\n', '\n')).replaceAll('\n', '\r');
}
