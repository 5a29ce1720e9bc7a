// What this browser remembers for its reader: theme and sizes. Kept in localStorage, applied to the document before the first paint.
import { useSyncExternalStore } from 'react';
import * as z from 'zod';
import { create } from 'zustand';

const preferences = z.object({
  theme: z.enum(['system', 'light', 'dark', 'contrast']).default('system'),
  textSize: z.number().min(11).max(18).default(13),
  terminalSize: z.number().min(8).max(20).default(12),
});
export type Preferences = z.infer<typeof preferences>;
export type Theme = Preferences['theme'];

const KEY = 'termarium.preferences';

export const usePreferences = create<Preferences>(() => read());

/** Changes some preferences, applies and remembers them. */
export function setPreferences(change: Partial<Preferences>): void {
  usePreferences.setState(change);
  try {
    localStorage.setItem(KEY, JSON.stringify(usePreferences.getState()));
  } catch {
    // Storage that is full or forbidden costs the memory of the choice, not the choice.
  }
}

/** What the document must look like now. */
export interface Look {
  scheme: 'light' | 'dark';
  contrast: 'high' | 'normal';
}

const dark = globalThis.matchMedia?.('(prefers-color-scheme: dark)');
const more = globalThis.matchMedia?.('(prefers-contrast: more)');

export function lookOf(theme: Theme, system: { dark: boolean; more: boolean }): Look {
  const scheme = theme === 'light' || theme === 'dark' ? theme : system.dark ? 'dark' : 'light';
  return { scheme, contrast: theme === 'contrast' || (theme === 'system' && system.more) ? 'high' : 'normal' };
}

/** Puts the preferences on the document and keeps them there. Call once, before rendering. */
export function applyPreferences(root: HTMLElement): void {
  const apply = () => {
    const { theme, textSize } = usePreferences.getState();
    const look = lookOf(theme, { dark: dark?.matches ?? false, more: more?.matches ?? false });
    root.dataset.scheme = look.scheme;
    root.dataset.contrast = look.contrast;
    root.style.setProperty('--text-size', `${textSize}px`);
    for (const listener of listeners) listener();
  };
  usePreferences.subscribe(apply);
  dark?.addEventListener('change', apply);
  more?.addEventListener('change', apply);
  apply();
}

const listeners = new Set<() => void>();

/** A text that changes whenever the colours of the document do: what a terminal re-reads its palette on. */
export function useLookKey(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => `${document.documentElement.dataset.scheme}/${document.documentElement.dataset.contrast}`,
  );
}

function read(): Preferences {
  try {
    const parsed = preferences.safeParse(JSON.parse(localStorage.getItem(KEY) ?? '{}'));
    if (parsed.success) return parsed.data;
  } catch {
    // Unreadable: the defaults are as good as any.
  }
  return preferences.parse({});
}
