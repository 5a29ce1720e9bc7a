// The counters of a run are never counted again, so they must equal a recount after anything that can happen to its rollouts.
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runConfig } from '../contract/schema/config.ts';
import { rolloutStatus, type Verdict, verdictState } from '../contract/schema/rollout.ts';
import { countersOf, difference } from './counters.ts';
import { openStore } from './open.ts';
import { recount } from './recount.testing.ts';
import type { RolloutPatch } from './store.ts';

const reward = fc.constantFrom(null, 0, 0.5, 0.999_999, 1, 1.5);
// Ended ones more often: only among them do verdict and reward count.
const status = fc.constantFrom(...rolloutStatus.options, 'finished' as const, 'finished' as const, 'error' as const);
const state = fc.constantFrom(...verdictState.options);
const rollouts = 3;
const at = fc.nat({ max: rollouts - 1 });

type Step =
  | { do: 'update'; at: number; patch: RolloutPatch }
  | { do: 'verdict'; at: number; state: Verdict['state']; reward: number | null }
  | { do: 'requeue'; at: number }
  | { do: 'restart' };

const patch = fc.record({ status, verdictState: fc.option(state), reward, turns: fc.nat() }, { requiredKeys: [] });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('update' as const), at, patch }),
  fc.record({ do: fc.constant('verdict' as const), at, state: fc.oneof(fc.constant('tests_ran' as const), state), reward }),
  fc.record({ do: fc.constant('requeue' as const), at }),
  fc.record({ do: fc.constant('restart' as const) }),
);

test('counters equal a recount after any sequence of updates, verdicts, requeues and restarts', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
      using folder = mkdtempDisposableSync(join(tmpdir(), 'termarium-counters-'));
      using store = openStore(folder.path);
      const rollout = { taskId: 't', taskName: 't', taskDigest: 'd', attempt: 1, agent: 'nop', model: null };
      const runId = store.runs.create(runConfig.parse({ tasks: ['t'] }), 'random', Array(rollouts).fill(rollout));
      const ids = store.rollouts.ofRun(runId).map((row) => row.id);
      for (const next of steps) {
        if (next.do === 'restart') store.markInterrupted();
        else if (next.do === 'requeue') store.rollouts.requeue(ids[next.at] ?? '');
        else if (next.do === 'update') store.rollouts.update(ids[next.at] ?? '', 'step', next.patch);
        else store.rollouts.putVerdict(ids[next.at] ?? '', verdictWith(next.state, next.reward), '');
        const run = store.runs.get(runId);
        expect(run && { counts: run.counts, overAll: run.overAll, overVerdict: run.overVerdict }).toEqual(
          recount(store.rollouts.ofRun(runId)),
        );
      }
    }),
    { numRuns: 60 },
  );
});

test('a reward makes a pass only where the rollout ended and its tests ran', () => {
  const solved = { status: 'finished', verdictState: 'tests_ran', reward: 1 } as const;
  expect(countersOf(solved)).toMatchObject({ finished: 1, verdicts: 1, passed: 1 });
  expect(countersOf({ ...solved, reward: 0.99 })).toMatchObject({ verdicts: 1, passed: 0 });
  expect(countersOf({ ...solved, verdictState: 'no_verdict' })).toMatchObject({ finished: 1, verdicts: 0, passed: 0 });
  expect(countersOf({ ...solved, status: 'verifying' })).toMatchObject({ active: 1, verdicts: 0, passed: 0 });
  expect(difference(solved, { ...solved, reward: 2 })).toBeNull();
});

function verdictWith(state: Verdict['state'], reward: number | null): Verdict {
  return { state, reward, rewards: {}, partial: null, tests: [], box: 'fresh', tampering: [], reason: 'random', seconds: 0 };
}
