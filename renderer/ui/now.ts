// The time of day for components that show how long something has taken. One timer for the whole page, and none while nobody looks.
import { useSyncExternalStore } from 'react';

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function listen(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Milliseconds since the epoch, renewed every second; with `ticking` false it stands still and costs nothing. */
export function useNow(ticking = true): number {
  return useSyncExternalStore(ticking ? listen : still, () => now);
}

function still(): () => void {
  return () => {};
}
