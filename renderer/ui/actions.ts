// The one list of what can be done now. Menus, keys, tooltips, the palette and the key sheet all read it, so they cannot disagree.
import { useEffect, useRef } from 'react';
import { createStore, useStore } from 'zustand';
import type { Icon } from './icons.ts';
import { chordsOf, meet, useRebinding } from './rebinding.ts';

export interface Action {
  /** Stable name, `runs.pause`: what tests and saved settings refer to. */
  id: string;
  title: string;
  /** Heading in the palette and the key sheet. */
  section: string;
  icon?: Icon;
  /** Chords in the notation of `keys.ts`; the first is the one that is shown. */
  keys?: readonly string[];
  /** More words to find it by. */
  words?: string;
  /** Kept out of the palette where it makes no sense there (moving a cursor). */
  hidden?: boolean;
  run(): void;
}

interface Registry {
  /** By id; later registrations of one id win until they leave. */
  layers: ReadonlyMap<string, readonly Action[]>;
}

const registry = createStore<Registry>(() => ({ layers: new Map() }));

/** Adds actions; the returned function takes exactly these away again. */
export function registerActions(actions: readonly Action[]): () => void {
  meet(actions);
  registry.setState(({ layers }) => {
    const next = new Map(layers);
    for (const action of actions) next.set(action.id, [...(next.get(action.id) ?? []), action]);
    return { layers: next };
  });
  return () =>
    registry.setState(({ layers }) => {
      const next = new Map(layers);
      for (const action of actions) {
        const left = (next.get(action.id) ?? []).filter((known) => known !== action);
        if (left.length > 0) next.set(action.id, left);
        else next.delete(action.id);
      }
      return { layers: next };
    });
}

/** The actions that can be taken now, with the keys that their user gave them. */
export function currentActions(): Action[] {
  return [...registry.getState().layers.values()].flatMap((layer) => withKeys(layer.at(-1)) ?? []);
}

function withKeys(action: Action | undefined): Action | undefined {
  const keys = action && chordsOf(action.id, action.keys);
  return keys === action?.keys || !action || !keys ? action : { ...action, keys };
}

/** One action by id, for a button or a tooltip that shows it. */
export function useAction(id: string): Action | undefined {
  const action = useStore(registry, ({ layers }) => layers.get(id)?.at(-1));
  useRebinding(({ keys }) => keys[id]);
  return withKeys(action);
}

/**
 * Offers actions while the component is mounted. `run` may close over anything: the latest one is called. The list is registered again
 * only when ids, titles, keys or icons change, so rendering does not churn the registry.
 */
export function useActions(actions: readonly Action[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  const shape = JSON.stringify(actions.map(({ id, title, section, keys, words, hidden }) => [id, title, section, keys, words, hidden]));
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` stands for the list; the functions are read through the ref.
  useEffect(
    () =>
      registerActions(
        latest.current.map((action) => ({ ...action, run: () => latest.current.find((now) => now.id === action.id)?.run() })),
      ),
    [shape],
  );
}
