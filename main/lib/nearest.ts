// "Did you mean …?": the known word that a mistyped one was most likely meant to be.
import { distance } from 'fastest-levenshtein';

/** Spellings that differ only in case or in the way words are joined (`format_errors`, `formatErrors`) count as the same word. */
function fold(word: string): string {
  return word.toLowerCase().replaceAll(/[_\-. ]/g, '');
}

/**
 * The candidate nearest to `word` by Levenshtein distance, or null where none is near enough to be a plausible slip
 * (more than two letters in five differ).
 */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  const folded = fold(word);
  let best: string | null = null;
  let bestDistance = Math.min(folded.length, Math.max(1, Math.round(folded.length * 0.4)) + 1);
  for (const candidate of candidates) {
    const between = distance(folded, fold(candidate));
    if (between < bestDistance) {
      best = candidate;
      bestDistance = between;
    }
  }
  return best;
}
