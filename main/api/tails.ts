// Reading what streams: the terminal, the answer being sampled, the recording. Nothing is queued for a reader; one that fell behind gets
// a screen to start again from.
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RolloutRow } from '../contract/schema/rollout.ts';
import type { TailAnswer } from '../contract/watch.ts';
import { delay, isAbort } from '../lib/abort.ts';
import { AppError } from '../lib/errors.ts';
import type { Lab } from '../rollout/lab.ts';
import { nextSampled } from '../rollout/live.ts';
import { readScreens } from '../terminal/recording.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { SeekResult, Timelines } from '../terminal/timeline.ts';
import { PARK_MS } from './watch.ts';

const ENDED = new Set<RolloutRow['status']>(['finished', 'error', 'cancelled', 'interrupted']);
const CHUNK_BYTES = 65_536;

/** How often the recording of a rollout that plays is looked at for more, in ms. */
const LOOK_MS = 500;

export async function readTerminal(lab: Lab, rollout: RolloutRow, cursor: number, signal: AbortSignal): Promise<TailAnswer> {
  const terminal = lab.live.get(rollout.id)?.terminal;
  if (terminal) return await readLive(terminal, cursor, signal);
  if (ENDED.has(rollout.status)) return await readEnded(lab.paths.recordings, rollout.id, cursor);
  await lab.store.wait(['rollout'], lab.store.rev, signal, { scope: rollout.id, maxMs: 1000 });
  return { kind: 'more', data: '', cursor };
}

async function readLive(terminal: Terminal, cursor: number, signal: AbortSignal): Promise<TailAnswer> {
  const { bytes } = terminal;
  if (cursor > bytes.end) return { kind: 'screen', ...(await terminal.keyframe()) };
  const parked = AbortSignal.any([signal, AbortSignal.timeout(PARK_MS)]);
  try {
    const read = await bytes.next(cursor, parked, CHUNK_BYTES);
    if (read.kind === 'lost') return { kind: 'screen', ...(await terminal.keyframe()) };
    if (read.kind === 'end') return { kind: 'exit', cursor };
    return { kind: 'more', data: Buffer.from(read.data).toString('base64'), cursor: read.cursor };
  } catch (error) {
    if (signal.aborted || !(isAbort(error) || (error instanceof Error && error.name === 'TimeoutError'))) throw error;
    return { kind: 'more', data: '', cursor };
  }
}

/** An ended rollout shows the last screen that was kept of it, also where the lab was killed while it played. */
async function readEnded(folder: string, rolloutId: string, cursor: number): Promise<TailAnswer> {
  const last = (await readScreens(join(folder, `${rolloutId}.cast`))).at(-1);
  // Any cursor but 0 will do: there is one screen, and whoever has it is at the end.
  if (last && cursor === 0) return { kind: 'screen', screen: last.screen, cols: last.cols, rows: last.rows, cursor: 1 };
  return { kind: 'exit', cursor };
}

/** Text of the answer that is being sampled, from the cursor on; parks until there is more. */
export async function readSampling(lab: Lab, rollout: RolloutRow, cursor: number, signal: AbortSignal) {
  const playing = lab.live.get(rollout.id);
  if (!playing) {
    const ended = ENDED.has(rollout.status);
    if (!ended) await lab.store.wait(['rollout'], lab.store.rev, signal, { scope: rollout.id, maxMs: 1000 });
    return { turn: null, text: '', cursor: 0, ended };
  }
  try {
    return { ...(await nextSampled(playing.sampling, cursor, AbortSignal.any([signal, AbortSignal.timeout(PARK_MS)]))), ended: false };
  } catch (error) {
    if (signal.aborted || !(isAbort(error) || (error instanceof Error && error.name === 'TimeoutError'))) throw error;
    return { turn: playing.sampling.turn, text: '', cursor, ended: false };
  }
}

/** Whole lines of a recording from byte `offset` on. */
export async function readRecordingSlice(folder: string, rolloutId: string, offset: number, limit: number, live: boolean) {
  const path = join(folder, `${rolloutId}.cast`);
  const total = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (offset >= total) return { text: '', next: offset, total, live };
  await using file = await open(path, 'r');
  const buffer = Buffer.alloc(Math.min(limit, total - offset));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
  const text = buffer.subarray(0, bytesRead);
  const end = text.lastIndexOf(10) + 1;
  const whole = end === 0 ? text : text.subarray(0, end);
  return { text: whole.toString('utf8'), next: offset + whole.length, total, live };
}

/** How long the recording is and where turns begin, parking while it has the length that the reader knows. */
export async function readTimeline(lab: Lab, timelines: Timelines, rolloutId: string, after: number | undefined, signal: AbortSignal) {
  const deadline = performance.now() + PARK_MS;
  for (;;) {
    const live = lab.live.get(rolloutId) !== undefined;
    const { seconds, bytes, marks } = await timelines.read(join(lab.paths.recordings, `${rolloutId}.cast`));
    if (bytes !== after || performance.now() > deadline) {
      return { seconds, bytes, live, turns: turnTimes(marks), cursor: bytes };
    }
    if (live) await delay(LOOK_MS, signal);
    else await lab.store.wait(['rollout'], lab.store.rev, signal, { scope: rolloutId, maxMs: deadline - performance.now() });
  }
}

/** When the turns after the first one begin, by the marks that the rollout left in its recording. */
export function turnTimes(marks: readonly { time: number; label: string }[]): { turn: number; time: number }[] {
  return marks.flatMap(({ time, label }) => {
    const turn = /^turn (\d+)$/.exec(label);
    return turn ? [{ turn: Number(turn[1]), time }] : [];
  });
}

export async function seekRecording(folder: string, timelines: Timelines, rolloutId: string, at: number): Promise<SeekResult> {
  const found = await timelines.seek(join(folder, `${rolloutId}.cast`), at);
  if (found) return found;
  throw new AppError('request.not_found', 'there is no recording of this rollout', {
    hint: 'It has none until its container has started, and none where the recordings folder was emptied.',
  });
}
