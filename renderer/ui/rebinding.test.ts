import { afterEach, expect, it } from 'vitest';
import { currentActions, registerActions } from './actions.ts';
import { chordOf } from './keys.ts';
import { conflictsOf, rebind, resetKeys, useRebinding } from './rebinding.ts';

const leave = registerActions([
  { id: 'go.tasks', title: 'Go to Tasks', section: 'Go', keys: ['g t'], run: () => {} },
  { id: 'lab.palette', title: 'Search', section: 'Lab', keys: ['Mod+K'], run: () => {} },
]);
const keysOf = (id: string) => currentActions().find((action) => action.id === id)?.keys;
afterEach(() => resetKeys());

it('gives an action other keys, takes them away, and puts them back', () => {
  rebind('lab.palette', 'Mod+P');
  expect(keysOf('lab.palette')).toEqual(['Mod+P']);
  rebind('lab.palette', '');
  expect(keysOf('lab.palette')).toEqual([]);
  resetKeys('lab.palette');
  expect(keysOf('lab.palette')).toEqual(['Mod+K']);
});

it('names actions with the same keys, and sequences that begin alike', () => {
  expect(conflictsOf(useRebinding.getState(), 'lab.palette', 'g t')).toEqual(['go.tasks']);
  expect(conflictsOf(useRebinding.getState(), 'lab.palette', 'g')).toEqual(['go.tasks']);
  rebind('go.tasks', 'g x');
  expect(conflictsOf(useRebinding.getState(), 'lab.palette', 'g t')).toEqual([]);
});

it('keeps listing actions whose screen was left', () => {
  leave();
  expect(currentActions()).toEqual([]);
  expect(Object.keys(useRebinding.getState().met)).toEqual(['go.tasks', 'lab.palette']);
});

it('writes a key press as the chord that matches it', () => {
  const press = (key: string, held = {}) => ({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...held });
  expect(chordOf(press('K', { ctrlKey: true, shiftKey: true }), false)).toBe('Mod+Shift+K');
  expect(chordOf(press('G', { shiftKey: true }), false)).toBe('Shift+G');
  expect(chordOf(press('?', { shiftKey: true }), false)).toBe('?');
  expect(chordOf(press('Control', { ctrlKey: true }), false)).toBeNull();
});
