// From the start of a rollout to its first prompt: with the warm pool, and without against bare create, start and exec.
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runConfig } from '../main/contract/schema/config.ts';
import { delay } from '../main/lib/abort.ts';
import { silent } from '../main/lib/log.ts';
import { specOf } from '../main/rollout/lab.ts';
import { openShell } from '../main/rollout/shell.ts';
import { createDockerProvider } from '../main/sandbox/docker.ts';
import { currentOwner } from '../main/sandbox/labels.ts';
import { loadTask } from '../main/task/load.ts';
import { answerTest, writeTask } from '../testing/lab.ts';
import { createBare, openBare } from './lib/bare.ts';
import { type Measured, quantile } from './report.ts';

const SAMPLES = 15;
const never = new AbortController().signal;

export async function run(report: (measured: Measured) => void): Promise<void> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'termarium-bench-'));
  await using provider = createDockerProvider({ lab: 'bench', owner: currentOwner(), aliases: {}, log: silent });
  const task = await loadTask(await writeTask(folder.path, { name: 'bench', test: answerTest }));
  const image = await provider.prepareImage({ context: task.environment.context ?? '' }, {});
  const spec = specOf(task, image, runConfig.parse({ tasks: ['.'] }), {});
  const screen = { cols: 160, rows: 40 };

  const start = async () => {
    const began = performance.now();
    await using box = await provider.start(spec, never);
    await using _shell = await openShell(box, { task, agent: 'terminus' }, screen, join(folder.path, 'bench.cast'), never);
    return performance.now() - began;
  };
  const bare = async () => {
    const began = performance.now();
    const container = await createBare(image);
    const shell = await openBare(container);
    const took = performance.now() - began;
    shell.end();
    await container.remove({ force: true });
    return took;
  };

  await start();
  const cold: number[] = [];
  const least: number[] = [];
  const warm: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    least.push(await bare());
    cold.push(await start());
  }
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    provider.warm(spec, 1);
    await untilReady(provider);
    warm.push(await start());
  }
  provider.warm(spec, 0);
  const tell = (metric: string, value: number, unit: string, bar: string | null) =>
    report({ bench: 'start', metric, value: Number(value.toPrecision(3)), unit, bar });
  tell('warm start to first prompt, p50', quantile(warm, 0.5), 'ms', '<= 60');
  tell('warm start to first prompt, p95', quantile(warm, 0.95), 'ms', null);
  tell('cold start to first prompt, p50', quantile(cold, 0.5), 'ms', null);
  tell('bare create, start and exec to first prompt, p50', quantile(least, 0.5), 'ms', null);
  tell('cold against bare', quantile(cold, 0.5) / quantile(least, 0.5), 'x', '<= 1.3');
}

/** Waits until the pool's container runs; it is handed out a moment after the engine lists it. */
async function untilReady(provider: ReturnType<typeof createDockerProvider>): Promise<void> {
  const signal = AbortSignal.timeout(30_000);
  while (!(await provider.list()).some((thing) => thing.kind === 'container' && / Up /.test(` ${thing.detail} `.replace(',', ' '))))
    await delay(20, signal);
  await delay(200, signal);
}
