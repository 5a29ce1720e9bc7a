import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createFeed } from './feed.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('runs once for all who look, goes on for a while after the last, and keeps what it had', () => {
  const signals: AbortSignal[] = [];
  let idle = 0;
  const feed = createFeed<number>(
    0,
    (store, signal) => {
      signals.push(signal);
      store.setState(store.getState() + 1, true);
    },
    { lingerMs: 1000, onIdle: () => (idle += 1) },
  );
  const first = feed.hold();
  const second = feed.hold();
  expect(signals).toHaveLength(1);

  first();
  second();
  second();
  vi.advanceTimersByTime(999);
  const back = feed.hold();
  vi.advanceTimersByTime(5000);
  expect(signals[0]?.aborted).toBe(false);

  back();
  vi.advanceTimersByTime(1000);
  expect(signals[0]?.aborted).toBe(true);
  expect(idle).toBe(1);

  feed.hold();
  expect(signals).toHaveLength(2);
  expect(feed.store.getState()).toBe(2);
});
