import { expect, it } from 'vitest';
import { rolloutRow } from '../contract/schema/rollout.ts';
import { csvHeader, rolloutLine } from './lines.ts';

const row = rolloutRow.parse({
  id: 'r1',
  runId: 'run',
  taskId: 't',
  taskName: 'say "hi", then\nleave',
  taskDigest: 'd'.repeat(64),
  attempt: 2,
  agent: 'terminus',
  model: null,
  status: 'finished',
  outcome: 'solved',
  verdictState: 'tests_ran',
  reward: 0.5,
  error: null,
  turns: 3,
  promptTokens: 900,
  completionTokens: 80,
  timings: {},
  queuedAt: 0,
  startedAt: 1_000,
  endedAt: 13_500,
  rev: 7,
});

it('writes a rollout as a line of CSV, quoting what would break it', () => {
  expect(rolloutLine(row, 'csv')).toBe(
    `r1,"say ""hi"", then\nleave",${'d'.repeat(64)},terminus,,2,finished,solved,tests_ran,0.5,,3,900,80,12.5,1970-01-01T00:00:01.000Z,1970-01-01T00:00:13.500Z`,
  );
  expect(csvHeader.split(',')).toHaveLength(17);
});

it('writes the whole row as one line of JSON', () => {
  const line = rolloutLine(row, 'jsonl');
  expect(line).not.toContain('\n');
  expect(rolloutRow.parse(JSON.parse(line))).toEqual(row);
});
