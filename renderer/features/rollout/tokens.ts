// How likely the tokens of an answer were. Pure.

/** Steps of likelihood that are told apart by sight, from the least likely. */
export const chances = [
  { below: 0.1, words: 'less than 10 %' },
  { below: 0.5, words: '10 to 50 %' },
  { below: 0.9, words: '50 to 90 %' },
  { below: Number.POSITIVE_INFINITY, words: '90 % and more' },
] as const;

/** Place in `chances` of a log-probability (natural logarithm). */
export function chanceOf(logprob: number): number {
  const probability = Math.exp(logprob);
  return chances.findIndex(({ below }) => probability < below);
}

/** A probability as it is read: `99.2 %`, `0.031 %`. */
export function probability(logprob: number): string {
  const share = Math.exp(logprob) * 100;
  return `${share >= 10 ? share.toFixed(1) : share.toPrecision(2)} %`;
}

export interface TokenFigures {
  mean: number;
  /** e to the mean of the negative log-probabilities. */
  perplexity: number;
  /** Place of the least likely token. */
  least: number;
}

/** Null where there are none. */
export function tokenFigures(logprobs: readonly number[]): TokenFigures | null {
  if (logprobs.length === 0) return null;
  let sum = 0;
  let least = 0;
  for (const [place, value] of logprobs.entries()) {
    sum += value;
    if (value < (logprobs[least] ?? 0)) least = place;
  }
  const mean = sum / logprobs.length;
  return { mean, perplexity: Math.exp(-mean), least };
}
