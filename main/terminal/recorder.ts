// Writes a terminal's output as an asciicast v2 file while it happens, with screens beside it to seek to. It never makes the terminal
// wait and never fails it: a full disk or a reached limit ends the recording, not the rollout.
import { type FileHandle, open } from 'node:fs/promises';
import { messageOf } from '../lib/errors.ts';
import type { Keyframe } from './terminal.ts';
import { losslessDecoder } from './utf8.ts';

/** What a terminal needs of a recorder. */
export interface TerminalRecorder {
  /** The terminal hands over how to draw its screen; null while bytes are recorded but not yet on it. */
  attach(draw: () => Omit<Keyframe, 'cursor'> | null): void;
  output(chunk: Uint8Array): void;
  resized(cols: number, rows: number): void;
  /** Output has reached the screen: a good moment for a keyframe. */
  parsed(): void;
}

export interface Recorder extends TerminalRecorder, AsyncDisposable {
  /** Leaves a marker (`"m"` event) with a screen to seek to, e.g. at the start of a turn. */
  mark(label: string): void;
  /** `cut`: `maxBytes` is reached. `failed`: the file cannot be written; `problem` says why. What came before is kept. */
  readonly state: 'recording' | 'cut' | 'failed';
  readonly problem: string | null;
  /** Bytes of the recording so far, those on their way to the disk included. */
  readonly size: number;
  /** Resolves when everything recorded so far is handed to the file system. */
  flushed(): Promise<void>;
}

/** One line of the index file `<recording>.idx`: the screen as it is before the event at `offset` of the recording. */
export interface RecordedScreen {
  offset: number;
  /** Seconds since the start. */
  time: number;
  cols: number;
  rows: number;
  /** Label of the marker it belongs to, null for those in between. */
  label: string | null;
  /** Text with escape sequences. */
  screen: string;
}

export interface RecorderOptions {
  cols: number;
  rows: number;
  /** Limit of the recording and its index together; 64 MiB by default. */
  maxBytes?: number;
}

const MAX_BYTES = 64 * 1024 * 1024;
/** Written at the latest after so many ms or bytes. */
const BATCH_MS = 250;
const BATCH_BYTES = 64 * 1024;
/** Output that comes within this time is one event. */
const EVENT_MS = 10;
/** Output between two screens: at least so many bytes and ms, so that a flood is not slowed down by drawing. */
const SCREEN_BYTES = 256 * 1024;
const SCREEN_MS = 250;
/** Bytes that may wait for a slow disk. */
const WAITING_BYTES = 16 * 1024 * 1024;

/**
 * Starts a recording at `path` (replaced if it exists) and its index at `<path>.idx`. Rejects only if the files cannot be created.
 *
 * Format: asciicast v2 (a JSON header line, then `[seconds, "o" | "r" | "m", text]` lines). Bytes that are no UTF-8 are kept as lone
 * surrogates (utf8.ts). The file is a valid prefix at any time; a crash loses 250 ms at most and may cut the last line.
 */
