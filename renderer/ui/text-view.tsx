// Long text by line: numbered, virtual, never interpreted. For files, logs and verifier output.
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef } from 'react';
import { visible } from './format.ts';
import './text-view.css';

/** Longest line that is laid out; the rest is said to be there. A 10 MB line would otherwise be one element of 60,000 pixels' worth of glyphs. */
const LONGEST = 20_000;
const LINE = 18;

export function TextView({ text, label, follow = false, wrap = false }: { text: string; label: string; follow?: boolean; wrap?: boolean }) {
  const lines = useMemo(() => text.replace(/\n$/, '').split('\n'), [text]);
  const scroller = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE,
    overscan: 30,
  });
  useEffect(() => {
    if (follow && atEnd.current && lines.length > 0) virtualizer.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [follow, lines, virtualizer]);
  const digits = String(lines.length).length;
  return (
    <section
      ref={scroller}
      className="text-view"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
      onScroll={(event) => {
        const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
        atEnd.current = scrollHeight - scrollTop - clientHeight < LINE * 2;
      }}
    >
      <div className="text-view-body" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const line = lines[item.index] ?? '';
          return (
            <div
              key={item.index}
              ref={wrap ? virtualizer.measureElement : undefined}
              data-index={item.index}
              className={`text-line ${wrap ? 'text-wrap' : ''}`}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <span className="text-number" style={{ width: `${digits + 1}ch` }} aria-hidden>
                {item.index + 1}
              </span>
              <bdi className="text-words">
                {visible(line.slice(0, LONGEST))}
                {line.length > LONGEST && <em className="faint"> … {(line.length - LONGEST).toLocaleString('en-US')} more characters</em>}
              </bdi>
            </div>
          );
        })}
      </div>
    </section>
  );
}
