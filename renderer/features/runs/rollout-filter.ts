// Which rollouts are shown: how they stand, and which words they are found by. Pure, and quick over 100,000 rows.
import type { RolloutRow } from '../../../main/contract/schema/rollout.ts';
import { rolloutSign } from '../../ui/status.tsx';

export type Standing = 'any' | 'active' | 'queued' | 'solved' | 'failed' | 'excluded';

export interface RolloutFilter {
  /** Every word must occur in one of the row's texts. */
  words: string;
  standing: Standing;
}

/** The rows that fit, in their order; the same list where nothing is asked for. */
export function filterRollouts(rows: readonly RolloutRow[], { words, standing }: RolloutFilter): readonly RolloutRow[] {
  const wanted = words
    .toLowerCase()
    .split(' ')
    .filter((word) => word !== '')
    .map(wordTest);
  if (wanted.length === 0 && standing === 'any') return rows;
  return rows.filter((row) => stands(row, standing) && wanted.every((fits) => fits(row)));
}

/** Rows share few texts between them: each distinct one is searched once, however many rows have it. */
function wordTest(word: string): (row: RolloutRow) => boolean {
  const known = new Map<string, boolean>();
  const holds = (text: string | null | undefined): boolean => {
    if (text === null || text === undefined) return false;
    const before = known.get(text);
    if (before !== undefined) return before;
    const fits = text.toLowerCase().includes(word);
    known.set(text, fits);
    return fits;
  };
  return (row) =>
    holds(row.taskName) ||
    holds(row.agent) ||
    holds(row.model) ||
    holds(row.status) ||
    holds(row.outcome) ||
    holds(rolloutSign(row).word) ||
    holds(row.error?.code);
}

function stands(row: RolloutRow, standing: Standing): boolean {
  switch (standing) {
    case 'any':
      return true;
    case 'active':
      return row.status === 'starting' || row.status === 'running' || row.status === 'verifying';
    case 'queued':
      return row.status === 'queued';
    case 'solved':
      return row.outcome === 'solved' && row.verdictState === 'tests_ran';
    case 'failed':
      return row.status === 'finished' && row.outcome !== 'solved' && row.verdictState === 'tests_ran';
    case 'excluded':
      return row.endedAt !== null && row.verdictState !== 'tests_ran';
  }
}
