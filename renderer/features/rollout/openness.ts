// What is open and closed in the turns, and the place that is being looked at: both outlive a turn that scrolls out of the document.
import { createContext, useContext, useState } from 'react';
import type { FindHit } from '../../../main/contract/schema/find.ts';

export type Openness = Map<string, boolean>;
const OpennessContext = createContext<Openness>(new Map());
export const OpennessProvider = OpennessContext.Provider;

const HitContext = createContext<FindHit | null>(null);
export const HitProvider = HitContext.Provider;

const FocusContext = createContext(false);
/** Inside, one turn is read by itself: everything of it is open. */
export const FocusProvider = FocusContext.Provider;
export const useFocused = () => useContext(FocusContext);

/** The hit that the reader is at, where it lies in this message. */
export function useHit(nodeId: string): FindHit | null {
  const hit = useContext(HitContext);
  return hit?.nodeId === nodeId ? hit : null;
}

/** Whether a place is open, and how to turn that over. `sought` opens it for as long as what is looked for lies in it. */
export function useOpen(place: string, initial: boolean, sought = false): [boolean, () => void] {
  const kept = useContext(OpennessContext);
  const [open, setOpen] = useState(kept.get(place) ?? initial);
  return [
    open || sought,
    () => {
      kept.set(place, !open);
      setOpen(!open);
    },
  ];
}

/** What `data-find` says of the text of one place, so that hits can be painted where they stand. */
export function findPlace(nodeId: string, place: FindHit['place'], index = 0): string {
  return `${nodeId}/${place}/${index}`;
}
