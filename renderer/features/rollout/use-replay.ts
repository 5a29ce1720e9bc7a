// The recording of a rollout on this page: its timeline as it grows, and the one moment that terminal, track and turns share.
import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { watchLoop } from '../../client/index.ts';
import { type Lab, useLab } from '../../data/lab.tsx';
import { type TurnTime, turnAt } from './cast.ts';
import { createReplay, type Replay } from './replay.ts';

export interface Recording {
  replay: Replay;
  /** Seconds of it that there are; 0 where there is no recording. */
  seconds: number;
  turns: readonly TurnTime[];
}

const noTurns: readonly TurnTime[] = [];

export function useRecording(rolloutId: string): Recording {
  const lab = useLab();
  const replay = useMemo(() => replayOf(lab, rolloutId), [lab, rolloutId]);
  const [known, setKnown] = useState({ seconds: 0, turns: noTurns });
  useEffect(() => {
    const leaving = new AbortController();
    let after: number | undefined;
    const step = async (signal: AbortSignal) => {
      const { cursor, seconds, turns } = await lab.client.rollouts.watchTimeline({ rolloutId, after }, { signal });
      after = cursor;
      replay.grow(seconds);
      setKnown({ seconds, turns });
    };
    void watchLoop(step, leaving.signal);
    return () => {
      leaving.abort();
      replay.pause();
    };
  }, [lab, rolloutId, replay]);
  return useMemo(() => ({ replay, ...known }), [replay, known]);
}

function replayOf({ client }: Lab, rolloutId: string): Replay {
  const source = {
    seek: (at: number, signal: AbortSignal) => client.rollouts.seek({ rolloutId, at }, { signal }),
    read: (offset: number, signal: AbortSignal) => client.rollouts.recording({ rolloutId, offset }, { signal }),
  };
  return createReplay(source, (tick) => {
    let frame = requestAnimationFrame(function next(now) {
      frame = requestAnimationFrame(next);
      tick(now);
    });
    return () => cancelAnimationFrame(frame);
  });
}

/** Number of the turn that the chosen moment lies in; null where the end is shown. */
export function useReplayTurn({ replay, turns }: Recording): number | null {
  return useStore(replay.store, ({ at }) => (at === null ? null : turnAt(turns, at)));
}
