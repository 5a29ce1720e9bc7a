// A live terminal over one TTY. This is the only place that reads the TTY; what it reads goes to the viewers' tail, the screen and the
// recorder. Only our own parser may slow the program at the other end, a viewer never does.
import { delay } from '../lib/abort.ts';
import type { TtyConnection } from '../lib/connection.ts';
import { Tail } from '../lib/tail.ts';
import { Prompt } from './prompt.ts';
import type { TerminalRecorder } from './recorder.ts';
import { Screen } from './screen.ts';
import type { Capture, Observation, Settled, Terminal } from './terminal.ts';
import { type TypingSurface, typeKeys } from './typing.ts';

export interface TerminalOptions {
  cols: number;
  rows: number;
  /** The shell's `token` (shell.ts). Left out, no marks are believed and waits take their full time. */
  token?: string | null;
  recorder?: TerminalRecorder;
  /** Draw all of a flood of output, as `capture` needs; left out, what scrolls past unseen is only counted. */
  everyRow?: boolean;
}

/** Unparsed bytes above which the program at the other end is made to wait, and below which it goes on. */
const BACKLOG_HIGH = 1024 * 1024;
/** Answers to device queries that may wait to be sent; a program that asks without reading gets no more. */
const REPLIES_WAITING = 64;
/** An observation's size unless told otherwise. */
const OBSERVATION_BYTES = 10_000;
/** What a shell without marks gets to print its first prompt, after its last output. */
const UNMARKED_QUIET_MS = 100;
/** Silence after which no more output is expected of a program that was reported as ended. */
const LAST_OUTPUT_MS = 500;

/**
 * Opens a terminal over a TTY and owns the connection from then on. Answers at once; `ready` waits for the first prompt. Never fails
 * for what the program at the other end does: a lost connection is an exit.
 */
