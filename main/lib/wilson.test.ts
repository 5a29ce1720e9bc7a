import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rateOf, wilson } from './wilson.ts';

/** Percent with two decimals, as papers print it. */
const percent = (share: number | undefined) => ((share ?? Number.NaN) * 100).toFixed(2);

describe('Wilson interval', () => {
  // Four models on Terminal-Bench 2.0, 445 trials each.
  test.each([
    { passed: 10, low: '1.23', high: '4.09' },
    { passed: 13, low: '1.72', high: '4.93' },
    { passed: 94, low: '17.59', high: '25.16' },
    { passed: 121, low: '23.27', high: '31.51' },
  ])('$passed of 445 is $low to $high %', ({ passed, low, high }) => {
    const interval = wilson(passed, 445);
    expect([percent(interval?.low), percent(interval?.high)]).toEqual([low, high]);
  });

  test('none and all of ten do not collapse to a point', () => {
    expect(wilson(0, 10)).toEqual({ low: 0, high: expect.closeTo(0.2775, 4) });
    expect(wilson(10, 10)).toEqual({ low: expect.closeTo(0.7225, 4), high: 1 });
  });

  test('holds the observed rate, stays in [0, 1], and mirrors when passes and failures change places', () => {
    const trials = fc.integer({ min: 1, max: 100_000 }).chain((total) => fc.tuple(fc.integer({ min: 0, max: total }), fc.constant(total)));
    fc.assert(
      fc.property(trials, ([passed, total]) => {
        const { low, high } = wilson(passed, total) ?? { low: Number.NaN, high: Number.NaN };
        const mirrored = wilson(total - passed, total);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(passed / total);
        expect(high).toBeGreaterThanOrEqual(passed / total);
        expect(mirrored?.low).toBeCloseTo(1 - high, 12);
      }),
    );
  });

  test('no trial gives no rate', () => {
    expect(rateOf(0, 0)).toEqual({ passed: 0, total: 0, value: null, low: null, high: null });
    expect(rateOf(1, 2)).toMatchObject({ passed: 1, total: 2, value: 0.5 });
  });
});
