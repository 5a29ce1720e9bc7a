// Between a file's text and the text of an editor, which knows one kind of line end. Pure; every file comes back byte for byte.

/** `crlf`: every line ends with CR LF. `as-is`: LF, or a mixture, whose CRs then stay in the lines as what they are. */
export type LineEnds = 'crlf' | 'as-is';

export function lineEndsOf(text: string): LineEnds {
  if (!text.includes('\r\n')) return 'as-is';
  return /(?:[^\r]|^)\n|\r(?!\n)/.test(text) ? 'as-is' : 'crlf';
}

/** What the editor holds: lines split by LF. */
export function toEditor(text: string, ends: LineEnds): string {
  return ends === 'crlf' ? text.replaceAll('\r\n', '\n') : text;
}

/** What the file holds. */
export function toFile(text: string, ends: LineEnds): string {
  return ends === 'crlf' ? text.replaceAll('\n', '\r\n') : text;
}

/** The one stretch in which two texts differ: what to replace, so that cursors and marks outside it stay. Null where they are equal. */
export function difference(before: string, after: string): { from: number; to: number; insert: string } | null {
  if (before === after) return null;
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before.charCodeAt(from) === after.charCodeAt(from)) from += 1;
  let end = 0;
  while (end < most - from && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)) end += 1;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}
