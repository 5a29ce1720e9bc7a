// State that a reload, and coming back to a screen, leaves as it was: filters and the like. It belongs to the window, not to the browser.
import { useState } from 'react';

/** As useState, kept for as long as the window lives. `read` answers null for what an older page may have left behind. */
export function useKept<Value extends string>(
  name: string,
  initial: Value,
  read: (kept: string) => Value | null,
): readonly [Value, (value: Value) => void] {
  const key = `termarium.kept.${name}`;
  const [value, setValue] = useState(() => {
    const kept = sessionStorage.getItem(key);
    return (kept === null ? null : read(kept)) ?? initial;
  });
  const keep = (next: Value) => {
    setValue(next);
    try {
      sessionStorage.setItem(key, next);
    } catch {
      // Full or forbidden storage costs the memory only.
    }
  };
  return [value, keep];
}

/** For texts, of which any may have been kept. */
export function anyText(kept: string): string {
  return kept;
}
