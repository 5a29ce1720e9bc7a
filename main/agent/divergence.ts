// Tells whether a played-back turn showed what the recorded one showed, apart from what never repeats: host names, times, process
// numbers and the like.

export interface Divergence {
  /** The first differing line and its surroundings, as recorded and as played. */
  recorded: string;
  played: string;
}

/** Lines shown before and after the first difference. */
const BEFORE = 2;
const AFTER = 6;

/** Headings, complaints and questions that agents put around terminal text. */
const FRAMES = [
  /^Previous response had warnings:\nWARNINGS: (?:.*\n)*?\n/,
  /^Current terminal state:\n/,
  /\n\nAre you sure you want to mark the task as complete\?[\s\S]*$/,
  /\n\nYou say that the task is complete\.[\s\S]*$/,
  /^(?:New Terminal Output|Current Terminal Screen):\n/,
];

/** A shell prompt as the distributions set it. */
const PROMPT = /(?:\([\w.-]+\) )?[\w.-]+@[\w.-]+:[^\n#$]{0,300}[#$]/g;

/** What differs between two runs of the same thing, and what stands for it. Order matters: longer shapes first. */
const UNREPEATABLE: [RegExp, string][] = [
  [PROMPT, '<prompt>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?/g, '<time>'],
  [
    /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{1,2}(?:,? +\d\d:\d\d(?::\d\d)?)?(?: +(?:UTC|GMT))?(?: +\d{4})?/g,
    '<time>',
  ],
  [/\b\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?(?: ?[AP]M)?\b/g, '<time>'],
  [/\b\d+m\d+\.\d+s\b|\b\d+(?:\.\d+)? ?(?:ns|us|µs|ms|s|sec|secs|seconds)\b/g, '<duration>'],
  // Link counts of folders differ between storage drivers.
  [/^(d[rwxsStT-]{9}[.+]?) +\d+ /gm, '$1 <links> '],
  [/\[\d+\] \d+/g, '[job] <pid>'],
  [/\b(?:pid|PID|process)[ :=]+\d+/g, '<pid>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b[0-9a-f]{12,}\b/g, '<hex>'],
  [/\/tmp\/[\w.-]+/g, '/tmp/<name>'],
  [/\b172\.\d+\.\d+\.\d+\b/g, '<address>'],
];

/** Where output was left out of an observation. What stands after it depends on byte counts. */
const CUT = /\n?\[\.\.\. [^\n]*omitted[^\n]*\.\.\.\]/;
/** What may differ right in front of a cut, in characters: prompts of another length move it. */
const NEAR_CUT = 400;
/** A line that holds this much of what was typed is echo and no output. */
const ECHO_CHARACTERS = 12;

/**
 * What a turn put out: terminal text without its frame and without the echo of what was typed (which comes out garbled where a shell
 * was typed at before it was ready), and with everything unrepeatable replaced.
 */
function normalised(text: string, typed = ''): string {
  let result = text.replaceAll('\r', '');
  for (const frame of FRAMES) result = result.replace(frame, '');
  const typedLines = new Set(typed.split('\n').map((line) => line.trim()));
  const lines = result.split('\n').filter((line) => {
    const rest = line.replace(PROMPT, '').replace(/^> ?/, '').trim();
    return !typedLines.has(rest) && !(rest.length >= ECHO_CHARACTERS && typed.includes(rest));
  });
  result = lines.join('\n');
  for (const [shape, name] of UNREPEATABLE) result = result.replace(shape, name);
  return result.trim();
}

/**
 * The first difference between a recorded and a played observation of a turn in which `typed` was typed, or null. Blanks and line
 * breaks do not count, because a longer host name wraps lines elsewhere; nor does what follows a cut.
 */
export function firstDivergence(recorded: string, played: string, typed = ''): Divergence | null {
  const cut = CUT.test(recorded) || CUT.test(played);
  const a = normalised(recorded.split(CUT)[0] ?? '', typed);
  const b = normalised(played.split(CUT)[0] ?? '', typed);
  const compared = cut ? Math.min(a.length, b.length) - NEAR_CUT : Number.POSITIVE_INFINITY;
  let left = 0;
  let right = 0;
  while (left < compared && right < compared) {
    while (isBlank(a, left)) left += 1;
    while (isBlank(b, right)) right += 1;
    if (left >= a.length && right >= b.length) return null;
    if (a[left] !== b[right]) return { recorded: around(a, left), played: around(b, right) };
    left += 1;
    right += 1;
  }
  return null;
}

/** True where a recorded observation ends at a shell prompt: what was typed last had ended. */
export function endsAtPrompt(observation: string): boolean {
  let text = observation;
  for (const frame of FRAMES) text = text.replace(frame, '');
  return /[#$>] ?$/.test(text.trimEnd().split('\n').at(-1) ?? '');
}

function isBlank(text: string, at: number): boolean {
  return at < text.length && text.charAt(at).trim() === '';
}

function around(text: string, at: number): string {
  const lines = text.split('\n');
  const line = text.slice(0, at).split('\n').length - 1;
  return lines.slice(Math.max(0, line - BEFORE), line + AFTER).join('\n');
}
