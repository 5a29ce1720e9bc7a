// How an answer is read by people, and by the search for what people read. Pure.

/** An answer as it is read: the parts of the JSON protocol where it speaks that, else just text. */
export interface ResponseParts {
  protocol: 'json' | 'text';
  /** What stands before the JSON, such as thoughts that leaked. */
  before: string;
  analysis: string;
  plan: string;
  /** Keystrokes as written; commands that were never run are only here. */
  keystrokes: string[];
  complete: boolean;
}

/**
 * Reads an answer for display, also one that is still being written or that no parser accepts. It decides nothing: what was run is in
 * the turn's commands, and the raw text is one key away.
 */
export function readResponse(text: string): ResponseParts {
  const brace = text.search(/\{\s*"(analysis|plan|commands|task_complete|state_analysis)"/);
  if (brace < 0)
    return { protocol: 'text', before: '', analysis: '', plan: '', keystrokes: [], complete: /<action>\s*done\s*<\/action>/.test(text) };
  const json = text.slice(brace);
  return {
    protocol: 'json',
    before: text
      .slice(0, brace)
      .replace(/```(json)?\s*$/, '')
      .trim(),
    analysis: stringsOf(json, 'analysis')[0] ?? '',
    plan: stringsOf(json, 'plan')[0] ?? '',
    keystrokes: stringsOf(json, 'keystrokes'),
    complete: /"task_complete"\s*:\s*true/.test(json),
  };
}

/** The string values of a key, in order; one that is cut off is given as far as it goes. */
function stringsOf(json: string, key: string): string[] {
  const found: string[] = [];
  const start = new RegExp(`"${key}"\\s*:\\s*"`, 'g');
  for (let hit = start.exec(json); hit; hit = start.exec(json)) {
    const from = start.lastIndex;
    let end = from;
    while (end < json.length && json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
    found.push(unescaped(json.slice(from, Math.min(end, json.length))));
    start.lastIndex = end;
  }
  return found;
}

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '"': '"', '\\': '\\', '/': '/' };

/** JSON escapes resolved where they are whole, left as they are where not. */
function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|([nrtbf"\\/]))/g, (_, hex: string | undefined, letter: string | undefined) =>
    hex === undefined ? (escapes[letter ?? ''] ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
