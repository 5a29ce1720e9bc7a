import { expect, it } from 'vitest';
import { rolloutRow } from '../../../main/contract/schema/rollout.ts';
import { filterRollouts } from './rollout-filter.ts';

const row = (id: string, change: object) =>
  rolloutRow.parse({
    id,
    runId: 'run',
    taskId: 'task',
    taskName: 'termarium/slow-query',
    taskDigest: '0'.repeat(64),
    attempt: 0,
    agent: 'terminus',
    model: 'Qwen3-4B',
    status: 'finished',
    outcome: 'solved',
    verdictState: 'tests_ran',
    reward: 1,
    error: null,
    turns: 3,
    promptTokens: 0,
    completionTokens: 0,
    timings: {},
    queuedAt: 0,
    startedAt: 1,
    endedAt: 2,
    rev: 1,
    ...change,
  });

const rows = [
  row('solved', {}),
  row('failed', { outcome: 'turn_limit', reward: 0 }),
  row('broken', {
    status: 'error',
    outcome: null,
    verdictState: 'infra_error',
    error: { code: 'sandbox.lost', message: '', retryable: true },
  }),
  row('waiting', {
    taskName: 'termarium/ledger-race',
    status: 'queued',
    outcome: null,
    verdictState: null,
    startedAt: null,
    endedAt: null,
  }),
];
const found = (words: string, standing: 'any' | 'solved' | 'failed' | 'excluded' | 'queued' = 'any') =>
  filterRollouts(rows, { words, standing }).map(({ id }) => id);

it('needs every word, each in any of the texts of a row', () => {
  expect(found('slow turn')).toEqual(['failed']);
  expect(found('qwen3 ledger')).toEqual(['waiting']);
  expect(found('slow ledger')).toEqual([]);
});

it('finds by the word that the table shows, and by the code of an error', () => {
  expect(found('Turn limit')).toEqual(['failed']);
  expect(found('sandbox.lo')).toEqual(['broken']);
});

it('tells failures of the agent from rollouts without a verdict', () => {
  expect(found('', 'failed')).toEqual(['failed']);
  expect(found('', 'excluded')).toEqual(['broken']);
  expect(found('', 'queued')).toEqual(['waiting']);
  expect(filterRollouts(rows, { words: '  ', standing: 'any' })).toBe(rows);
});
