// For crash.test.ts: plays rollouts as fast as the store allows until the process is killed. Says "playing" when it has begun.
// Every turn leaves a trace that can be checked: turn n of a rollout has node "answer n", an observation of over 4 KiB that names n, and one command.
import { runConfig } from '../contract/schema/config.ts';
import { openStore } from './open.ts';
import type { NewNode, Store } from './store.ts';

const [folder = '', seed = '0'] = process.argv.slice(2);
using store = openStore(folder);
store.markInterrupted();
const rollout = { taskId: 't', taskName: 't', taskDigest: 'd', attempt: 1, agent: 'nop', model: null };
const runId = store.runs.create(runConfig.parse({ tasks: ['t'] }), `try ${seed}`, Array(8).fill(rollout));
const ids = store.rollouts.ofRun(runId).map((row) => row.id);
process.stdout.write('playing\n');

for (let n = 1; ; n += 1) for (const id of ids) play(store, id, n);

function play(store: Store, rolloutId: string, turn: number): void {
  if (turn % 7 === 0) store.rollouts.requeue(rolloutId);
  store.rollouts.update(rolloutId, 'started', { status: 'running', startedAt: turn });
  const nodeId = store.nodes.append(message(rolloutId, turn, 'assistant', `answer ${turn}`));
  store.nodes.beginCommand({ nodeId, index: 0, keystrokes: `echo ${turn}\n`, duration: 0.1, startedAt: turn, from: 0 });
  store.nodes.endCommand(nodeId, 0, { endedAt: turn + 1, exitCode: 0, settled: 'idle', to: 5 });
  store.nodes.append(message(rolloutId, turn, 'user', `observation ${turn} of ${rolloutId} ${'.'.repeat(6000)}`));
  store.rollouts.update(rolloutId, 'turn', { turns: turn });
  const passed = turn % 3 === 0;
  store.rollouts.putVerdict(
    rolloutId,
    {
      ...{ state: 'tests_ran', reward: passed ? 1 : 0, rewards: {}, partial: null, tests: [] },
      ...{ box: 'fresh', tampering: [], reason: `turn ${turn}`, seconds: 0 },
    },
    `turn ${turn}`,
  );
  store.rollouts.update(rolloutId, 'finished', { status: 'finished', outcome: passed ? 'solved' : 'unsolved', endedAt: turn });
}

function message(rolloutId: string, turn: number, role: 'assistant' | 'user', content: string): NewNode {
  return {
    ...{ rolloutId, turn, role, content, parentId: null, author: role === 'user' ? 'environment' : 'sampled' },
    ...{ reasoning: null, format: null, promptTokens: null, completionTokens: null, stopReason: null },
    ...{ tokenIds: role === 'user' ? null : [turn], logprobs: null, tokens: null, sampled: role !== 'user', timings: {} },
  };
}
