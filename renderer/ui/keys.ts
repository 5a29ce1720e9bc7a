// Key chords: how they are written, matched against events, and shown. `Mod` is Ctrl, or Command on a Mac; `g r` is one key after another.
import { currentActions } from './actions.ts';

const mac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '');

/** The one chord that a focused terminal does not get: it leaves the terminal and opens the palette. */
export const LEAVE_TERMINAL = 'Mod+Shift+P';

/** How long the second key of a sequence may take, in ms. */
const SEQUENCE_MS = 1200;

/** The keys of a chord as they are printed on a keyboard: `Ctrl` `K`. */
export function keyCaps(chord: string): string[][] {
  const names: Record<string, string> = {
    Mod: mac ? '⌘' : 'Ctrl',
    Shift: mac ? '⇧' : 'Shift',
    Alt: mac ? '⌥' : 'Alt',
    ArrowUp: '↑',
    ArrowDown: '↓',
    ArrowLeft: '←',
    ArrowRight: '→',
    Escape: 'Esc',
  };
  return chord.split(' ').map((step) => step.split(/\+(?=.)/).map((key) => names[key] ?? (key.length === 1 ? key.toUpperCase() : key)));
}

export type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

/** True where one step of a chord is what was pressed. Shift counts only where the chord names it or the key is a letter. */
export function matches(step: string, event: KeyPress, onMac = mac): boolean {
  const parts = step.split(/\+(?=.)/);
  const key = parts.at(-1) ?? '';
  const wants = (name: string) => parts.slice(0, -1).includes(name);
  const mod = onMac ? event.metaKey : event.ctrlKey;
  const other = onMac ? event.ctrlKey : event.metaKey;
  if (mod !== wants('Mod') || other || event.altKey !== wants('Alt')) return false;
  const letter = /^[a-z]$/i.test(key) || key.length > 1;
  if ((letter || wants('Shift')) && event.shiftKey !== wants('Shift')) return false;
  return event.key.toLowerCase() === key.toLowerCase();
}

/** The chord that `matches` what was pressed; null while only Shift, Ctrl and the like are held. */
export function chordOf(event: KeyPress, onMac = mac): string | null {
  if (['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'Dead', 'Process'].includes(event.key)) return null;
  const letter = /^[a-z]$/i.test(event.key) || event.key.length > 1;
  const held = [
    (onMac ? event.metaKey : event.ctrlKey) ? 'Mod' : '',
    event.altKey ? 'Alt' : '',
    event.shiftKey && letter ? 'Shift' : '',
  ].filter((name) => name !== '');
  const key = event.key.length === 1 ? (held.length > 0 ? event.key.toUpperCase() : event.key.toLowerCase()) : event.key;
  return [...held, key].join('+');
}

/** Where the focus is, as far as keys are concerned. */
type Place = 'capture' | 'terminal' | 'text' | 'page';

function placeOf(target: EventTarget | null): Place {
  if (!(target instanceof Element)) return 'page';
  if (target.closest('[data-keys="capture"]')) return 'capture';
  if (target.closest('[data-keys="terminal"]')) return 'terminal';
  if (target.closest('input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable="true"]')) return 'text';
  return 'page';
}

/** Runs actions by their keys until the returned function is called. */
export function listenToKeys(target: Document): () => void {
  let pending: { step: string; at: number } | null = null;
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const place = placeOf(event.target);
    if (place === 'capture') return;
    if (place === 'terminal' && !matches(LEAVE_TERMINAL, event)) return;
    const modalOpen = target.querySelector('[role="dialog"][data-open], [role="alertdialog"][data-open]') !== null;
    if (modalOpen) return;
    const before = pending && event.timeStamp - pending.at < SEQUENCE_MS ? pending.step : null;
    pending = null;
    for (const action of currentActions()) {
      for (const chord of action.keys ?? []) {
        const [first = '', second] = chord.split(' ');
        const plain = !first.includes('Mod+') && !first.includes('Alt+') && !/^F\d+$/.test(first);
        if (plain && place === 'text') continue;
        if (second === undefined ? before === null && matches(first, event) : before === first && matches(second, event)) {
          event.preventDefault();
          if (place === 'terminal' && event.target instanceof HTMLElement) event.target.blur();
          action.run();
          return;
        }
        if (second !== undefined && before === null && matches(first, event)) pending = { step: first, at: event.timeStamp };
      }
    }
  };
  target.addEventListener('keydown', onKey, true);
  return () => target.removeEventListener('keydown', onKey, true);
}
