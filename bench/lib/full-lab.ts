// A data folder with more in it than anybody has: 5,000 runs, one of them with 100,000 rollouts, one rollout of 2,000 turns, 45,000 tasks.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { runConfig } from '../../main/contract/schema/config.ts';
import type { Outcome } from '../../main/contract/schema/rollout.ts';
import { openStore } from '../../main/store/open.ts';
import type { NewRollout, Store } from '../../main/store/store.ts';

export const sizes = { runs: 5_000, rollouts: 100_000, turns: 2_000, tasks: 45_000, live: 62 };

export interface FullLab {
  largeRun: string;
  longRollout: string;
  /** A run with one rollout for every live terminal, all queued; nothing plays them. */
  wallRun: string;
  /** Name of the task that is read last. */
  lastTask: string;
  /** Queued rollout of the human agent. */
  typed: string;
}

const outcomes: readonly Outcome[] = ['solved', 'unsolved', 'turn_limit', 'time_limit', 'solved', 'gave_up', 'format_limit'];
const subjects = ['kernel module', 'log rotation', 'merge conflict', 'slow query', 'broken mirror', 'leaked token', 'flaky service'];

/** Fills a fresh data folder through the store, as runs would have. Takes about a minute. */
export function fillLab(folder: string): FullLab {
  using store = openStore(folder);
  const bench = runConfig.parse({ tasks: ['bench'], agents: ['nop'] });
  for (let run = 0; run < sizes.runs - 4; run += 1)
    store.runs.create(bench, `sweep ${run} of ${subjects[run % subjects.length]}`, many(1, 'nop'));
  const largeRun = store.runs.create(bench, 'a hundred thousand', many(sizes.rollouts, 'nop'));
  for (const [index, { id }] of store.rollouts.ofRun(largeRun).entries()) {
    // Half have ended: enough for every state to be in view, wherever one scrolls.
    if (index % 2 === 1) continue;
    const at = Date.now() - index;
    const outcome = outcomes[index % outcomes.length] ?? 'solved';
    store.rollouts.update(id, 'verified', {
      status: 'finished',
      outcome,
      verdictState: 'tests_ran',
      reward: outcome === 'solved' ? 1 : 0,
      turns: index % 60,
      completionTokens: index % 9_000,
      startedAt: at - (index % 90_000),
      endedAt: at,
    });
  }
  const longRun = store.runs.create(bench, 'two thousand turns', many(1, 'terminus'));
  const longRollout = store.rollouts.ofRun(longRun)[0]?.id ?? '';
  writeTurns(store, longRollout);
  const wall = runConfig.parse({ tasks: ['bench'], agents: ['nop'], concurrency: sizes.live });
  const wallRun = store.runs.create(wall, 'a wall of terminals', many(sizes.live, 'terminus'));
  const typedRun = store.runs.create(runConfig.parse({ tasks: ['bench'], agents: ['human'] }), 'typed', many(1, 'human'));
  const listed = tasks(join(folder, 'tasks'));
  store.tasks.putSet({ name: 'bench', path: join(folder, 'tasks'), origin: 'imported' }, listed);
  return { largeRun, longRollout, wallRun, lastTask: listed.at(-1)?.name ?? '', typed: store.rollouts.ofRun(typedRun)[0]?.id ?? '' };
}

function many(count: number, agent: string): NewRollout[] {
  return Array.from({ length: count }, (_, index) => ({
    taskId: `task-${index % 500}`,
    taskName: `bench/${subjects[index % subjects.length]?.replace(' ', '-')}-${index % 500}`,
    taskDigest: '0'.repeat(64),
    attempt: Math.floor(index / 500),
    agent,
    model: agent === 'terminus' ? 'bench' : null,
  }));
}

function writeTurns(store: Store, rolloutId: string): void {
  const blank = { promptTokens: null, completionTokens: null, stopReason: null, tokenIds: null, logprobs: null, tokens: null, timings: {} };
  let parentId: string | null = null;
  for (let turn = 0; turn < sizes.turns; turn += 1) {
    const command = { keystrokes: `sed -n '${turn}p' access.log | wc -c\n`, duration: 0.1 };
    const answer: string = store.nodes.append({
      ...blank,
      rolloutId,
      parentId,
      turn,
      role: 'assistant',
      author: 'sampled',
      content: JSON.stringify({
        analysis: `Line ${turn} is next. `.repeat(1 + (turn % 5)),
        plan: 'Count its characters.',
        commands: [command],
      }),
      reasoning: null,
      format: { strict: true, robust: true, problems: [] },
      sampled: true,
    });
    const at = Date.now();
    store.nodes.beginCommand({ nodeId: answer, index: 0, ...command, startedAt: at, from: turn * 100 });
    store.nodes.endCommand(answer, 0, { endedAt: at + 90, exitCode: 0, settled: 'idle', to: turn * 100 + 100 });
    parentId = store.nodes.append({
      ...blank,
      rolloutId,
      parentId: answer,
      turn,
      role: 'user',
      author: 'environment',
      content: Array.from({ length: 2 + (turn % 23) }, (_, line) => `127.0.0.1 - - [line ${line}] "GET /${turn} HTTP/1.1" 200`).join('\n'),
      reasoning: null,
      format: null,
      sampled: false,
    });
  }
  store.rollouts.update(rolloutId, 'verified', {
    status: 'finished',
    outcome: 'unsolved',
    verdictState: 'tests_ran',
    reward: 0,
    turns: sizes.turns,
    startedAt: Date.now() - 1_000_000,
    endedAt: Date.now(),
  });
}

function tasks(folder: string): Parameters<Store['tasks']['putSet']>[1] {
  return Array.from({ length: sizes.tasks }, (_, index) => {
    const name = `bench/${subjects[index % subjects.length]?.replace(' ', '-')}-${index}`;
    return {
      name,
      path: join(folder, String(index)),
      format: 'harbor' as const,
      digest: createHash('sha256').update(name).digest('hex'),
      instruction: `Mend the ${subjects[index % subjects.length]} of machine ${index}.`,
      difficulty: null,
      category: null,
      tags: [],
      hasSolution: true,
      issues: [],
    };
  });
}
