// Terminals as components: a thumbnail for the wall, and the one that is looked at or worked in. Neither re-mounts on re-render.
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { labError } from '../../client/index.ts';
import { useLab } from '../../data/lab.tsx';
import { useLookKey, usePreferences } from '../../data/preferences.ts';
import { type LiveTerminal, type LiveTerminalOptions, openLiveTerminal } from './live-terminal.ts';
import './terminal.css';

/** Font size at which thumbnails are drawn before they are scaled down: browsers refuse to lay out type smaller than a few pixels. */
const THUMBNAIL_FONT = 10;

/** Columns of a thumbnail: commands and their output mostly end before this, and more would be too small to make out. */
const THUMBNAIL_COLS = 100;

/** What happens in a rollout, at a glance: the part of its screen around the cursor, scaled to the space it is given. Shows only. */
export function TerminalThumbnail({ rolloutId, cols, rows }: { rolloutId: string; cols: number; rows: number }) {
  const { client } = useLab();
  const frame = useRef<HTMLDivElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const live = useRef<LiveTerminal | null>(null);
  useLayoutEffect(() => {
    if (!host.current || !frame.current) return;
    const [outer, inner] = [frame.current, host.current];
    const fit = () => {
      if (inner.offsetWidth === 0) return;
      const { cols: all, rows: lines, buffer } = opened.terminal;
      const scale = outer.clientWidth / ((inner.offsetWidth / all) * Math.min(all, THUMBNAIL_COLS));
      const line = (inner.offsetHeight / lines) * scale;
      const below = Math.max(0, (buffer.active.cursorY + 2) * line - outer.clientHeight);
      inner.style.transform = `translateY(${-Math.min(below, Math.max(0, lines * line - outer.clientHeight))}px) scale(${scale})`;
    };
    const opened = openLiveTerminal(inner, { client, rolloutId, cols, rows, fontSize: THUMBNAIL_FONT, focused: false });
    live.current = opened;
    const moved = opened.terminal.onCursorMove(fit);
    const observer = new ResizeObserver(fit);
    observer.observe(outer);
    observer.observe(inner);
    return () => {
      moved.dispose();
      observer.disconnect();
      opened[Symbol.dispose]();
      live.current = null;
    };
  }, [client, rolloutId, cols, rows]);
  useRepaint(live);
  return (
    <div ref={frame} className="thumbnail-frame" aria-hidden>
      <div ref={host} className="thumbnail-host" />
    </div>
  );
}

export interface TerminalViewProps {
  rolloutId: string;
  /** Where its bytes come from, for a terminal that is no rollout's; `rolloutId` then only tells it from others. */
  read?: LiveTerminalOptions['read'];
  onExit?: () => void;
  cols: number;
  rows: number;
  /** `width`: as small as it takes to see every column. `readable`: the reader's own size, scrolled where it does not fit. */
  fit: 'width' | 'readable';
  /** Given, the terminal is typed into, and takes the size of its pane. */
  onType?: (data: string) => void;
  onResize?: (cols: number, rows: number) => void;
}

/** The terminal that one works in or reads closely. */
export function TerminalView({ rolloutId, cols, rows, fit, onType, onResize, read, onExit }: TerminalViewProps) {
  const { client } = useLab();
  const frame = useRef<HTMLDivElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const live = useRef<LiveTerminal | null>(null);
  const readable = usePreferences((preferences) => preferences.terminalSize);
  const [failure, setFailure] = useState<string | null>(null);
  const interactive = onType !== undefined;
  // The latest callbacks and sizes are read through refs: none of them may open the terminal anew.
  const type = useRef(onType);
  const resize = useRef(onResize);
  const source = useRef(read);
  const exit = useRef(onExit);
  const opening = useRef({ cols, rows, readable });
  type.current = onType;
  resize.current = onResize;
  source.current = read;
  exit.current = onExit;

  useLayoutEffect(() => {
    if (!host.current) return;
    const opened = openLiveTerminal(host.current, {
      client,
      rolloutId,
      cols: opening.current.cols,
      rows: opening.current.rows,
      fontSize: opening.current.readable,
      focused: true,
      read: source.current,
      onExit: () => exit.current?.(),
      ...(interactive ? { onType: (data: string) => type.current?.(data) } : {}),
      onError: (error) => setFailure(labError(error)?.message ?? null),
    });
    live.current = opened;
    return () => {
      opened[Symbol.dispose]();
      live.current = null;
    };
  }, [client, rolloutId, interactive]);

  useEffect(() => {
    if (!interactive && live.current && !live.current.sized) live.current.terminal.resize(cols, rows);
  }, [cols, rows, interactive]);

  useLayoutEffect(() => {
    const outer = frame.current;
    if (!outer) return;
    const apply = () => {
      const terminal = live.current;
      if (!terminal || outer.clientWidth === 0) return;
      // JetBrains Mono is 0.6 em wide.
      const widest = (outer.clientWidth - 24) / (terminal.terminal.cols * 0.6);
      terminal.setFontSize(fit === 'width' && !interactive ? Math.max(4, Math.min(16, Math.floor(widest * 2) / 2)) : readable);
      if (!interactive) return;
      const fitting = {
        cols: Math.max(20, Math.min(400, Math.floor((outer.clientWidth - 24) / (readable * 0.6)))),
        rows: Math.max(5, Math.min(200, Math.floor((outer.clientHeight - 16) / Math.ceil(readable * 1.32 * 1.15)))),
      };
      if (fitting.cols === terminal.terminal.cols && fitting.rows === terminal.terminal.rows) return;
      terminal.terminal.resize(fitting.cols, fitting.rows);
      resize.current?.(fitting.cols, fitting.rows);
    };
    apply();
    const observer = new ResizeObserver(apply);
    observer.observe(outer);
    return () => observer.disconnect();
  }, [fit, readable, interactive]);
  useRepaint(live);

  return (
    <section
      ref={frame}
      className="terminal-frame"
      aria-label={interactive ? 'Interactive terminal' : 'Terminal'}
      data-keys={interactive ? 'terminal' : undefined}
      data-testid="terminal"
      tabIndex={interactive ? -1 : 0}
    >
      {failure && <p className="terminal-failure">{failure}</p>}
      <div ref={host} className="terminal-host" />
    </section>
  );
}

function useRepaint(live: RefObject<LiveTerminal | null>): void {
  const look = useLookKey();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key changes when the colours do.
  useEffect(() => live.current?.repaint(), [look]);
}
