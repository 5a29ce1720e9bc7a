// Takes the reader to what was found: to the turn, then to the very line in it, and stays there however the heights around it turn out.
import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { findPattern } from '../../../main/contract/schema/find.ts';
import { paint, unpaint } from './highlight.ts';
import type { Turn } from './turns.ts';
import type { Find } from './use-find.ts';

/** Frames in a row in which the hit must not move before it counts as reached; and frames after which it is given up. */
const STILL = 3;
const MOST_FRAMES = 40;
/** Where in the view a hit comes to lie, as a share of its height. */
const HEIGHT = 0.35;

interface Options {
  find: Find;
  turns: readonly Turn[];
  scroller: RefObject<HTMLElement | null>;
  virtualizer: Virtualizer<HTMLElement, Element>;
  onReach: (index: number) => void;
}

export function useHits({ find, turns, scroller, virtualizer, onReach }: Options): void {
  const { open, text, matchCase, hit, jumps } = find;
  const pattern = useMemo(() => (open && text !== '' ? findPattern(text, matchCase) : null), [open, text, matchCase]);
  const latest = useRef({ pattern, hit, turns, onReach });
  latest.current = { pattern, hit, turns, onReach };

  // After every rendering on purpose: turns come and go while one scrolls, and each brings its hits.
  useLayoutEffect(() => {
    if (pattern && scroller.current) paint(scroller.current, pattern, hit);
  });
  useEffect(() => (pattern ? unpaint : undefined), [pattern]);

  useEffect(() => {
    const { hit: wanted, turns: known, onReach: reach } = latest.current;
    if (jumps === 0 || !wanted) return;
    const index = known.findIndex((turn) => nodesOf(turn).some((node) => node.id === wanted.nodeId));
    if (index < 0) return;
    reach(index);
    return settle(() => place(latest.current, scroller.current, virtualizer, index));
  }, [jumps, scroller, virtualizer]);
}

function nodesOf(turn: Turn) {
  return [...turn.prompt, ...(turn.response ? [turn.response] : []), ...turn.replies];
}

/** Scrolls so that the hit lies where it is easily seen; answers how far it was from there. */
function place(
  { pattern, hit }: { pattern: RegExp | null; hit: Find['hit'] },
  element: HTMLElement | null,
  virtualizer: Virtualizer<HTMLElement, Element>,
  index: number,
): number {
  if (!pattern || !element) return 0;
  const range = paint(element, pattern, hit);
  const view = element.getBoundingClientRect();
  if (!range) {
    const start = virtualizer.getOffsetForIndex(index, 'start')?.[0] ?? 0;
    const off = Math.abs(element.scrollTop - start);
    element.scrollTop = start;
    return Math.max(off, 2);
  }
  const box = range.getBoundingClientRect();
  const before = element.scrollTop;
  element.scrollTop += box.top - view.top - view.height * HEIGHT;
  // At either end the hit cannot lie there; what counts is that nothing moves any more.
  return Math.abs(element.scrollTop - before);
}

/** Repeats a step each frame until it moves nothing for a while. The returned function stops it. */
function settle(step: () => number): () => void {
  let still = 0;
  let frames = 0;
  let frame = requestAnimationFrame(function next() {
    still = step() < 1 ? still + 1 : 0;
    frames += 1;
    if (still < STILL && frames < MOST_FRAMES) frame = requestAnimationFrame(next);
  });
  return () => cancelAnimationFrame(frame);
}
