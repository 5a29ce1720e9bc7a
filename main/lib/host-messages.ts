// What the desktop shell and the backend process say to each other beside the pages' own ports.
import type { ErrorData } from '../contract/errors.ts';

/** From the shell. `start` comes first; a `window` message carries the port of one page; `close` asks for an orderly end. */
export type ToHost =
  /** `root` holds configs/ and resources/; `data` is the user's data folder where it is not the default one. */
  { kind: 'start'; root: string; data?: string } | { kind: 'window' } | { kind: 'close' };

/** From the backend. `opening` says where things are before anything can fail; `failed` says what stands in the way. */
export type FromHost =
  | { kind: 'opening'; data: string; logs: string; logFile: string }
  | { kind: 'ready' }
  | { kind: 'failed'; error: ErrorData }
  | { kind: 'closed' };

/** Milliseconds that an orderly end may take: abort rollouts, remove containers, checkpoint the database. */
export const closeMs = 10_000;
