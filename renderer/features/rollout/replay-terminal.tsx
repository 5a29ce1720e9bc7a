// The screen at a chosen moment of the recording.
import type { Terminal } from '@xterm/xterm';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { useLookKey, usePreferences } from '../../data/preferences.ts';
import { terminalTheme } from '../../ui/terminal/palette.ts';
import { borrowWebgl } from '../../ui/terminal/webgl.ts';
import { newTerminal, openIn } from '../../ui/terminal/xterm.ts';
import type { Replay, ReplayScreen } from './replay.ts';

export function ReplayTerminal({ replay, fit }: { replay: Replay; fit: 'width' | 'readable' }) {
  const frame = useRef<HTMLElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const shown = useRef<Terminal | null>(null);
  const readable = usePreferences((preferences) => preferences.terminalSize);
  const opening = useRef(readable);

  useLayoutEffect(() => {
    if (!host.current) return;
    const leaving = new AbortController();
    const terminal = newTerminal({ cols: 160, rows: 40, fontSize: opening.current, scrollback: 1000, typing: false });
    shown.current = terminal;
    let giveBack = () => {};
    let hide = () => {};
    void openIn(host.current, terminal, leaving.signal).then((opened) => {
      if (!opened) return;
      giveBack = borrowWebgl(terminal);
      hide = replay.show(screenOf(terminal));
    });
    return () => {
      leaving.abort();
      hide();
      giveBack();
      terminal.dispose();
      shown.current = null;
    };
  }, [replay]);

  useLayoutEffect(() => {
    const outer = frame.current;
    if (!outer) return;
    const apply = () => {
      const terminal = shown.current;
      if (!terminal || outer.clientWidth === 0) return;
      // JetBrains Mono is 0.6 em wide.
      const widest = (outer.clientWidth - 24) / (terminal.cols * 0.6);
      terminal.options.fontSize = fit === 'width' ? Math.max(4, Math.min(16, Math.floor(widest * 2) / 2)) : readable;
    };
    apply();
    const resized = shown.current?.onResize(apply);
    const observer = new ResizeObserver(apply);
    observer.observe(outer);
    return () => {
      observer.disconnect();
      resized?.dispose();
    };
  }, [fit, readable]);

  const look = useLookKey();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key changes when the colours do.
  useEffect(() => {
    if (shown.current) shown.current.options.theme = terminalTheme();
  }, [look]);

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section ref={frame} className="terminal-frame replay-frame" aria-label="Recorded terminal" data-testid="replay" tabIndex={0}>
      <div ref={host} className="terminal-host" />
    </section>
  );
}

function screenOf(terminal: Terminal): ReplayScreen {
  const write = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve));
  const resize = (cols: number, rows: number) => {
    if (cols !== terminal.cols || rows !== terminal.rows) terminal.resize(cols, rows);
  };
  return {
    start({ cols, rows, screen }) {
      terminal.reset();
      resize(cols, rows);
      return write(screen);
    },
    output: write,
    resize,
  };
}
