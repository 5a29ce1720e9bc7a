// Builds the images and starts the containers of the rollouts that come next, while others play.
import type { RunConfig } from '../contract/schema/config.ts';
import type { RolloutRow } from '../contract/schema/rollout.ts';
import type { SandboxProvider, SandboxSpec } from '../sandbox/sandbox.ts';
import type { Task } from '../task/task.ts';
import { specOf } from './lab.ts';
import { imageSource } from './rollout.ts';

export class Prefetch {
  readonly #provider: SandboxProvider;
  readonly #config: RunConfig;
  readonly #runId: string;
  readonly #load: (rollout: RolloutRow) => Promise<Task>;
  readonly #signal: AbortSignal;
  /** What is kept ready now, by task. */
  #warm = new Map<string, SandboxSpec>();
  #wanted = new Map<string, number>();

  constructor(
    provider: SandboxProvider,
    config: RunConfig,
    runId: string,
    load: (rollout: RolloutRow) => Promise<Task>,
    signal: AbortSignal,
  ) {
    this.#provider = provider;
    this.#config = config;
    this.#runId = runId;
    this.#load = load;
    this.#signal = signal;
  }

  /** Told what has not begun yet, in order. Looks `sandbox.pool` rollouts ahead; what fails here fails again, and is told, when it plays. */
  look(upcoming: readonly RolloutRow[]): void {
    const next = this.#signal.aborted ? [] : upcoming.slice(0, this.#config.sandbox.pool);
    this.#wanted = new Map();
    for (const rollout of next) this.#wanted.set(rollout.taskId, (this.#wanted.get(rollout.taskId) ?? 0) + 1);
    for (const [taskId, spec] of this.#warm) {
      this.#provider.warm(spec, this.#wanted.get(taskId) ?? 0);
      if (!this.#wanted.has(taskId)) this.#warm.delete(taskId);
    }
    for (const rollout of new Map(next.map((row) => [row.taskId, row])).values()) {
      if (!this.#warm.has(rollout.taskId)) this.#prepare(rollout).catch(() => {});
    }
  }

  async #prepare(rollout: RolloutRow): Promise<void> {
    const task = await this.#load(rollout);
    if (task.unsupported !== null) return;
    const image = await this.#provider.prepareImage(imageSource(task, this.#config), { signal: this.#signal });
    const count = this.#wanted.get(rollout.taskId) ?? 0;
    if (count === 0 || this.#signal.aborted) return;
    const spec = specOf(task, image, this.#config, { run: this.#runId });
    this.#warm.set(rollout.taskId, spec);
    this.#provider.warm(spec, count);
  }
}
