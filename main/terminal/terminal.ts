// A terminal as the agent loop and the viewers use it: keys in, settled screens and observations out, bytes for whoever watches.
import type { Tail } from '../lib/tail.ts';

/** Why waiting ended. `idle`: the shell is back at its prompt. `elapsed`: the time asked for is over. `exited`: the shell is gone. */
export interface Settled {
  reason: 'idle' | 'elapsed' | 'exited';
  /** Exit code of the last command that ended since the keys were sent; null where the shell tells none. */
  exitCode: number | null;
  elapsedMs: number;
}

/** What the agent is shown. `screen`: the visible screen. `new`: what was printed since the last observation. */
export interface Observation {
  kind: 'screen' | 'new';
  text: string;
  /** Bytes left out between the first and last part; 0 where nothing is. */
  omittedBytes: number;
}

/** Rows without trailing blanks, each with a line break, blank ones too. */
export interface Capture {
  /** History and screen: `tmux capture-pane -p -S -`. */
  all: string;
  /** The visible screen: `tmux capture-pane -p`. */
  screen: string;
}

/** A screen that a viewer can start from: text with escape sequences, and the tail offset it corresponds to. */
export interface Keyframe {
  screen: string;
  cols: number;
  rows: number;
  /** Offset in `bytes` up to which the screen is complete. */
  cursor: number;
}

export interface Terminal extends AsyncDisposable {
  readonly cols: number;
  readonly rows: number;
  /** Raw bytes for live viewers. A slow viewer loses the window, never slows the terminal. */
  readonly bytes: Tail;
  /** True where the shell reports prompts and exit codes (OSC 133). Known after the first prompt. */
  readonly marks: boolean;
  /** The program wants arrow keys in their application form; give the terminal to `encodeKeys` and they are. */
  readonly applicationCursor: boolean;
  readonly exited: boolean;
  /** Resolves when the first prompt is there, or after `timeoutMs` where no marks come. */
  ready(timeoutMs: number, signal?: AbortSignal): Promise<void>;
  /** Sends keys exactly as given. */
  send(keys: string): Promise<void>;
  /** Waits until the shell is idle again or `durationMs` is over. With `early: false` always waits the full time. */
  settle(durationMs: number, options?: { early?: boolean; signal?: AbortSignal }): Promise<Settled>;
  /** What to show the agent now, at most `limitBytes` of UTF-8 (10,000 by default); the next call continues from here. */
  observe(limitBytes?: number): Promise<Observation>;
  /** Visible screen as plain text, trailing blank lines dropped. */
  screen(): Promise<string>;
  /** Every row as tmux would give it, with at most so many rows of history; needs a terminal that was opened with `everyRow`. */
  capture(historyRows: number): Promise<Capture>;
  keyframe(): Promise<Keyframe>;
  resize(cols: number, rows: number): Promise<void>;
}
