// Two panes with a bar between them that is dragged, or moved by arrow keys. The share is remembered by name.
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';
import './split.css';

const STEP = 0.03;

export function Split({
  name,
  label,
  initial = 0.5,
  min = 0.15,
  max = 0.85,
  hideFirst = false,
  children: [first, second],
}: {
  /** Under which the share is remembered. */
  name: string;
  /** What the bar resizes, for those who hear it. */
  label: string;
  initial?: number;
  min?: number;
  max?: number;
  /** Gives the second pane all the room. Neither pane is mounted anew. */
  hideFirst?: boolean;
  children: readonly [ReactNode, ReactNode];
}) {
  const [share, setShare] = useState(() => remembered(name) ?? initial);
  const box = useRef<HTMLDivElement>(null);
  const change = (next: number) => {
    const bounded = Math.max(min, Math.min(max, next));
    setShare(bounded);
    remember(name, bounded);
  };
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || !box.current) return;
    const { left, width } = box.current.getBoundingClientRect();
    change((event.clientX - left) / width);
  };
  const keys = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowLeft: share - STEP, ArrowRight: share + STEP, Home: min, End: max, Enter: initial };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    change(next);
  };
  return (
    <div ref={box} className="split">
      <div className="split-pane" style={{ flexGrow: share }} hidden={hideFirst}>
        {first}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a separator that moves is a widget, not an <hr>. */}
      <div
        className="split-bar"
        hidden={hideFirst}
        role="separator"
        tabIndex={0}
        aria-orientation="vertical"
        aria-label={label}
        aria-valuenow={Math.round(share * 100)}
        aria-valuemin={Math.round(min * 100)}
        aria-valuemax={Math.round(max * 100)}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onDoubleClick={() => change(initial)}
        onKeyDown={keys}
      />
      <div className="split-pane" style={{ flexGrow: hideFirst ? 1 : 1 - share }}>
        {second}
      </div>
    </div>
  );
}

function remembered(name: string): number | null {
  const kept = Number(localStorage.getItem(`termarium.split.${name}`));
  return Number.isFinite(kept) && kept > 0 && kept < 1 ? kept : null;
}

function remember(name: string, share: number): void {
  try {
    localStorage.setItem(`termarium.split.${name}`, share.toFixed(4));
  } catch {
    // Full or forbidden storage costs the memory only.
  }
}
