// A store that is fed for as long as somebody looks at it: the one way in which what the lab knows reaches components.
import { useEffect } from 'react';
import { createStore, type StoreApi, useStore } from 'zustand';

export interface Feed<State> {
  store: StoreApi<State>;
  /** Keeps the feed running until the returned function is called. */
  hold(): () => void;
}

/** How long a feed goes on after its last viewer left, so that going back and forth between pages reads nothing twice. */
const LINGER_MS = 15_000;

/**
 * `start` runs while the feed is held and ends when its signal aborts. The state survives between two starts, so a page that is opened
 * again shows what it showed while it catches up.
 */
export function createFeed<State>(
  initial: State,
  start: (store: StoreApi<State>, signal: AbortSignal) => void,
  options: { lingerMs?: number; onIdle?: () => void } = {},
): Feed<State> {
  const store = createStore<State>(() => initial);
  let holders = 0;
  let running: AbortController | null = null;
  let leaving: ReturnType<typeof setTimeout> | undefined;
  return {
    store,
    hold() {
      holders += 1;
      clearTimeout(leaving);
      if (!running) {
        running = new AbortController();
        start(store, running.signal);
      }
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        holders -= 1;
        if (holders > 0) return;
        leaving = setTimeout(() => {
          running?.abort();
          running = null;
          options.onIdle?.();
        }, options.lingerMs ?? LINGER_MS);
      };
    },
  };
}

/** Holds the feed while the component is mounted and renders again when the selected part changes. */
export function useFeed<State, Part>(feed: Feed<State>, select: (state: State) => Part): Part {
  useEffect(() => feed.hold(), [feed]);
  return useStore(feed.store, select);
}
