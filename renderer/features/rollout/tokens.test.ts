import { expect, it } from 'vitest';
import { chanceOf, probability, tokenFigures } from './tokens.ts';

it('tells likely tokens from unlikely ones', () => {
  expect([-0.01, -0.2, -1, -5, 0, Number.NEGATIVE_INFINITY].map(chanceOf)).toEqual([3, 2, 1, 0, 3, 0]);
  expect([0, -Math.LN2, -8].map(probability)).toEqual(['100.0 %', '50.0 %', '0.034 %']);
});

it('sums an answer up', () => {
  expect(tokenFigures([])).toBeNull();
  const figures = tokenFigures([Math.log(0.5), Math.log(0.125), Math.log(0.5)]);
  expect(figures?.least).toBe(1);
  expect(figures?.perplexity).toBeCloseTo(32 ** (1 / 3));
});
