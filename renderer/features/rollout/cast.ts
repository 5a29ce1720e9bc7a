// Events of an asciicast v2 recording as the player needs them. Pure.

export type CastEvent = { kind: 'output'; time: number; text: string } | { kind: 'resize'; time: number; cols: number; rows: number };

/**
 * Reads whole lines of a recording. What is no event that changes the screen (the header, marks, input, a cut line) is left out. Bytes
 * that were no UTF-8 stand in the file as lone surrogates; a screen shows a replacement sign for them.
 */
export function castEvents(lines: string): CastEvent[] {
  const events: CastEvent[] = [];
  for (const line of lines.split('\n')) {
    const value = arrayOf(line);
    const [time, kind, text] = value;
    if (typeof time !== 'number' || typeof text !== 'string') continue;
    if (kind === 'o') events.push({ kind: 'output', time, text: text.toWellFormed() });
    const size = kind === 'r' ? /^(\d{1,4})x(\d{1,4})$/.exec(text) : null;
    if (size) events.push({ kind: 'resize', time, cols: Number(size[1]), rows: Number(size[2]) });
  }
  return events;
}

function arrayOf(line: string): unknown[] {
  if (!line.startsWith('[')) return [];
  try {
    const value: unknown = JSON.parse(line);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** Where a turn begins in a recording, in seconds. */
export interface TurnTime {
  turn: number;
  time: number;
}

/** The turn that plays at a moment; the first turn of a recording has no mark of its own. Marks are in order of time. */
export function turnAt(marks: readonly TurnTime[], seconds: number): number {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle]?.time ?? 0) <= seconds) low = middle + 1;
    else high = middle;
  }
  const first = marks[0];
  return marks[low - 1]?.turn ?? (first ? first.turn - 1 : 0);
}

/** When a turn begins; null where the recording does not reach it. */
export function timeOf(marks: readonly TurnTime[], turn: number): number | null {
  const mark = marks.find((each) => each.turn === turn);
  if (mark) return mark.time;
  const first = marks[0];
  return !first || turn < first.turn ? 0 : null;
}
