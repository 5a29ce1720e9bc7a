// Real trials that passed elsewhere are played back into fresh containers here, and must pass again.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RolloutRow } from '../main/contract/schema/rollout.ts';
import { openTestLab, type TestLab } from './lab.ts';

const shared = join(import.meta.dirname, '..', '..', 'shared');
const playground = join(shared, 'data', 'endless_playground');
const standIns = join(shared, 'tools', 'stand-in-images.sh');
const present = existsSync(join(shared, 'data', 'README.md'));
if (!present) console.warn('fixture pack not found at ../shared/data, skipping 2 tests');

/** Passing trials whose task folder is given and whose image needs no network to build, by task. */
const trials = {
  task_000000_8ef16240: 8,
  task_000000_14c0e8b5: 1,
  task_000000_2c44c556: 1,
  task_000000_3a601a7e: 1,
  task_000000_5f6e2b69: 1,
  task_000000_97a36505: 1,
};
/** Its tests ask a web server that the agent left running; a fresh box has none. */
const needsLive = 'task_000000_97a36505';

describe.skipIf(!present)('recorded trials that passed', () => {
  let lab: TestLab;
  let jobs: string;

  const replay = async (task: string, attempts: number, grading: 'fresh' | 'live'): Promise<RolloutRow[]> => {
    const { rollouts } = await lab.play({
      tasks: [join(playground, 'harbor_tasks', task)],
      agents: ['replay'],
      replay: jobs,
      attempts,
      concurrency: 2,
      sandbox: { grading, pool: 0 } as never,
    });
    return rollouts;
  };
  const divergence = async (row: RolloutRow) =>
    (await lab.client.rollouts.watchOne({ rolloutId: row.id })).notes.map((note) => note.text).join('\n');

  beforeAll(async () => {
    execFileSync('bash', [standIns]);
    lab = await openTestLab();
    jobs = join(lab.folder, 'jobs');
    mkdirSync(jobs);
    const folder = join(playground, 'solution_sonnet');
    for (const archive of readdirSync(folder).filter((name) => name.endsWith('.tar.gz')))
      execFileSync('tar', ['xzf', join(folder, archive), '-C', jobs]);
  }, 300_000);
  afterAll(() => lab?.[Symbol.asyncDispose]());

  it('pass again: 12 of 13 graded in a fresh box', async () => {
    const rows: RolloutRow[] = [];
    for (const [task, attempts] of Object.entries(trials)) rows.push(...(await replay(task, attempts, 'fresh')));
    const lost = rows.filter((row) => row.reward !== 1);
    for (const row of lost) console.log(`${row.taskName}: ${row.outcome ?? row.error?.message}\n${await divergence(row)}`);
    expect(rows).toHaveLength(13);
    expect(lost.map((row) => row.taskName.split('/').at(-1))).toEqual([needsLive]);
  }, 900_000);

  it('and the one about a running server passes where its box is graded live', async () => {
    expect(await replay(needsLive, 1, 'live')).toMatchObject([{ reward: 1, outcome: 'solved' }]);
  }, 300_000);
});
