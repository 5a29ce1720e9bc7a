// The tokens of an answer, each marked by how likely it was. Pointed at or gone to by arrow keys, a token tells its figures.
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { NodeRow } from '../../../main/contract/schema/rollout.ts';
import { count, visible } from '../../ui/format.ts';
import { chanceOf, chances, probability, tokenFigures } from './tokens.ts';

/** Tokens of one part; parts out of view are not laid out. */
const PART = 250;

export function TokenStrip({ node: { tokens, logprobs, tokenIds } }: { node: NodeRow }) {
  const all = useMemo(() => tokens ?? [], [tokens]);
  const figures = useMemo(() => tokenFigures(logprobs ?? []), [logprobs]);
  const [at, setAt] = useState(0);
  const strip = useRef<HTMLElement>(null);
  const parts = useMemo(() => Array.from({ length: Math.ceil(all.length / PART) }, (_, part) => part * PART), [all]);

  // The mark is moved by hand: rendering thousands of tokens for each key would make it stutter.
  useEffect(() => {
    const element = strip.current?.querySelector(`[data-token="${at}"]`);
    element?.setAttribute('data-at', '');
    if (document.activeElement === strip.current) element?.scrollIntoView({ block: 'nearest' });
    return () => element?.removeAttribute('data-at');
  }, [at]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = targetOf(event.key, at, all.length, logprobs ?? []);
    if (to === null) return;
    event.preventDefault();
    setAt(Math.max(0, Math.min(all.length - 1, to)));
  };
  const strips = useMemo(
    () =>
      parts.map((from) => (
        <span key={from} className="tokens-part">
          {all.slice(from, from + PART).map((token, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no other name than their place.
            <span key={index} className="token" data-token={from + index} data-chance={chanceOf(logprobs?.[from + index] ?? 0)}>
              {visible(token)}
            </span>
          ))}
        </span>
      )),
    [parts, all, logprobs],
  );
  const logprob = logprobs?.[at];
  return (
    <div className="token-frame">
      <p className="token-told figures" role="status">
        <span>
          Token {count(at + 1)} of {count(all.length)}
        </span>
        <code className="mono">{JSON.stringify(all[at] ?? '')}</code>
        {logprob !== undefined && (
          <>
            <span>{probability(logprob)}</span>
            <span className="soft">logprob {logprob.toFixed(3)}</span>
          </>
        )}
        {tokenIds?.[at] !== undefined && <span className="faint">id {tokenIds[at]}</span>}
        {figures && (
          <span className="faint">
            mean logprob {figures.mean.toFixed(3)} · perplexity {figures.perplexity.toFixed(2)}
          </span>
        )}
      </p>
      <section
        ref={strip}
        className="tokens"
        aria-label="Tokens: arrow keys go from token to token, N to the next unlikely one"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is read by keys must be reachable by them.
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerOver={(event) => {
          const token = event.target instanceof HTMLElement ? event.target.dataset.token : undefined;
          if (token !== undefined) setAt(Number(token));
        }}
      >
        {strips}
      </section>
      <p className="token-legend">
        {chances.map(({ words }, chance) => (
          <span key={words} className="token" data-chance={chance}>
            {words}
          </span>
        ))}
      </p>
    </div>
  );
}

/** Where a key moves to; null for keys that do not move. */
function targetOf(key: string, at: number, length: number, logprobs: readonly number[]): number | null {
  switch (key) {
    case 'ArrowRight':
      return at + 1;
    case 'ArrowLeft':
      return at - 1;
    case 'ArrowDown':
      return at + 20;
    case 'ArrowUp':
      return at - 20;
    case 'Home':
      return 0;
    case 'End':
      return length - 1;
    case 'n': {
      const next = logprobs.findIndex((value, place) => place > at && chanceOf(value) === 0);
      return next < 0 ? null : next;
    }
    default:
      return null;
  }
}
