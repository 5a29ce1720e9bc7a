// What is wrong with the attributes of a keystrokes tag, in Terminus-2's words. Hand-written, since the patterns one would write for it
// take quadratic time on a long run of letters.

/** Further problems of one tag are not told: only a hostile answer has so many. */
const MOST = 20;

/** Problems in the order in which they are fed back: unquoted values, single quotes, unknown names. */
export function attributeProblems(text: string): string[] {
  const unquoted: string[] = [];
  const single: string[] = [];
  const unknown: string[] = [];
  let unquotedEnd = 0;
  let singleEnd = 0;
  for (
    let equals = text.indexOf('=');
    equals !== -1 && unquoted.length + single.length + unknown.length < MOST;
    equals = text.indexOf('=', equals + 1)
  ) {
    const name = nameBefore(text, equals, 0);
    if (name !== '' && name !== 'duration') unknown.push(`Unknown attribute '${name}' - known attributes are: duration`);
    let value = equals + 1;
    while (isSpace(text.charCodeAt(value))) value += 1;
    const first = text.charAt(value);
    if (first === "'" && equals >= singleEnd) {
      const end = text.indexOf("'", value + 1);
      const own = nameBefore(text, equals, singleEnd);
      if (end !== -1 && own !== '') {
        single.push(`Use double quotes for attribute '${own}': ${own}="${text.slice(value + 1, end)}"`);
        singleEnd = end + 1;
      }
    } else if (first !== '' && first !== '"' && first !== "'" && equals >= unquotedEnd) {
      let end = value;
      while (end < text.length && !isSpace(text.charCodeAt(end)) && text.charAt(end) !== '"' && text.charAt(end) !== "'") end += 1;
      const own = nameBefore(text, equals, unquotedEnd);
      if (own !== '') {
        const shown = text.slice(value, end);
        unquoted.push(`Attribute '${own}' value should be quoted: ${own}="${shown}"`);
        unquotedEnd = end;
      }
    }
  }
  return [...unquoted, ...single, ...unknown];
}

/** The quoted value of the first duration, or null. */
export function quotedDuration(attributes: string): string | null {
  return /duration\s*=\s*["']([^"']*)["']/.exec(attributes)?.[1] ?? null;
}

/** A number as Python's float() reads it, or null. */
export function pythonFloat(text: string): number | null {
  const word = text.trim().toLowerCase();
  if (/^[-+]?(?:inf|infinity)$/.test(word)) return word.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^[-+]?nan$/.test(word)) return Number.NaN;
  const digits = '\\d+(?:_\\d+)*';
  const number = new RegExp(`^[-+]?(?:${digits}\\.?(?:${digits})?|\\.${digits})(?:e[-+]?${digits})?$`);
  return word.length < 400 && number.test(word) ? Number(word.replaceAll('_', '')) : null;
}

/** The word in front of an equals sign, not reaching back beyond `from`. */
function nameBefore(text: string, equals: number, from: number): string {
  let end = equals;
  while (end > from && isSpace(text.charCodeAt(end - 1))) end -= 1;
  let start = end;
  while (start > from && isWord(text.charCodeAt(start - 1))) start -= 1;
  return text.slice(start, end);
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

function isWord(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f || code > 0x7f;
}
