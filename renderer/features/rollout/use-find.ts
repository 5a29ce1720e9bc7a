// Finding in a rollout: what is looked for, what the lab found, and which hit the reader is at.
import { useEffect, useState } from 'react';
import type { FindHit } from '../../../main/contract/schema/find.ts';
import { labError } from '../../client/index.ts';
import { useLab } from '../../data/lab.tsx';

/** Typing rests so long before the lab is asked, in ms. */
const REST_MS = 120;
/** A rollout that plays is searched anew at most so often, in ms. */
const AGAIN_MS = 1500;

interface Found {
  text: string;
  hits: readonly FindHit[];
  more: boolean;
  problem: string | null;
}

const nothing: Found = { text: '', hits: [], more: false, problem: null };

export interface Find {
  open: boolean;
  text: string;
  matchCase: boolean;
  found: Found;
  /** Place in `found.hits`. */
  at: number;
  hit: FindHit | null;
  /** Counts the wishes to go to the hit, also to the one that the reader is at already. */
  jumps: number;
  show(): void;
  close(): void;
  search(text: string): void;
  setMatchCase(matchCase: boolean): void;
  go(by: 1 | -1): void;
}

/** `grown`: anything that changes when the rollout has more to search. */
export function useFind(rolloutId: string, grown: number): Find {
  const { client } = useLab();
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [matchCase, setMatchCase] = useState(false);
  const [found, setFound] = useState(nothing);
  const [at, setAt] = useState(0);
  const [jumps, setJumps] = useState(0);
  const again = found.text === text && text !== '';

  // biome-ignore lint/correctness/useExhaustiveDependencies: `again` only says how long to wait, `grown` that there is more.
  useEffect(() => {
    if (!open || text === '') return setFound(nothing);
    const leaving = new AbortController();
    const timer = setTimeout(
      () => {
        client.rollouts.find({ rolloutId, text, matchCase }, { signal: leaving.signal }).then(
          ({ hits, more }) => {
            setFound({ text, hits, more, problem: null });
            if (again) return;
            setAt(0);
            setJumps((count) => count + 1);
          },
          (thrown: unknown) => {
            if (!leaving.signal.aborted) setFound({ ...nothing, text, problem: labError(thrown)?.message ?? 'The search failed.' });
          },
        );
      },
      again ? AGAIN_MS : REST_MS,
    );
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [client, rolloutId, open, text, matchCase, grown]);

  const count = found.hits.length;
  return {
    open,
    text,
    matchCase,
    found,
    at,
    hit: open ? (found.hits[at] ?? null) : null,
    jumps,
    show: () => setOpen(true),
    close: () => setOpen(false),
    search: setText,
    setMatchCase(next) {
      setFound(nothing);
      setMatchCase(next);
    },
    go(by) {
      if (count === 0) return;
      setAt((at + by + count) % count);
      setJumps(jumps + 1);
    },
  };
}
