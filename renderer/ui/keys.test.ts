import { describe, expect, it } from 'vitest';
import { type KeyPress, keyCaps, matches } from './keys.ts';

const press = (key: string, held: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...held,
});

describe('chords', () => {
  it('match exactly the modifiers they name', () => {
    expect(matches('Mod+K', press('k', { ctrlKey: true }), false)).toBe(true);
    expect(matches('Mod+K', press('K', { ctrlKey: true, shiftKey: true }), false)).toBe(false);
    expect(matches('Mod+Shift+P', press('P', { ctrlKey: true, shiftKey: true }), false)).toBe(true);
    expect(matches('j', press('j', { ctrlKey: true }), false)).toBe(false);
    expect(matches('j', press('j'), false)).toBe(true);
  });

  it('use Command on a Mac and leave Control to the shell', () => {
    expect(matches('Mod+K', press('k', { metaKey: true }), true)).toBe(true);
    expect(matches('Mod+K', press('k', { ctrlKey: true }), true)).toBe(false);
  });

  it('take a sign however the layout makes it', () => {
    expect(matches('?', press('?', { shiftKey: true }), false)).toBe(true);
    expect(matches('?', press('?'), false)).toBe(true);
  });

  it('are shown as the caps one presses', () => {
    expect(keyCaps('Mod+Shift+P')).toEqual([['Ctrl', 'Shift', 'P']]);
    expect(keyCaps('g r')).toEqual([['G'], ['R']]);
    expect(keyCaps('Shift+ArrowDown')).toEqual([['Shift', '↓']]);
  });
});
