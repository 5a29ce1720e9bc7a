import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runConfig } from '../contract/schema/config.ts';
import { AppError } from '../lib/errors.ts';
import { openStore } from '../store/open.ts';
import { recordChanges, recordedChanges, tidyChanges } from './changes.ts';

const of = (...lines: string[]) => lines.map((line) => ({ kind: line.slice(0, 1) as 'A' | 'M' | 'D', path: line.slice(2) })); // the tests below write no other letter

it('lists files, not the folders on the way to them, and leaves noise out', () => {
  const found = tidyChanges(
    of(
      ...['M /app', 'A /app/out', 'A /app/out/b.csv', 'M /app/a.py', 'D /app/old.txt', 'A /app/empty'],
      ...['M /tmp', 'A /tmp/x', 'M /root', 'A /root/.cache', 'A /root/.cache/pip', 'A /root/.cache/pip/wheel', 'M /root/.bash_history'],
      ...['A /app/__pycache__', 'A /app/__pycache__/a.pyc', 'M /var', 'M /var/lib', 'M /var/lib/dpkg', 'M /var/lib/dpkg/status'],
    ),
  );
  expect(found.changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    'M /app/a.py',
    'A /app/empty',
    'D /app/old.txt',
    'A /app/out/b.csv',
  ]);
  expect(found).toMatchObject({ total: 4, noise: 5 });
});

it('says which of them are tests', () => {
  const paths = [
    '/tests/test.sh',
    '/app/tests/data.csv',
    '/app/test_sum.py',
    '/app/sum_test.go',
    '/app/a.spec.ts',
    '/logs/verifier/reward.txt',
  ];
  const innocent = ['/app/latest/a', '/app/contest.py', '/app/attest_it.py', '/app/testing.md', '/app/spec.md'];
  const found = tidyChanges([...paths, ...innocent].map((path) => ({ path, kind: 'M' as const })));
  expect(
    found.changes
      .filter((change) => change.tests)
      .map(({ path }) => path)
      .sort(),
  ).toEqual([...paths].sort());
});

it('keeps five thousand of very many, and says how many there were', () => {
  const found = tidyChanges(Array.from({ length: 20_000 }, (_, place) => ({ path: `/app/f${place}`, kind: 'A' as const })));
  expect([found.changes.length, found.total]).toEqual([5000, 20_000]);
});

it('is kept with the rollout, replaced by the next try, and explained where there is none', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'termarium-changes-'));
  using store = openStore(folder.path);
  const queued = { taskId: 't', taskName: 't', taskDigest: 'd'.repeat(64), attempt: 0, agent: 'terminus', model: 'm' };
  const runId = store.runs.create(runConfig.parse({ tasks: ['samples'] }), 'run', [queued]);
  const rolloutId = store.rollouts.ofRun(runId)[0]?.id ?? '';
  expect(recordedChanges(store, rolloutId)).toMatchObject({ recorded: false, problem: null, changes: [] });

  await recordChanges({ changes: async () => of('A /app/answer.txt') }, store, rolloutId);
  const change = { path: '/app/answer.txt', kind: 'A', tests: false };
  expect(recordedChanges(store, rolloutId)).toEqual({ recorded: true, problem: null, changes: [change], total: 1, noise: 0 });

  store.rollouts.requeue(rolloutId);
  expect(recordedChanges(store, rolloutId).recorded).toBe(false);

  const lost = async () => {
    throw new AppError('sandbox.lost', 'the container is gone');
  };
  await recordChanges({ changes: lost }, store, rolloutId);
  expect(recordedChanges(store, rolloutId)).toMatchObject({ recorded: false, problem: 'the container is gone' });
});