export async function openTerminal(connection: TtyConnection, options: TerminalOptions): Promise<Terminal> {
  const bytes = new Tail();
  const prompt = new Prompt();
  const recorder = options.recorder;
  /** The shell is known to give no marks. */
  const unmarked = () => prompt.unmarked || (options.token ?? null) === null;
  let exited = false;
  let lastActivity = performance.now();
  let repliesWaiting = 0;
  const watchers = new Set<() => void>();
  const wake = () => {
    for (const watcher of [...watchers]) watcher();
  };
  const draw = () => ({ screen: screen.serialize(), cols: screen.cols, rows: screen.rows });

  const screen = new Screen({ everyRow: false, ...options }, options.token ?? null, {
    onMark: (mark) => prompt.saw(mark),
    onReply(data) {
      if (repliesWaiting >= REPLIES_WAITING || exited) return;
      repliesWaiting += 1;
      const sent = () => {
        repliesWaiting -= 1;
      };
      connection.write(data).then(sent, sent);
    },
    onParsed() {
      if (screen.textAfterMark) prompt.sawText();
      recorder?.parsed();
      wake();
    },
  });

  recorder?.attach(() => (screen.backlog === 0 ? draw() : null));

  const read = async () => {
    try {
      for await (const chunk of connection.output as AsyncIterable<Uint8Array>) {
        lastActivity = performance.now();
        // A small piece of a large allocation would keep all of it alive in the tail.
        bytes.append(chunk.byteLength * 2 < chunk.buffer.byteLength ? Uint8Array.from(chunk) : chunk);
        recorder?.output(chunk);
        screen.write(chunk);
        if (screen.backlog > BACKLOG_HIGH) await screen.flushed();
      }
    } catch {
      // The connection broke: for whoever waits that is the same as an exit.
    }
    await screen.flushed();
  };
  /** Output may be on its way when the end is reported; it is over when none has come for a moment. */
  const silent = async () => {
    await connection.exited;
    lastActivity = performance.now();
    for (let left = LAST_OUTPUT_MS; left > 0; left = lastActivity + LAST_OUTPUT_MS - performance.now()) await delay(left);
  };
  const ended = Promise.race([read(), silent()]).catch(() => {});
  const closed = ended.then(() => {
    exited = true;
    bytes.close();
    wake();
  });

  /** Waits until `decide` gives an answer. It is asked after each parsed slice, and again after as many ms as it says. */
  function until<T>(decide: () => { value: T } | { againMs: number }, signal: AbortSignal | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const stop = () => {
        clearTimeout(timer);
        watchers.delete(check);
        signal?.removeEventListener('abort', abort);
      };
      const abort = () => {
        stop();
        reject(signal?.reason);
      };
      const check = () => {
        clearTimeout(timer);
        const decision = decide();
        if ('value' in decision) {
          stop();
          resolve(decision.value);
        } else {
          timer = setTimeout(check, Math.min(Math.max(1, Math.ceil(decision.againMs)), 2 ** 31 - 1));
        }
      };
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', abort, { once: true });
      watchers.add(check);
      check();
    });
  }

  const idleness = () => (screen.backlog > 0 ? ({ is: 'wait', ms: 5 } as const) : prompt.idleness(performance.now() - lastActivity));

  const surface: TypingSurface = {
    async write(keys) {
      lastActivity = performance.now();
      prompt.sent(keys);
      await connection.write(keys);
      lastActivity = performance.now();
    },
    reading: () => prompt.reading && screen.backlog === 0,
    bracketedPaste: () => screen.bracketedPaste,
    async awaitReading({ runningMs, stalledMs }) {
      const typedAt = performance.now();
      let { pending } = prompt;
      let progressAt = typedAt;
      await until(() => {
        const now = performance.now();
        if (prompt.pending !== pending) {
          pending = prompt.pending;
          progressAt = now;
        }
        const left = Math.min(progressAt + stalledMs - now, prompt.running ? typedAt + runningMs - now : Number.POSITIVE_INFINITY);
        return exited || surface.reading() || left <= 0 ? { value: undefined } : { againMs: left };
      }, undefined);
    },
  };

  return {
    get cols() {
      return screen.cols;
    },
    get rows() {
      return screen.rows;
    },
    bytes,
    get marks() {
      return prompt.marks;
    },
    get applicationCursor() {
      return screen.applicationCursor;
    },
    get exited() {
      return exited;
    },

    ready(timeoutMs, signal) {
      const end = performance.now() + timeoutMs;
      return until(() => {
        const now = performance.now();
        const state = idleness();
        if (state.is === 'idle') prompt.reported();
        if (exited || state.is === 'idle' || now >= end) return { value: undefined };
        const quiet = now - lastActivity;
        if (unmarked() && bytes.end > 0 && quiet >= UNMARKED_QUIET_MS) return { value: undefined };
        const againMs = unmarked() ? Math.max(1, UNMARKED_QUIET_MS - quiet) : state.is === 'wait' ? state.ms : end - now;
        return { againMs: Math.min(againMs, end - now) };
      }, signal);
    },

    async send(keys) {
      if (keys !== '' && !exited) await typeKeys(keys, surface);
    },

    settle(durationMs, { early = true, signal } = {}) {
      const start = performance.now();
      return until<Settled>(() => {
        const elapsedMs = performance.now() - start;
        const answer = (reason: Settled['reason']) => ({ value: { reason, exitCode: prompt.exitCode, elapsedMs } });
        if (exited) return answer('exited');
        const state = early ? idleness() : ({ is: 'busy' } as const);
        if (state.is === 'idle') {
          prompt.reported();
          return answer('idle');
        }
        if (elapsedMs >= durationMs) return answer('elapsed');
        return { againMs: state.is === 'wait' ? Math.min(state.ms, durationMs - elapsedMs) : durationMs - elapsedMs };
      }, signal);
    },

    async observe(limitBytes = OBSERVATION_BYTES): Promise<Observation> {
      await screen.flushed();
      return screen.observe(limitBytes);
    },

    async screen() {
      await screen.flushed();
      return screen.text();
    },

    async capture(historyRows): Promise<Capture> {
      await screen.flushed();
      return screen.capture(historyRows);
    },

    async keyframe() {
      await screen.flushed();
      return { ...draw(), cursor: screen.parsed };
    },

    async resize(cols, rows) {
      await screen.flushed();
      screen.resize(cols, rows);
      recorder?.resized(cols, rows);
      await connection.resize(cols, rows);
    },

    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]();
      await closed;
      screen.dispose();
    },
  };
}
