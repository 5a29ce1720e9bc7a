// Reads a Terminus-2 XML answer. It only looks like XML: what stands inside a tag is taken as it is, without entities. `strict` decides
// as Terminus-2's own parser does; `robust` knows where keystrokes end, so that tags inside of them are text. Linear, and never throws.
import type { Command } from '../agent.ts';
import { type Answer, autoCorrected, concatenated, judged, type ParsedAnswer, type ParserMode, refused, storable } from './answer.ts';
import { attributeProblems, pythonFloat, quotedDuration } from './xml-attributes.ts';

const SECTIONS = ['analysis', 'plan', 'commands'] as const;
const TAGS = [...SECTIONS, 'task_complete'] as const;
type Tag = (typeof TAGS)[number];

/** Further unknown tags are not told: a hostile answer has thousands, and nobody reads them. */
const MOST_UNKNOWN = 20;
/** Tags that mean something to us and stand in the text of a command. */
const MISPLACED = /<\/?(?:response|analysis|plan|commands|task_complete)[\s/>]/;
const pattern = (tag: Tag) => ({ closed: new RegExp(`<${tag}\\s*/>`), opened: new RegExp(`<${tag}(?:\\s|/?>)`, 'g') });
const PATTERNS = {
  analysis: pattern('analysis'),
  plan: pattern('plan'),
  commands: pattern('commands'),
  task_complete: pattern('task_complete'),
};

const EMPTY_COMMANDS =
  "Commands section is empty; not taking any action. If you want to wait a specific amount of time please use `sleep`, but if you're waiting for a command to finish then continue to wait.";
const ENTITIES = [
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&amp;', '&'],
  ['&quot;', '"'],
  ['&apos;', "'"],
] as const;

/** Reads an answer in the given mode and says what both modes think of it. */
export function parseXmlAnswer(text: string, mode: ParserMode = 'robust'): ParsedAnswer {
  const strict = read(text, null);
  const robust = isUnambiguous(strict, text) ? strict : parseRobust(text);
  return judged(strict, robust.error === null || strict.error !== null ? robust : strict, mode);
}

/**
 * Of an answer that the token limit cut off, the part up to the end of its response block, where that can be executed; else null.
 * Terminus-2 does this for XML alone.
 */
export function completeResponse(text: string): string | null {
  const commands = text.indexOf('</commands>');
  const end = commands === -1 ? -1 : text.indexOf('</response>', commands);
  if (end === -1) return null;
  const whole = text.slice(0, end + '</response>'.length);
  const { error, warnings } = read(whole, null);
  return error === null && !warnings.some((warning) => warning.startsWith('IMPORTANT: Only issue one')) ? whole : null;
}

// ── both: one response block, section by section ────────────────────────────────────────────────────────────────────────────────────

interface Keystrokes {
  attributes: string;
  content: string;
}

interface Reading extends Answer {
  /** The section of commands ends inside of one. */
  cut: boolean;
}

/** Nothing in the text could mean something else to the robust reading, which need not be done then. */
function isUnambiguous({ error, cut, commands }: Reading, text: string): boolean {
  const plain = commands.length > 0 && !commands.some(({ keystrokes }) => MISPLACED.test(keystrokes));
  return error === null && !cut && plain && !text.includes('</think>');
}

/** @param masked the keystrokes, where the text holds a number in their place */
function read(text: string, masked: Keystrokes[] | null): Reading {
  const warnings: string[] = [];
  const start = text.indexOf('<response>');
  if (start !== -1) extraText(text, start, warnings);
  const content = start === -1 ? '' : between(text, start + '<response>'.length, '</response>').trim();
  if (content === '') return { ...refused('No <response> tag found', warnings), cut: false };

  const complete = /<task_complete>\s*true\s*<\/task_complete>/i.test(content);
  const sections = new Map(TAGS.flatMap((tag): [Tag, string][] => sectionOf(content, tag)));
  for (const tag of SECTIONS) if (!sections.has(tag)) warnings.push(`Missing <${tag}> section`);
  checkTags(content, warnings);

  const commands = sections.get('commands');
  if (commands === undefined && !complete) return { ...refused('Missing <commands> section', warnings), cut: false };
  if (commands === undefined || commands === '') {
    if (commands === '' && !complete) warnings.push(EMPTY_COMMANDS);
    return { commands: [], complete, error: null, warnings, cut: false };
  }
  const elements = keystrokesIn(commands, 0);
  const cut = commands.includes('<keystrokes', elements.at(-1)?.end ?? 0);
  const found = elements.map(({ attributes, content: inside }) => masked?.[Number(inside)] ?? { attributes, content: inside });
  const raw = masked === null ? commands : `${commands}${found.map((each) => each.content).join('')}`;
  return { commands: readCommands(found, raw, warnings), complete, error: null, warnings, cut };
}