export async function openRecorder(path: string, options: RecorderOptions): Promise<Recorder> {
  const recording = await open(path, 'w');
  const index = await open(`${path}.idx`, 'w').catch(async (error: unknown) => {
    await recording.close();
    throw error;
  });
  const maxBytes = options.maxBytes ?? MAX_BYTES;
  const start = performance.now();
  const decoder = losslessDecoder();
  const screens = batchedFile(index, { onFailure: fail });
  // The index goes first: whoever reads a moment of the recording finds the marks and screens that lie before it.
  const files = {
    recording: batchedFile(recording, { before: closeEvent, after: () => screens.flushed(), onFailure: fail }),
    index: screens,
  };
  let state: Recorder['state'] = 'recording';
  let problem: string | null = null;
  let draw: () => Omit<Keyframe, 'cursor'> | null = () => null;
  let event: { at: number; text: string } | null = null;
  let sinceScreen = { bytes: 0, at: start };
  let waitingLabels: string[] = [];

  function fail(error: unknown): void {
    if (state === 'failed') return;
    state = 'failed';
    problem = messageOf(error);
  }
  const seconds = (at: number) => Math.round((at - start) * 1000) / 1e6;
  const line = (at: number, kind: 'o' | 'r' | 'm', text: string) => `${JSON.stringify([seconds(at), kind, text])}\n`;

  function closeEvent(): void {
    if (!event || event.text === '') return;
    const { at, text } = event;
    event = null;
    append(line(at, 'o', text));
  }

  function append(text: string): void {
    if (state !== 'recording') return;
    if (files.recording.size + files.index.size + text.length > maxBytes || files.recording.waiting > WAITING_BYTES) {
      const why = `recording stopped here: ${files.recording.waiting > WAITING_BYTES ? 'the disk cannot keep up' : `limit of ${maxBytes} bytes reached`}`;
      const now = performance.now();
      files.recording.append(line(now, 'o', `\r\n[${why}]\r\n`) + line(now, 'm', why));
      state = 'cut';
      return;
    }
    files.recording.append(text);
  }

  function takeScreen(label: string | null, shown: Omit<Keyframe, 'cursor'>): void {
    closeEvent();
    const now = performance.now();
    sinceScreen = { bytes: 0, at: now };
    if (label !== null) append(line(now, 'm', label));
    const entry: RecordedScreen = { offset: files.recording.size, time: seconds(now), label, ...shown };
    if (state === 'recording') files.index.append(`${JSON.stringify(entry)}\n`);
  }

  append(
    `${JSON.stringify({
      version: 2,
      width: options.cols,
      height: options.rows,
      timestamp: Math.floor(Date.now() / 1000),
      env: { TERM: 'xterm-256color' },
    })}\n`,
  );

  return {
    get state() {
      return state;
    },
    get problem() {
      return problem;
    },
    get size() {
      return files.recording.size;
    },
    attach(drawing) {
      draw = drawing;
    },
    output(chunk) {
      if (state !== 'recording') return;
      const now = performance.now();
      if (event && (now - event.at > EVENT_MS || event.text.length > BATCH_BYTES)) closeEvent();
      event ??= { at: now, text: '' };
      event.text += decoder.decode(chunk);
      sinceScreen.bytes += chunk.length;
      files.recording.soon();
    },
    resized(cols, rows) {
      closeEvent();
      append(line(performance.now(), 'r', `${cols}x${rows}`));
    },
    mark(label) {
      const shown = waitingLabels.length === 0 ? draw() : null;
      if (shown) takeScreen(label, shown);
      else waitingLabels.push(label);
    },
    parsed() {
      if (state !== 'recording') return;
      const due = sinceScreen.bytes >= SCREEN_BYTES && performance.now() - sinceScreen.at >= SCREEN_MS;
      if (!due && waitingLabels.length === 0) return;
      const shown = draw();
      if (!shown) return;
      for (const label of waitingLabels.length > 0 ? waitingLabels : [null]) takeScreen(label, shown);
      waitingLabels = [];
    },
    async flushed() {
      closeEvent();
      await Promise.all([files.recording.flushed(), files.index.flushed()]);
    },
    async [Symbol.asyncDispose]() {
      const left = decoder.end();
      if (left !== '') event = { at: event?.at ?? performance.now(), text: (event?.text ?? '') + left };
      closeEvent();
      for (const label of waitingLabels) append(line(performance.now(), 'm', label));
      await Promise.all([files.recording.close(), files.index.close()]);
    },
  };
}

interface BatchedFile {
  /** Bytes given so far. */
  readonly size: number;
  /** Bytes given and not yet written. */
  readonly waiting: number;
  append(text: string): void;
  /** Makes sure that a batch goes out within 250 ms. */
  soon(): void;
  flushed(): Promise<void>;
  close(): Promise<void>;
}

interface BatchOptions {
  /** Called when a batch's time has come; may append to it. */
  before?: () => void;
  /** What each write waits for. */
  after?: () => Promise<void>;
  onFailure: (error: unknown) => void;
}

/** Appends text in batches, one write at a time and in order. After a failed write everything further is dropped. */
function batchedFile(file: FileHandle, { before, after, onFailure }: BatchOptions): BatchedFile {
  let batch: Buffer[] = [];
  let batched = 0;
  let size = 0;
  let waiting = 0;
  let failed = false;
  let timer: NodeJS.Timeout | null = null;
  let writing = Promise.resolve();

  function write(): void {
    if (batched === 0) return;
    const bytes = Buffer.concat(batch);
    batch = [];
    batched = 0;
    writing = writing.then(async () => {
      try {
        await after?.();
        if (!failed) await file.appendFile(bytes);
      } catch (error) {
        failed = true;
        onFailure(error);
      }
      waiting -= bytes.length;
    });
  }
  function soon(): void {
    timer ??= setTimeout(() => {
      timer = null;
      before?.();
      write();
    }, BATCH_MS);
  }
  return {
    get size() {
      return size;
    },
    get waiting() {
      return waiting;
    },
    append(text) {
      const bytes = Buffer.from(text);
      batch.push(bytes);
      batched += bytes.length;
      size += bytes.length;
      waiting += bytes.length;
      if (batched >= BATCH_BYTES) write();
      else soon();
    },
    soon,
    async flushed() {
      write();
      await writing;
    },
    async close() {
      if (timer) clearTimeout(timer);
      write();
      await writing;
      await file.close();
    },
  };
}
