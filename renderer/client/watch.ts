// The loops that follow what changes. A watch is an ordinary call that parks until something is newer than the cursor; the next call is
// made only after the answer was used, so a slow page is never flooded and a reconnect is just one more call.
import type { TailAnswer } from '../../main/contract/watch.ts';
import { backoff, pause } from './backoff.ts';
import { isAborted, isDisconnected, labError } from './errors.ts';

/** Answer of every row watch of the contract (`rowsOf`). */
export interface RowsAnswer<Row> {
  kind: 'all' | 'changed';
  rows: Row[];
  removed: string[];
  cursor: number;
  more: boolean;
}

/** `all`: forget what you have. `changed`: merge these rows in, drop `removed`. */
export type RowsChange<Row> = Pick<RowsAnswer<Row>, 'kind' | 'rows' | 'removed'>;

/**
 * Repeats `step` until it answers `end`, the signal aborts, or an error says that asking again cannot help. A lost connection is
 * retried quietly (the next call waits for the next connection); a retryable failure or a bug of the lab is reported to `onError` and
 * retried with growing pauses; any other failure is reported and ends the loop. Never rejects.
 */
export async function watchLoop<Answer>(
  step: (signal: AbortSignal) => Promise<Answer | 'end'>,
  signal: AbortSignal,
  onError?: (error: unknown) => void,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    try {
      if ((await step(signal)) === 'end') return;
      failures = 0;
    } catch (error) {
      if (signal.aborted || isAborted(error)) return;
      if (!isDisconnected(error)) {
        onError?.(error);
        const told = labError(error);
        if (told && !told.retryable && told.code !== 'internal') return;
      }
      await pause(backoff(failures), signal);
      failures += 1;
    }
  }
}

/** Follows one row watch from nothing: `apply` gets every change in order, and the first one is always `all`. See `watchLoop` for errors. */
export function watchRows<Row extends { id: string; rev: number }>(
  call: (input: { after?: number }, options: { signal: AbortSignal }) => Promise<RowsAnswer<Row>>,
  apply: (change: RowsChange<Row>) => void,
  signal: AbortSignal,
  onError?: (error: unknown) => void,
): Promise<void> {
  let cursor: number | undefined;
  return watchLoop(
    async (inner) => {
      const answer = await call(cursor === undefined ? {} : { after: cursor }, { signal: inner });
      if (inner.aborted) return 'end';
      const first = cursor === undefined;
      cursor = answer.cursor;
      // A parked watch may answer that nothing changed; an empty `all` still has to clear what is shown.
      if (first || answer.kind === 'all' || answer.rows.length > 0 || answer.removed.length > 0) {
        apply({ kind: answer.kind, rows: answer.rows, removed: answer.removed });
      }
      return answer;
    },
    signal,
    onError,
  );
}

/** What to do with a terminal. A returned promise holds back the next read, so give xterm's write callback as one. */
export interface TailHandlers {
  data(bytes: Uint8Array): void | Promise<void>;
  /** The reader fell behind, or came late: reset the terminal, resize it, and write this. */
  screen(screen: { text: string; cols: number; rows: number }): void | Promise<void>;
  exit?(): void;
}

/** Follows a terminal from its beginning (or its current screen) to its exit, then resolves. */
export function watchTail(
  call: (input: { cursor: number }, options: { signal: AbortSignal }) => Promise<TailAnswer>,
  handlers: TailHandlers,
  signal: AbortSignal,
  onError?: (error: unknown) => void,
): Promise<void> {
  let cursor = 0;
  return watchLoop(
    async (inner) => {
      const answer = await call({ cursor }, { signal: inner });
      if (inner.aborted) return 'end';
      switch (answer.kind) {
        case 'more':
          await handlers.data(bytesOf(answer.data));
          break;
        case 'screen':
          await handlers.screen({ text: answer.screen, cols: answer.cols, rows: answer.rows });
          break;
        case 'exit':
          handlers.exit?.();
          return 'end';
      }
      cursor = answer.cursor;
      return answer;
    },
    signal,
    onError,
  );
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