function extraText(text: string, start: number, warnings: string[]): void {
  if (text.slice(0, start).trim() !== '') warnings.push('Extra text detected before <response> tag');
  const end = text.indexOf('</response>');
  if (end === -1 || text.slice(end + '</response>'.length).trim() === '') return;
  warnings.push('Extra text detected after </response> tag');
  const blocks = text.split('<response>').length - 1;
  if (blocks > 1) warnings.push(onlyOne('response', blocks));
}

function onlyOne(tag: string, count: number): string {
  return `IMPORTANT: Only issue one <${tag}> block at a time. You issued ${count} and only the first was executed.`;
}

/** From here to the closing tag, or to the end where there is none. */
function between(text: string, from: number, close: string): string {
  const end = text.indexOf(close, from);
  return text.slice(from, end === -1 ? undefined : end);
}

/** The section by this name, as an entry; none where it is missing or not closed. */
function sectionOf(content: string, tag: Tag): [Tag, string][] {
  const open = content.indexOf(`<${tag}>`);
  if (open !== -1) {
    const from = open + tag.length + 2;
    const end = content.indexOf(`</${tag}>`, from);
    if (end !== -1) return [[tag, content.slice(from, end).trim()]];
  }
  return PATTERNS[tag].closed.test(content) ? [[tag, '']] : [];
}

/** Tags that do not belong, come twice, or come in another order. */
function checkTags(content: string, warnings: string[]): void {
  const known: readonly string[] = TAGS;
  const unknown = [...topLevelTags(content)].filter((tag) => !known.includes(tag));
  for (const tag of unknown.slice(0, MOST_UNKNOWN)) {
    warnings.push(`Unknown tag found: <${tag}>, expected analysis/plan/commands/task_complete`);
  }
  const places: { tag: Tag; at: number }[] = [];
  for (const tag of TAGS) {
    const found = [...content.matchAll(PATTERNS[tag].opened)];
    if (found[0] && tag !== 'task_complete') places.push({ tag, at: found[0].index });
    if (found.length > 1) warnings.push(tag === 'commands' ? onlyOne(tag, found.length) : `Multiple <${tag}> sections found`);
  }
  const expected = places.map(({ tag }) => tag).join(' → ');
  const actual = places
    .toSorted((a, b) => a.at - b.at)
    .map(({ tag }) => tag)
    .join(' → ');
  if (actual !== expected) warnings.push(`Sections appear in wrong order. Found: ${actual}, expected: ${expected}`);
}

/** Names of the tags that stand directly in the response. Everything between angle brackets is a tag here, as in Terminus-2. */
function topLevelTags(content: string): Set<string> {
  const tags = new Set<string>();
  let depth = 0;
  for (let at = content.indexOf('<'); at !== -1; ) {
    const end = content.indexOf('>', at);
    if (end === -1) return tags;
    const first = content.charAt(at + 1);
    if (first === '/') depth -= 1;
    else if (first !== '!' && first !== '?') {
      const closed = content.charAt(end - 1) === '/';
      if (depth === 0) {
        // A long one is cut: it is only shown.
        const inside = content.slice(at + 1, Math.min(end, at + 200));
        tags.add((inside.includes(' ') ? (inside.trim().split(/\s/)[0] ?? '') : inside).replace(/\/$/, ''));
      }
      if (!closed) depth += 1;
    }
    at = content.indexOf('<', end + 1);
  }
  return tags;
}

