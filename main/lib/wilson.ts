// Observed rates with the interval that belongs beside them.
import type { Rate } from '../contract/schema/run.ts';

/** 97.5 % quantile of the normal distribution: two-sided 95 %. */
const z = 1.959963984540054;

/**
 * Wilson score interval (95 %) of `passed` of `total` independent trials, as shares. Unlike the textbook interval it never leaves [0, 1]
 * and does not collapse at 0 % and 100 %. Trials of one task are not independent: an interval clustered by task is wider.
 */
export function wilson(passed: number, total: number): { low: number; high: number } | null {
  if (total <= 0) return null;
  const share = passed / total;
  const spread = 1 + z ** 2 / total;
  const centre = (share + z ** 2 / (2 * total)) / spread;
  const half = (z / spread) * Math.sqrt((share * (1 - share)) / total + z ** 2 / (4 * total ** 2));
  // At the ends the formula gives 0 and 1 exactly but for rounding.
  return { low: passed === 0 ? 0 : centre - half, high: passed === total ? 1 : centre + half };
}

/** The rate as the contract shows it; null values where there was no trial. */
export function rateOf(passed: number, total: number): Rate {
  const interval = wilson(passed, total);
  return {
    passed,
    total,
    value: interval ? passed / total : null,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
  };
}
