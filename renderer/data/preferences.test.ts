import { expect, it } from 'vitest';
import { lookOf } from './preferences.ts';

const system = (dark: boolean, more = false) => ({ dark, more });

it('follows the system unless told otherwise', () => {
  expect(lookOf('system', system(true))).toEqual({ scheme: 'dark', contrast: 'normal' });
  expect(lookOf('light', system(true))).toEqual({ scheme: 'light', contrast: 'normal' });
});

it('takes light or dark from the system where contrast was chosen, and contrast where the system asks for it', () => {
  expect(lookOf('contrast', system(false))).toEqual({ scheme: 'light', contrast: 'high' });
  expect(lookOf('system', system(true, true))).toEqual({ scheme: 'dark', contrast: 'high' });
  expect(lookOf('dark', system(false, true))).toEqual({ scheme: 'dark', contrast: 'normal' });
});