/** Every closed keystrokes element from here on. */
function keystrokesIn(text: string, from: number): (Keystrokes & { start: number; end: number })[] {
  const found: (Keystrokes & { start: number; end: number })[] = [];
  for (let start = text.indexOf('<keystrokes', from); start !== -1; ) {
    const open = text.indexOf('>', start);
    const close = open === -1 ? -1 : text.indexOf('</keystrokes>', open);
    if (close === -1) return found;
    found.push({ attributes: text.slice(start + '<keystrokes'.length, open), content: text.slice(open + 1, close), start, end: close });
    start = text.indexOf('<keystrokes', close);
  }
  return found;
}

function readCommands(found: Keystrokes[], raw: string, warnings: string[]): Command[] {
  const commands = found.map(({ attributes, content }, index): Command => {
    const name = `Command ${index + 1}`;
    for (const problem of attributeProblems(attributes)) warnings.push(`${name}: ${problem}`);
    const given = quotedDuration(attributes);
    const duration = given === null ? null : pythonFloat(given);
    if (given === null) warnings.push(`${name}: Missing duration attribute, using default 1.0`);
    else if (duration === null) warnings.push(`${name}: Invalid duration value '${given}', using default 1.0`);
    if (index < found.length - 1 && !content.endsWith('\n')) warnings.push(concatenated(name));
    return { keystrokes: content, duration: storable(duration ?? 1) };
  });
  for (const [entity, letter] of ENTITIES) {
    if (!raw.includes(entity)) continue;
    warnings.push(
      `Warning: ${entity} is read verbatim and not converted to ${letter}. NEVER USE ${entity}, unless you want these exact characters to appear directly in the output.`,
    );
  }
  if (raw.includes('\\r\\n')) warnings.push('Warning: \\r\\n line endings are not necessary - use \\n instead for simpler output');
  return commands;
}

// ── robust ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Reads the answer behind leaked thinking, with every command's text put aside first, so that no tag in a file that is written ends the
 * block it stands in. A response tag that is missing, and closing tags that are missing behind a whole command, are added.
 */
function parseRobust(text: string): Answer {
  const thought = text.lastIndexOf('</think>');
  const isThought = thought !== -1 && /<(?:response|commands|task_complete)>/.test(text.slice(thought));
  let body = isThought ? text.slice(thought + '</think>'.length) : text;
  const fixes: string[] = [];
  if (!body.includes('<response>')) {
    const first = body.search(/<(?:analysis|plan|commands|task_complete)>/);
    if (first === -1 || !/<(?:commands|task_complete)>/.test(body)) return read(body, null);
    body = `${body.slice(0, first)}<response>${body.slice(first)}`;
    fixes.push('Added the missing <response> tag');
  }
  const commands = body.indexOf('<commands>', body.indexOf('<response>'));
  if (commands === -1) return withFixes(read(body, null), fixes);

  const masked: Keystrokes[] = [];
  let skeleton = body.slice(0, commands);
  let at = commands;
  let end = body.indexOf('</commands>', at);
  for (const element of keystrokesIn(body, at)) {
    if (end !== -1 && end < at) end = body.indexOf('</commands>', at);
    if (end !== -1 && end < element.start) break;
    skeleton += `${body.slice(at, element.start)}<keystrokes${element.attributes}>${masked.length}`;
    masked.push(element);
    at = element.end;
  }
  const opened = body.indexOf('<keystrokes', at);
  end = body.indexOf('</commands>', at);
  // A command that is still open was cut off, and half a command is never run.
  if (opened !== -1 && (end === -1 || opened < end)) return refused('Missing </keystrokes> closing tag', []);
  let rest = body.slice(at);
  if (!rest.includes('</commands>') && masked.length > 0 && /^<\/keystrokes>\s*(?:<\/response>)?\s*(?:```)?\s*$/.test(rest)) {
    rest = `</keystrokes></commands>${rest.slice('</keystrokes>'.length)}`;
    fixes.push('Added the missing </commands> tag at the end');
  }
  return withFixes(read(skeleton + rest, masked), fixes);
}

function withFixes(answer: Answer, fixes: string[]): Answer {
  return answer.error === null ? { ...answer, warnings: [...fixes.map(autoCorrected), ...answer.warnings] } : answer;
}
