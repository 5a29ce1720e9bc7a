// Replaces variables in Dockerfile text as Docker does it at build time. Pure.

/**
 * `$name`, `${name}`, `${name:-word}`, `${name-word}`, `${name:+word}`, `${name+word}`; a name without a value becomes nothing; `\` takes
 * the next character as it is. With `keepQuotes`, quotes mean nothing (file contents); otherwise nothing is replaced between single ones.
 */
export function expandVariables(text: string, values: ReadonlyMap<string, string>, keepQuotes = false): string {
  return expandUntil(text, 0, '', values, keepQuotes).result;
}

function expandUntil(
  text: string,
  from: number,
  stop: string,
  values: ReadonlyMap<string, string>,
  keepQuotes: boolean,
): { result: string; at: number } {
  let result = '';
  let at = from;
  while (at < text.length) {
    const char = text.charAt(at);
    if (stop !== '' && char === stop) return { result, at: at + 1 };
    if (char === '\\') {
      result += keepQuotes ? text.charAt(at + 1) : text.slice(at, at + 2);
      at += 2;
    } else if (char === "'" && !keepQuotes) {
      const end = text.indexOf("'", at + 1);
      const close = end < 0 ? text.length : end + 1;
      result += text.slice(at, close);
      at = close;
    } else if (char === '$') {
      const replaced = expandDollar(text, at, values, keepQuotes);
      result += replaced.result;
      at = replaced.at;
    } else {
      result += char;
      at += 1;
    }
  }
  return { result, at };
}

function expandDollar(
  text: string,
  from: number,
  values: ReadonlyMap<string, string>,
  keepQuotes: boolean,
): { result: string; at: number } {
  const plain = /^\$(\w+|[@*#?\-$!])/.exec(text.slice(from, from + 256));
  if (plain?.[1]) return { result: values.get(plain[1]) ?? '', at: from + plain[0].length };
  const open = /^\$\{(\w+)(:?[-+?])?/.exec(text.slice(from, from + 256));
  if (!open?.[1]) return { result: '$', at: from + 1 };
  const { result: word, at } = expandUntil(text, from + open[0].length, '}', values, keepQuotes);
  const value = values.get(open[1]);
  const operator = open[2] ?? '';
  const missing = value === undefined || (operator.startsWith(':') && value === '');
  if (operator.endsWith('-')) return { result: missing ? word : value, at };
  if (operator.endsWith('+')) return { result: missing ? '' : word, at };
  return { result: value ?? '', at };
}
