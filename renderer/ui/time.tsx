// Times that go on.
import { ago, clock, duration, moment } from './format.ts';
import { useNow } from './now.ts';

/** How long ago, with the exact time on hover. */
export function Ago({ at }: { at: number }) {
  const now = useNow();
  return <time title={moment(at)}>{ago(at, Math.max(now, at))}</time>;
}

/** How long something took, or has taken until now. */
export function Took({ from, to }: { from: number | null; to: number | null }) {
  const now = useNow(from !== null && to === null);
  if (from === null) return <span className="faint">–</span>;
  return <span>{to === null ? clock(Math.max(0, now - from)) : duration(to - from)}</span>;
}
