// Reads what recorder.ts wrote, also after a crash: a cut last line is left out, never an error.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import type { RecordedScreen } from './recorder.ts';
import { losslessEncode } from './utf8.ts';

export type RecordingEvent =
  | { kind: 'start'; time: 0; cols: number; rows: number; startedAt: Date | null }
  | { kind: 'output'; time: number; data: Uint8Array }
  | { kind: 'resize'; time: number; cols: number; rows: number }
  | { kind: 'marker'; time: number; label: string };

const header = z.object({ version: z.literal(2), width: z.number().int(), height: z.number().int(), timestamp: z.number().optional() });
const eventLine = z.tuple([z.number(), z.string(), z.string()]);
const screenLine = z.object({
  offset: z.number().int(),
  time: z.number(),
  cols: z.number().int(),
  rows: z.number().int(),
  label: z.string().nullable(),
  screen: z.string(),
});

/**
 * Events of an asciicast v2 file in their order, times in seconds. Ends at the first line that is not whole. Kinds it does not know
 * (input, for one) are passed over. A file that does not start with an asciicast v2 header gives nothing. Rejects where the file
 * cannot be read.
 */
export async function* readRecording(path: string): AsyncGenerator<RecordingEvent> {
  let started = false;
  for await (const value of jsonLines(path)) {
    if (!started) {
      const first = header.safeParse(value);
      if (!first.success) return;
      const { width: cols, height: rows, timestamp } = first.data;
      started = true;
      yield { kind: 'start', time: 0, cols, rows, startedAt: timestamp === undefined ? null : new Date(timestamp * 1000) };
      continue;
    }
    const parsed = eventLine.safeParse(value);
    if (!parsed.success) return;
    const [time, kind, text] = parsed.data;
    if (kind === 'o') yield { kind: 'output', time, data: losslessEncode(text) };
    else if (kind === 'm') yield { kind: 'marker', time, label: text };
    else if (kind === 'r') {
      const size = /^(\d+)x(\d+)$/.exec(text);
      if (size) yield { kind: 'resize', time, cols: Number(size[1]), rows: Number(size[2]) };
    }
  }
}

/** Screens to seek to, oldest first: draw one, then play the recording from its `offset` on. None where there is no index. */
export async function readScreens(path: string): Promise<RecordedScreen[]> {
  const screens: RecordedScreen[] = [];
  try {
    for await (const value of jsonLines(`${path}.idx`)) {
      const parsed = screenLine.safeParse(value);
      if (!parsed.success) break;
      screens.push(parsed.data);
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  return screens;
}

/** Values of a file of JSON lines up to the first that does not parse. */
async function* jsonLines(path: string): AsyncGenerator<unknown> {
  const file = createReadStream(path);
  try {
    for await (const line of createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY })) {
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch {
        return;
      }
      yield value;
    }
  } finally {
    file.destroy();
  }
}
