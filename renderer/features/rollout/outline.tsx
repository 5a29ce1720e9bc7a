// The turns as a list of lines: where one is, and where it went wrong.
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { visible } from '../../ui/format.ts';
import { FailIcon, WarnIcon } from '../../ui/icons.ts';
import { failedCommand, summaryOf, type Turn } from './turns.ts';

const ROW = 26;

export function Outline({ turns, current, onGo }: { turns: readonly Turn[]; current: number; onGo: (index: number) => void }) {
  const scroller = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
  });
  useEffect(() => {
    if (current < turns.length && turns.length > 0) virtualizer.scrollToIndex(current);
  }, [current, turns.length, virtualizer]);
  return (
    <nav className="outline" ref={scroller} aria-label="Outline of turns">
      <ol style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const turn = turns[item.index];
          if (!turn) return null;
          return (
            <li key={turn.key} style={{ transform: `translateY(${item.start}px)` }}>
              <button
                type="button"
                className="outline-line"
                aria-current={item.index === current ? 'step' : undefined}
                onClick={() => onGo(item.index)}
              >
                <span className="outline-number figures">{turn.number + 1}</span>
                <span className="cut grow mono outline-words">{visible(summaryOf(turn))}</span>
                <OutlineSign turn={turn} />
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

function OutlineSign({ turn }: { turn: Turn }) {
  const failed = failedCommand(turn);
  if (turn.response?.format?.robust === false) {
    return (
      <span className="sign" data-tone="bad" title="The answer could not be parsed">
        <FailIcon size={12} aria-label="not parsed" />
      </span>
    );
  }
  if (!failed) return null;
  return (
    <span className="sign" data-tone="warn" title={`A command ended with exit code ${failed.exitCode}`}>
      <WarnIcon size={12} aria-label={`exit ${failed.exitCode}`} />
    </span>
  );
}
