// Where a recording can be entered: its index of screens without the screens. A seek then reads one screen and the stretch after it,
// however long the recording is. The index of a recording that is still written is read on from where it ended.
import { type FileHandle, stat } from 'node:fs/promises';
import * as z from 'zod';
import { jsonOf, linesOf, openIfThere } from './cast-lines.ts';

/** Where a screen lies in the index file, and what it is of. */
interface Entry {
  /** Seconds since the start of the recording. */
  time: number;
  /** Byte of the recording at which the events after this screen begin. */
  offset: number;
  label: string | null;
  /** The screen's line in the index file. */
  line: { from: number; to: number };
}

export interface Timeline {
  /** Time of the last event, in seconds. */
  seconds: number;
  /** Bytes of the recording; 0 where there is none. */
  bytes: number;
  /** Labelled moments in their order. */
  marks: { time: number; label: string }[];
}

/** A screen, and the events that lead from it to the moment asked for. */
export interface SeekResult {
  cols: number;
  rows: number;
  /** Text with escape sequences, to be written to an empty terminal. */
  screen: string;
  /** asciicast v2 lines, whole ones. */
  events: string;
  /** Byte of the recording where `events` end. */
  next: number;
  /** False where more events lead to that moment than one answer holds: read on from `next`. */
  reached: boolean;
}

export interface Timelines {
  read(path: string): Promise<Timeline>;
  /** Null where there is no recording. */
  seek(path: string, seconds: number): Promise<SeekResult | null>;
}

interface Known {
  /** How the index file begins: the time in its first line differs from one recording to the next. */
  head: string;
  /** Bytes of the index file that have been read. */
  read: number;
  entries: Entry[];
}

const header = z.object({ version: z.literal(2), width: z.int(), height: z.int() });
const entryLine = z.object({ offset: z.int(), time: z.number(), label: z.string().nullable() });
const screenLine = entryLine.extend({ cols: z.int(), rows: z.int(), screen: z.string() });

/** Recordings whose index is kept in memory; a line of it takes about a hundred bytes. */
const KEPT = 16;
const HEAD_BYTES = 64;
/** Events that one seek answers with. */
const SEEK_BYTES = 4 * 1024 * 1024;
/** The last event of a recording begins within so many bytes of its end. */
const LAST_EVENT_BYTES = 1024 * 1024;

/** Reads timelines of recordings that recorder.ts wrote or reindex.ts has indexed. A cut last line is left out, a missing index gives no screens, neither is an error. */
export function createTimelines(): Timelines {
  const known = new Map<string, Known>();

  const entriesOf = async (path: string): Promise<Entry[]> => {
    await using file = await openIfThere(`${path}.idx`);
    if (!file) return [];
    const { size } = await file.stat();
    const head = await headOf(file);
    const before = known.get(path);
    // A rollout that is played again writes over its files.
    const entry: Known = before && before.head === head && before.read <= size ? before : { head, read: 0, entries: [] };
    known.delete(path);
    known.set(path, entry);
    for (const oldest of known.keys()) if (known.size > KEPT) known.delete(oldest);
    const from = entry.read;
    for await (const line of linesOf(file, from)) {
      const parsed = entryLine.safeParse(jsonOf(line.text));
      if (!parsed.success) break;
      // Two readers at once find the same lines; the first to come counts them.
      if (line.from < entry.read) continue;
      entry.entries.push({ ...parsed.data, line: { from: line.from, to: line.to } });
      entry.read = line.to;
    }
    return entry.entries;
  };

  return {
    async read(path) {
      const bytes = await stat(path).then(
        (found) => found.size,
        () => 0,
      );
      if (bytes === 0) return { seconds: 0, bytes, marks: [] };
      const entries = await entriesOf(path);
      const last = entries.at(-1)?.time ?? 0;
      return {
        seconds: Math.max(last, await lastEventTime(path, bytes)),
        bytes,
        marks: entries.flatMap(({ time, label }) => (label === null ? [] : [{ time, label }])),
      };
    },

    async seek(path, seconds) {
      await using file = await openIfThere(path);
      if (!file) return null;
      const entry = lastUpTo(await entriesOf(path), seconds);
      const start = entry ? await screenAt(path, entry) : await startOf(file);
      if (!start) return null;
      const { offset, ...screen } = start;
      return { ...screen, ...(await eventsUpTo(file, offset, seconds)) };
    },
  };
}

/** The last entry at or before a time; entries are in order of time. */
function lastUpTo(entries: readonly Entry[], seconds: number): Entry | undefined {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.time ?? 0) <= seconds) low = middle + 1;
    else high = middle;
  }
  return entries[low - 1];
}

async function headOf(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.toString('latin1', 0, bytesRead);
}

async function screenAt(path: string, { line }: Entry) {
  await using index = await openIfThere(`${path}.idx`);
  if (!index) return null;
  const bytes = Buffer.alloc(line.to - line.from);
  await index.read(bytes, 0, bytes.length, line.from);
  const { cols, rows, screen, offset } = screenLine.parse(jsonOf(bytes.toString('utf8')));
  return { cols, rows, screen, offset };
}

/** Before the first screen, a recording begins with an empty one. */
async function startOf(file: FileHandle) {
  for await (const { text, to } of linesOf(file, 0)) {
    const first = header.safeParse(jsonOf(text));
    return first.success ? { cols: first.data.width, rows: first.data.height, screen: '', offset: to } : null;
  }
  return null;
}

async function eventsUpTo(file: FileHandle, offset: number, seconds: number): Promise<Pick<SeekResult, 'events' | 'next' | 'reached'>> {
  const events: string[] = [];
  let next = offset;
  for await (const { text, to } of linesOf(file, offset)) {
    const time = timeOf(text);
    if (time === null || time > seconds) break;
    if (to - offset > SEEK_BYTES) return { events: events.join(''), next, reached: false };
    events.push(`${text}\n`);
    next = to;
  }
  return { events: events.join(''), next, reached: true };
}

async function lastEventTime(path: string, bytes: number): Promise<number> {
  await using file = await openIfThere(path);
  if (!file) return 0;
  const from = Math.max(0, bytes - LAST_EVENT_BYTES);
  const tail = Buffer.alloc(bytes - from);
  const { bytesRead } = await file.read(tail, 0, tail.length, from);
  const lines = tail.subarray(0, bytesRead).toString('latin1').split('\n').slice(0, -1);
  for (const line of lines.reverse()) {
    const time = timeOf(line);
    if (time !== null) return time;
  }
  return 0;
}

/** Time of an event's line; null where it is none. */
function timeOf(line: string): number | null {
  const found = /^\[(\d+(?:\.\d+)?(?:e-?\d+)?),\s*"/.exec(line);
  return found ? Number(found[1]) : null;
}
