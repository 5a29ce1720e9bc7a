// Trying again: which failures deserve it is told by the attempt; how long to wait is decided here.
import { delay } from '../lib/abort.ts';
import { AppError } from '../lib/errors.ts';

export interface Patience {
  /** Tries after the first. */
  retries: number;
  /** Wait before the first retry in ms; it doubles with each one, up to `longestMs`, and is shortened at random by up to half. */
  firstMs: number;
  longestMs: number;
  /** The longest wait that a server's Retry-After is obeyed for, in ms. */
  longestAskedMs: number;
}

export const patience = { firstMs: 500, longestMs: 30_000, longestAskedMs: 60_000 } as const;

/** `again`: whether another try makes sense, and the wait in ms that the server asks for. */
export type Tried<T> = { ok: true; value: T } | { ok: false; error: AppError; again: false | { afterMs: number | null } };

/** Calls `attempt` until it answers, fails for good, or has failed too often; then its last error is thrown. Failed tries are told to `log`. */
export async function withRetries<T>(
  attempt: () => Promise<Tried<T>>,
  { retries, firstMs, longestMs, longestAskedMs }: Patience,
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<T> {
  for (let failed = 0; ; failed += 1) {
    const tried = await attempt();
    if (tried.ok) return tried.value;
    const { error, again } = tried;
    if (!again) throw error;
    if (failed >= retries) {
      if (failed === 0) throw error;
      throw new AppError(error.code, `${error.message} (tried ${failed + 1} times)`, {
        ...(error.hint === undefined ? {} : { hint: error.hint }),
        retryable: error.retryable,
        cause: error,
      });
    }
    // Jitter keeps the rollouts of one run from coming back in step and knocking the server over again.
    const backOff = Math.min(longestMs, firstMs * 2 ** failed) * (0.5 + Math.random() / 2);
    const wait = again.afterMs === null ? backOff : Math.min(again.afterMs, longestAskedMs);
    log(`${error.message}; tried again after ${(wait / 1000).toFixed(1)} s`);
    await delay(wait, signal);
  }
}

/**
 * Milliseconds that a server asks to wait, from `retry-after-ms` (OpenAI, Azure) or `Retry-After` (RFC 9110: seconds or an HTTP date);
 * null where it asks for nothing that can be understood.
 */
export function retryAfterMs(headers: Record<string, string | string[] | undefined>, now: number): number | null {
  const milliseconds = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const after = headers['retry-after'];
  if (typeof after !== 'string' || after.trim() === '') return null;
  const seconds = Number(after);
  if (!Number.isNaN(seconds)) return seconds >= 0 ? seconds * 1000 : null;
  const date = Date.parse(after);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
