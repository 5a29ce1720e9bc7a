// Makes the index of a recording that the lab's recorder did not write: plays it through a screen once and keeps what that shows at the
// moments asked for, and now and then in between. The recording itself is not touched.
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { setImmediate as nextTick } from 'node:timers/promises';
import * as z from 'zod';
import { jsonOf, linesOf, openIfThere } from './cast-lines.ts';
import type { RecordedScreen } from './recorder.ts';
import { Screen } from './screen.ts';
import { losslessEncode } from './utf8.ts';

export interface RecordingMark {
  /** Seconds since the start. */
  time: number;
  label: string;
}

/** A screen that others made may say any size; a larger one than this is no screen. */
const size = z.int().min(1).max(1000);
const header = z.object({ version: z.literal(2), width: size, height: size, timestamp: z.number().optional() });
const eventLine = z.tuple([z.number().min(0), z.string(), z.string()]).rest(z.unknown());

/** Output between two screens that belong to no mark, as in the recorder. */
const SCREEN_BYTES = 256 * 1024;
/** Above this, a recording is played from its start and has no index. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Bytes of an index, for a recording with very many marks. */
const MOST_INDEX_BYTES = 64 * 1024 * 1024;
/** Output that is parsed before others get their turn. */
const BREATH_BYTES = 64 * 1024;

/**
 * Writes `<path>.idx` for an asciicast v2 file, with a screen at each mark; a reader sees the whole index or none. `marks` in order of time;
 * those behind the last event are moved to it. Answers false where the file is no such recording, or too large; an index without a screen
 * is written then. Rejects where the file cannot be read or the index not written.
 */
export async function indexRecording(path: string, marks: readonly RecordingMark[]): Promise<boolean> {
  const screens = (await stat(path)).size > MOST_BYTES ? null : await screensOf(path, marks);
  const draft = `${path}.idx.new`;
  try {
    await writeFile(draft, (screens ?? []).join(''));
    await rename(draft, `${path}.idx`);
  } finally {
    await rm(draft, { force: true });
  }
  return screens !== null;
}

/**
 * What was typed into a recording (seconds since the start), when that was (ms since the epoch, null where it does not say) and how long
 * it is in seconds, up to the first line that is not whole. Empty where there is no file.
 */
export async function typedIn(
  path: string,
): Promise<{ typed: { time: number; text: string }[]; startedAt: number | null; seconds: number }> {
  await using file = await openIfThere(path);
  const typed: { time: number; text: string }[] = [];
  let startedAt: number | null = null;
  let seconds = 0;
  if (!file) return { typed, startedAt, seconds };
  for await (const { text, from } of linesOf(file, 0)) {
    const value = jsonOf(text);
    if (from === 0) {
      const first = header.safeParse(value);
      if (!first.success) break;
      startedAt = first.data.timestamp === undefined ? null : first.data.timestamp * 1000;
      continue;
    }
    const event = eventLine.safeParse(value);
    if (!event.success) break;
    const [time, kind, data] = event.data;
    seconds = Math.max(seconds, time);
    if (kind === 'i') typed.push({ time, text: data });
  }
  return { typed, startedAt, seconds };
}

/** Lines of the index; null where the file does not begin as a recording does. */
async function screensOf(path: string, marks: readonly RecordingMark[]): Promise<string[] | null> {
  await using file = await openIfThere(path);
  if (!file) return null;
  const player = { screen: null as Screen | null, sinceScreen: 0, sinceBreath: 0, time: 0 };
  const lines: string[] = [];
  let bytes = 0;
  let marked = 0;
  let end = 0;
  const keep = async (screen: Screen, label: string | null, time: number, offset: number) => {
    await screen.flushed();
    const entry: RecordedScreen = { offset, time, cols: screen.cols, rows: screen.rows, label, screen: screen.serialize() };
    const line = `${JSON.stringify(entry)}\n`;
    bytes += line.length;
    if (bytes <= MOST_INDEX_BYTES) lines.push(line);
    player.sinceScreen = 0;
    await nextTick();
  };
  try {
    for await (const { text, from, to } of linesOf(file, 0)) {
      if (!player.screen) {
        const first = header.safeParse(jsonOf(text));
        if (!first.success) return null;
        player.screen = new Screen({ cols: first.data.width, rows: first.data.height, everyRow: false }, null, silent);
        end = to;
        continue;
      }
      const event = eventLine.safeParse(jsonOf(text));
      if (!event.success) break;
      const [time, kind, data] = event.data;
      for (let mark = marks[marked]; mark && mark.time <= time; mark = marks[marked]) {
        await keep(player.screen, mark.label, Math.max(0, mark.time), from);
        marked += 1;
      }
      player.time = Math.max(player.time, time);
      await play(player.screen, kind, data, player);
      if (player.sinceScreen >= SCREEN_BYTES) await keep(player.screen, null, player.time, to);
      end = to;
    }
    if (!player.screen) return null;
    for (const mark of marks.slice(marked)) await keep(player.screen, mark.label, player.time, end);
    return lines;
  } finally {
    player.screen?.dispose();
  }
}

const silent = { onMark() {}, onReply() {}, onParsed() {} };

async function play(screen: Screen, kind: string, data: string, since: { sinceScreen: number; sinceBreath: number }): Promise<void> {
  if (kind === 'r') {
    const parsed = /^(\d+)x(\d+)$/.exec(data);
    const [cols, rows] = [size.safeParse(Number(parsed?.[1])), size.safeParse(Number(parsed?.[2]))];
    await screen.flushed();
    if (cols.success && rows.success) screen.resize(cols.data, rows.data);
  }
  if (kind !== 'o') return;
  const chunk = losslessEncode(data);
  screen.write(chunk);
  since.sinceScreen += chunk.length;
  since.sinceBreath += chunk.length;
  if (since.sinceBreath < BREATH_BYTES) return;
  since.sinceBreath = 0;
  await screen.flushed();
  await nextTick();
}
