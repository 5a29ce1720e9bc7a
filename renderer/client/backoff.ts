// How long to wait before trying again.

/**
 * Milliseconds before try number `attempt` (0 is the first repeat): doubles from `first` up to `longest`, of which a random half is
 * taken off, so that many pages do not come back to a restarted backend in step.
 */
export function backoff(attempt: number, random: () => number = Math.random, first = 250, longest = 10_000): number {
  const full = Math.min(longest, first * 2 ** Math.min(attempt, 30));
  return Math.round(full / 2 + (full / 2) * random());
}

/** Resolves after `ms`, or as soon as the signal aborts. Never rejects: the caller looks at the signal. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
