// The seam between a sandbox, which can open a TTY, and a terminal, which reads one. Neither knows the other.
import type { Readable } from 'node:stream';

/** A byte pipe to one TTY process. */
export interface TtyConnection extends AsyncDisposable {
  /** Raw bytes of the TTY. Not reading pauses the program at the other end once kernel buffers are full. */
  readonly output: Readable;
  /** Sends bytes to the TTY; resolves when they are handed to the engine. */
  write(data: string | Uint8Array): Promise<void>;
  resize(cols: number, rows: number): Promise<void>;
  /** Resolves when the program at the other end has ended; null where the exit code cannot be known. */
  readonly exited: Promise<number | null>;
}

/** What to start in a TTY. */
export interface TtyRequest {
  command: string[];
  cols: number;
  rows: number;
  user?: string;
  cwd?: string;
  env?: Record<string, string>;
}
