// Keys as their user wants them: which actions got other keys than they came with. Kept in this browser.
import * as z from 'zod';
import { create } from 'zustand';

const kept = z.object({
  /** By the action's id: its chord, or an empty text for none. */
  keys: z.record(z.string(), z.string()).default({}),
  /** Actions with keys that this browser has met, so that those of other screens can be listed too. */
  met: z.record(z.string(), z.object({ title: z.string(), section: z.string(), keys: z.array(z.string()) })).default({}),
});
export type Rebinding = z.infer<typeof kept>;

const KEY = 'termarium.keys';

export const useRebinding = create<Rebinding>(() => read());

/** Gives an action another chord, or with an empty text none. */
export function rebind(id: string, chord: string): void {
  change(({ keys }) => ({ keys: { ...keys, [id]: chord } }));
}

/** Gives one action, or with no id all of them, the keys that it came with. */
export function resetKeys(id?: string): void {
  change(({ keys }) => ({ keys: id === undefined ? {} : Object.fromEntries(Object.entries(keys).filter(([each]) => each !== id)) }));
}

/** The chords of an action now. */
export function chordsOf(id: string, own: readonly string[] | undefined): readonly string[] | undefined {
  const chord = useRebinding.getState().keys[id];
  return chord === undefined ? own : chord === '' ? [] : [chord];
}

/** Remembers actions that have keys. */
export function meet(actions: readonly { id: string; title: string; section: string; keys?: readonly string[] }[]): void {
  const { met } = useRebinding.getState();
  const fresh = actions.filter(({ id, title, keys }) => keys !== undefined && keys.length > 0 && met[id]?.title !== title);
  if (fresh.length === 0) return;
  const learnt = fresh.map(({ id, title, section, keys = [] }) => [id, { title, section, keys: [...keys] }]);
  change(() => ({ met: { ...met, ...Object.fromEntries(learnt) } }));
}

/** Ids of the other actions that a chord would run too, or whose sequence it would cut off at its first key. */
export function conflictsOf({ keys, met }: Rebinding, id: string, chord: string): string[] {
  if (chord === '') return [];
  const clashes = (other: string) => other === chord || other.startsWith(`${chord} `) || chord.startsWith(`${other} `);
  return Object.entries(met)
    .filter(
      ([each, action]) =>
        each !== id && (keys[each] === undefined ? action.keys : [keys[each]]).some((other) => other !== '' && clashes(other)),
    )
    .map(([each]) => each);
}

function change(next: (now: Rebinding) => Partial<Rebinding>): void {
  useRebinding.setState(next(useRebinding.getState()));
  try {
    localStorage.setItem(KEY, JSON.stringify(useRebinding.getState()));
  } catch {
    // Full or forbidden storage costs the memory of the choice, not the choice.
  }
}

function read(): Rebinding {
  try {
    const parsed = kept.safeParse(JSON.parse(localStorage.getItem(KEY) ?? '{}'));
    if (parsed.success) return parsed.data;
  } catch {
    // Unreadable, or no browser at all: the keys that actions came with.
  }
  return kept.parse({});
}
