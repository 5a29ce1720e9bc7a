// What a turn costs outside the model and its commands: parse, record, observe, build the next prompt.
import { join } from 'node:path';
import { agents } from '../main/agent/index.ts';
import { runConfig } from '../main/contract/schema/config.ts';
import { createModel } from '../main/model/create.ts';
import type { Model } from '../main/model/model.ts';
import { runRollout } from '../main/rollout/rollout.ts';
import { loadTask } from '../main/task/load.ts';
import { answerTest, openTestLab, typing, writeTask } from '../testing/lab.ts';
import { type Measured, quantile } from './report.ts';

const TURNS = 100;

export async function run(report: (measured: Measured) => void): Promise<void> {
  await using lab = await openTestLab();
  const folder = await writeTask(join(lab.folder, 'tasks'), { name: 'bench', test: answerTest });
  const commands = Array.from({ length: TURNS }, (_, index) => `seq ${index} ${index + 40}`);
  const name = await lab.scriptModel('bench', { bench: typing(...commands) });
  const config = runConfig.parse({ tasks: [folder], model: name, limits: { turns: TURNS + 10 } });
  const { store, live } = lab.app.lab;
  await using scripted = await createModel(
    { kind: 'scripted', name, script: join(lab.folder, 'scripts', name), delayMs: 0, concurrency: 4 },
    lab.folder,
  );

  // The same model, with a watch on when it is asked and when it has answered.
  const asked: number[] = [];
  const answered: number[] = [];
  const model: Model = {
    name,
    contextLimit: (signal) => scripted.contextLimit(signal),
    async sample(request, signal) {
      asked.push(performance.now());
      const completion = await scripted.sample(request, signal);
      answered.push(performance.now());
      return completion;
    },
    [Symbol.asyncDispose]: async () => {},
  };
  const task = await loadTask(folder);
  const runId = store.runs.create(config, 'bench', [
    { taskId: 'bench', taskName: task.name, taskDigest: task.digest, attempt: 0, agent: 'terminus', model: name },
  ]);
  const rolloutId = store.rollouts.ofRun(runId)[0]?.id ?? '';
  await runRollout(
    { rolloutId, runId, task, attempt: 0, agent: agents.terminus, model, sampling: {}, config, onStarted: () => {} },
    lab.app.lab,
    live.add(rolloutId, runId, false),
  );
  live.remove(rolloutId);
  if (store.rollouts.get(rolloutId)?.outcome === null)
    throw new Error(`the rollout did not play: ${JSON.stringify(store.rollouts.get(rolloutId)?.error)}`);

  const nodes = store.nodes.read(rolloutId).rows.filter((node) => node.role === 'assistant');
  const overheads: number[] = [];
  for (let turn = 1; turn < TURNS; turn += 1) {
    const commandMs = (nodes[turn - 1]?.commands ?? []).reduce((sum, command) => sum + ((command.endedAt ?? 0) - command.startedAt), 0);
    overheads.push((asked[turn] ?? 0) - (answered[turn - 1] ?? 0) - commandMs);
  }
  const tell = (metric: string, value: number, bar: string) =>
    report({ bench: 'turn', metric, value: Number(value.toFixed(2)), unit: 'ms', bar });
  tell('overhead per turn, p50', quantile(overheads, 0.5), '<= 10');
  tell('overhead per turn, p95', quantile(overheads, 0.95), '<= 30');
}
