// When the turns of an imported rollout begin in its recording. Recorders of others leave no marks, but most keep what was typed: the first
// command of a turn is looked for among that. Turns that typed nothing lie between by their recorded times.
import type { NodeRow } from '../contract/schema/rollout.ts';

/** A turn of the agent as its nodes tell it. */
export interface TurnTyping {
  turn: number;
  /** When it was answered, in ms since the epoch. */
  at: number;
  commands: readonly { keystrokes: string; duration: number }[];
}

/** What a recording tells of its typing: inputs with their seconds since the start, that start (ms since the epoch), its length. */
export interface RecordedTyping {
  typed: readonly { time: number; text: string }[];
  /** Null where the recording does not say. */
  startedAt: number | null;
  seconds: number;
}

/** Inputs that are looked through for a command; a command that was not recorded must not use up those of the turns after it. */
const MOST_AHEAD = 40;
/** Characters that are compared: recorders cut long inputs in several. */
const COMPARED = 24;

/** Turns of a rollout, in their order: those of its agent, with what each typed. */
export function turnsOf(nodes: readonly NodeRow[]): TurnTyping[] {
  const turns = new Map<number, TurnTyping>();
  for (const node of nodes) {
    if (node.role !== 'assistant') continue;
    const before = turns.get(node.turn);
    // A second answer of the same number is one of a sub-agent, or copied into a new conversation.
    if (before && before.commands.length > 0) continue;
    turns.set(node.turn, { turn: node.turn, at: node.createdAt, commands: node.commands });
  }
  return [...turns.values()].sort((a, b) => a.turn - b.turn);
}

/**
 * A mark `turn N` where turn N begins, for every turn after the first whose place can be told: as soon as the turn before has been waited
 * for, as in the lab's own recordings. None where neither what was typed nor any time says it.
 */
export function turnMarks(turns: readonly TurnTyping[], { typed, startedAt, seconds }: RecordedTyping): { time: number; label: string }[] {
  const found = spansOf(turns, typed);
  const offset = offsetOf(turns, found) ?? (startedAt !== null && spread(turns) ? startedAt : null);
  const marks: { time: number; label: string }[] = [];
  let last = 0;
  for (const [index, { turn, at }] of turns.entries()) {
    if (index === 0) continue;
    const before = found[index - 1];
    const own = found[index];
    const waited = before ? before.to : null;
    const begins =
      own && waited !== null ? Math.min(waited, own.from) : (waited ?? own?.from ?? (offset === null ? null : (at - offset) / 1000));
    if (begins === null) continue;
    // No turn begins before the one in front of it, nor after what was typed in one behind it.
    const next = found.slice(index).find((span) => span !== null)?.from ?? seconds;
    last = Math.min(Math.max(begins, last), Math.max(next, last));
    marks.push({ time: last, label: `turn ${turn}` });
  }
  return marks;
}

interface Span {
  /** When its first command was typed, and when the last had been waited for. */
  from: number;
  to: number;
}

/** Where each turn's commands were typed; null for turns whose are not among the inputs. */
function spansOf(turns: readonly TurnTyping[], typed: RecordedTyping['typed']): (Span | null)[] {
  let next = 0;
  return turns.map(({ commands }) => {
    let span = null as Span | null; // else taken for null only, as it is set in the loop
    for (const { keystrokes, duration } of commands) {
      const wanted = comparable(keystrokes);
      if (wanted === '') {
        // A wait types nothing and takes its time.
        if (span) span = { ...span, to: span.to + duration };
        continue;
      }
      const at = typed.slice(next, next + MOST_AHEAD).findIndex(({ text }) => isBegun(wanted, comparable(text)));
      const input = at < 0 ? undefined : typed[next + at];
      if (!input) continue;
      next += at + 1;
      span = { from: span?.from ?? input.time, to: Math.max(span?.to ?? 0, input.time + duration) };
    }
    return span;
  });
}

function isBegun(wanted: string, input: string): boolean {
  return input !== '' && (wanted.startsWith(input) || input.startsWith(wanted));
}

/** As far as it is compared, with one kind of line end. */
function comparable(text: string): string {
  return text
    .slice(0, COMPARED * 2)
    .replaceAll(/[\r\n]+/g, '\n')
    .trim()
    .slice(0, COMPARED);
}

/** Start of the recording in the time of the nodes, by the turns that were found: the middle of what each says. */
function offsetOf(turns: readonly TurnTyping[], found: readonly (Span | null)[]): number | null {
  if (!spread(turns)) return null;
  const starts = turns.flatMap(({ at }, index) => {
    const span = found[index];
    return span ? [at - span.from * 1000] : [];
  });
  return starts.sort((a, b) => a - b)[starts.length >> 1] ?? null;
}

/** Times that are all the same are none. */
function spread(turns: readonly TurnTyping[]): boolean {
  return turns.some(({ at }) => at !== turns[0]?.at);
}
