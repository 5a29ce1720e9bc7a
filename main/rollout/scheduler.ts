// Runs: many rollouts under one configuration, with pause, resume and cancel at any time. What is queued, playing or done is always in the
// store, so a killed lab loses at most the turn in flight.
import PQueue from 'p-queue';
import { settingsOf } from '../agent/agent.ts';
import { agents } from '../agent/index.ts';
import { loadProfile, profileFolder } from '../agent/profile.ts';
import { loadModel } from '../config/models.ts';
import { agentName, type ModelConfig, type RunConfig } from '../contract/schema/config.ts';
import type { RolloutRow } from '../contract/schema/rollout.ts';
import type { ConfigIssue } from '../contract/schema/task.ts';
import { AppError, messageOf } from '../lib/errors.ts';
import { createModel } from '../model/create.ts';
import type { Model } from '../model/model.ts';
import type { NewRollout } from '../store/store.ts';
import { loadTask } from '../task/load.ts';
import type { Task } from '../task/task.ts';
import { withHostEnv } from './host-env.ts';
import type { Lab } from './lab.ts';
import { Prefetch } from './prefetch.ts';
import { Interruption, type RolloutPlan, runRollout } from './rollout.ts';
import { selectTasks } from './select.ts';

/** Ended rollouts before the share of excluded ones may stop a run. */
const MIN_ENDED_TO_STOP = 8;

interface ActiveRun {
  runId: string;
  config: RunConfig;
  queue: PQueue;
  model: Model | null;
  modelConfig: ModelConfig | null;
  tasks: Map<string, Promise<Task>>;
  /** Rollouts that have not begun, in order. */
  upcoming: RolloutRow[];
  prefetch: Prefetch;
  /** Aborted to end the run; its reason tells a user's cancel from the lab's own shutdown. */
  controller: AbortController;
  ended: number;
  excluded: number;
  /** Why the lab itself ended the run. */
  stopped: AppError | null;
  settled: Promise<void>;
}

export class Scheduler {
  readonly #lab: Lab;
  readonly #active = new Map<string, ActiveRun>();
  #closing = false;

  constructor(lab: Lab) {
    this.#lab = lab;
  }

  /** Rollouts that wait for their turn, over all runs. */
  get queued(): number {
    let queued = 0;
    for (const run of this.#active.values()) queued += run.queue.size;
    return queued;
  }

  /**
   * Stores a run with all its rollouts and begins to play it; answers its id as soon as it is stored, and what is wrong in the files of
   * its tasks. Nothing is stored where none of it could be played: no model, no engine, no task.
   */
  async start(config: RunConfig): Promise<{ runId: string; issues: ConfigIssue[] }> {
    const { store } = this.#lab;
    const { tasks, issues } = await selectTasks(config.tasks, config.only, store);
    const opened = await this.#open(config);
    const rollouts: NewRollout[] = [];
    for (let attempt = 0; attempt < config.attempts; attempt += 1) {
      for (const task of tasks) {
        for (const agent of config.agents) {
          const model = agents[agent].needsModel ? config.model : null;
          rollouts.push({ taskId: task.id, taskName: task.name, taskDigest: task.digest, attempt, agent, model });
        }
      }
    }
    const name = config.name ?? `${config.agents.join('+')} on ${tasks.length === 1 ? tasks[0]?.name : `${tasks.length} tasks`}`;
    const runId = store.runs.create(config, name, rollouts);
    this.#launch(runId, config, opened, store.rollouts.ofRun(runId));
    return { runId, issues: issues.filter(({ level }) => level !== 'note') };
  }

  /** Nothing new begins, and what plays holds at its next step; its clock stands still. */
  pause(runId: string): void {
    const run = this.#requireActive(runId);
    run.queue.pause();
    for (const live of this.#lab.live.ofRun(runId)) live.gate.close();
    this.#lab.store.runs.setStatus(runId, 'paused');
  }

  /**
   * Continues a paused run. Of a run that is not active (interrupted, cancelled, stopped, or finished with errors), plays again what has no
   * verdict: rollouts that were interrupted, cancelled or ended in an error. Scored rollouts are never touched.
   */
  async resume(runId: string): Promise<void> {
    const { store, live } = this.#lab;
    const active = this.#active.get(runId);
    // One that is being cancelled cannot be held back any more; what it leaves is played once it has ended.
    if (active?.controller.signal.aborted) await active.settled;
    else if (active) {
      store.runs.setStatus(runId, 'running');
      for (const rollout of live.ofRun(runId)) rollout.gate.open();
      active.queue.start();
      return;
    }
    const row = this.#require(runId);
    if (row.origin) {
      throw new AppError('request.conflict', `run ${row.name} was imported and cannot be played on`, {
        hint: 'Its rollouts were played elsewhere. Start a new run to play their tasks here.',
      });
    }
    const opened = await this.#open(row.config);
    if (this.#active.has(runId)) {
      // Another client resumed it while the model was opened.
      await opened.model?.[Symbol.asyncDispose]();
      return;
    }
    const again = store.rollouts.ofRun(runId).filter((rollout) => rollout.status !== 'finished');
    if (again.length === 0) {
      await opened.model?.[Symbol.asyncDispose]();
      throw new AppError('request.conflict', `run ${row.name} has nothing left to play`, {
        hint: 'Every rollout has ended with a verdict. Start a new run to play the tasks again.',
      });
    }
    for (const rollout of again) if (rollout.status !== 'queued') store.rollouts.requeue(rollout.id);
    store.runs.setStatus(runId, 'running', null);
    this.#launch(
      runId,
      row.config,
      opened,
      store.rollouts.ofRun(runId).filter((rollout) => rollout.status === 'queued'),
    );
  }

  /** Ends what plays and drops what waits. Resolves when all containers are gone. */
  async cancel(runId: string): Promise<void> {
    const run = this.#active.get(runId);
    if (!run) {
      this.#require(runId);
      return;
    }
    await this.#end(run, new DOMException('cancelled', 'AbortError'));
  }

  cancelRollout(rolloutId: string): void {
    const live = this.#lab.live.get(rolloutId);
    if (!live)
      throw new AppError('request.conflict', 'this rollout does not play now', {
        hint: 'Only a rollout that is starting, running or verifying can be cancelled.',
      });
    live.controller.abort(new DOMException('cancelled', 'AbortError'));
  }

  /** Interrupts everything; the next start offers to resume it. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all([...this.#active.values()].map((run) => this.#end(run, new Interruption('the lab was closed'))));
  }

  #launch(
    runId: string,
    config: RunConfig,
    opened: { model: Model | null; modelConfig: ModelConfig | null },
    rollouts: RolloutRow[],
  ): void {
    const queue = new PQueue({ concurrency: config.concurrency });
    const controller = new AbortController();
    const load = (rollout: RolloutRow) => this.#loadTask(run, rollout);
    const run: ActiveRun = {
      runId,
      config,
      queue,
      ...opened,
      tasks: new Map(),
      upcoming: [...rollouts],
      prefetch: new Prefetch(this.#lab.sandboxes(config.sandbox), config, runId, load, controller.signal),
      controller,
      ended: 0,
      excluded: 0,
      stopped: null,
      settled: Promise.resolve(),
    };
    this.#active.set(runId, run);
    for (const rollout of rollouts) {
      queue
        .add(() => this.#play(run, rollout))
        .catch((error: unknown) => this.#lab.log.error({ rolloutId: rollout.id, error: messageOf(error) }, 'rollout job failed'));
    }
    run.settled = queue
      .onIdle()
      .then(() => this.#finish(run))
      .catch((error: unknown) => this.#lab.log.error({ runId, error: messageOf(error) }, 'the end of a run could not be stored'));
  }

  async #play(run: ActiveRun, rollout: RolloutRow): Promise<void> {
    const { store, live } = this.#lab;
    run.upcoming = run.upcoming.filter(({ id }) => id !== rollout.id);
    if (run.controller.signal.aborted) {
      if (!(run.controller.signal.reason instanceof Interruption))
        store.rollouts.update(rollout.id, 'cancelled', { status: 'cancelled', verdictState: 'cancelled', endedAt: Date.now() });
      return;
    }
    const controller = new AbortController();
    const stop = () => controller.abort(run.controller.signal.reason);
    run.controller.signal.addEventListener('abort', stop, { once: true });
    const playing = live.add(rollout.id, run.runId, rollout.agent === 'human', controller);
    try {
      const plan = await this.#planOf(run, rollout);
      await runRollout(plan, this.#lab, playing);
    } catch (error) {
      const failure = error instanceof AppError ? error : new AppError('internal', messageOf(error), { cause: error });
      store.rollouts.update(rollout.id, 'error', {
        status: 'error',
        verdictState: 'infra_error',
        error: failure.toData(),
        endedAt: Date.now(),
      });
    } finally {
      live.remove(rollout.id);
      run.controller.signal.removeEventListener('abort', stop);
    }
    this.#count(run, rollout.id);
  }

  async #planOf(run: ActiveRun, rollout: RolloutRow): Promise<RolloutPlan> {
    const task = await this.#loadTask(run, rollout);
    if (task.unsupported !== null) throw new AppError('task.unsupported', `${task.name}: ${task.unsupported}`);
    if (task.digest !== rollout.taskDigest) this.#taskChanged(task, rollout);
    const agent = agents[agentName.parse(rollout.agent)];
    return {
      rolloutId: rollout.id,
      runId: run.runId,
      task,
      attempt: rollout.attempt,
      agent,
      model: agent.needsModel ? run.model : null,
      sampling: run.modelConfig?.kind === 'http' ? run.modelConfig.sampling : {},
      config: run.config,
      onStarted: () => run.prefetch.look(run.upcoming),
    };
  }

  /** A run that is resumed after a task was mended plays it as it is now; the row must not say that it was played as it had been. */
  #taskChanged(task: Task, rollout: RolloutRow): void {
    const { store } = this.#lab;
    store.rollouts.update(rollout.id, 'task_changed', { taskDigest: task.digest });
    const text = `The task's files changed after the run was made (${rollout.taskDigest.slice(0, 12)}); this try has them as they are now.`;
    store.events.append(rollout.id, 'note', { turn: null, text });
  }

  async #loadTask(run: ActiveRun, rollout: RolloutRow): Promise<Task> {
    const row = this.#lab.store.tasks.get(rollout.taskId);
    if (!row)
      throw new AppError('task.not_found', `task ${rollout.taskName} is no longer in the lab`, { hint: 'Import its folder again.' });
    let loading = run.tasks.get(row.path);
    if (!loading) {
      loading = loadTask(row.path).then((task) => withHostEnv(task, run.config.sandbox.hostEnv));
      run.tasks.set(row.path, loading);
    }
    return await loading;
  }

  /** Stops a run in which too many rollouts end without evidence: the fault is not the agent's, and more of the same only costs time. */
  #count(run: ActiveRun, rolloutId: string): void {
    const row = this.#lab.store.rollouts.get(rolloutId);
    if (!row || row.status === 'cancelled' || row.status === 'interrupted') return;
    run.ended += 1;
    if (row.status === 'error' || row.verdictState === 'verifier_failed') run.excluded += 1;
    if (run.ended < MIN_ENDED_TO_STOP || run.excluded / run.ended <= run.config.maxExcludedShare || run.controller.signal.aborted) return;
    run.stopped = new AppError(
      'verifier.failed',
      `the run was stopped: ${run.excluded} of ${run.ended} rollouts ended without a verdict through no fault of the agent`,
      {
        hint: "Look at the errors of its rollouts, fix the cause, then resume. 'maxExcludedShare' sets the limit.",
      },
    );
    this.#abort(run, new DOMException('too many rollouts without a verdict', 'AbortError'));
  }

  /** Ends a run, also one that is paused. */
  #abort(run: ActiveRun, reason: Error): void {
    run.controller.abort(reason);
    for (const live of this.#lab.live.ofRun(run.runId)) live.gate.open();
    run.queue.start();
  }

  async #end(run: ActiveRun, reason: Error): Promise<void> {
    this.#abort(run, reason);
    await run.settled;
  }

  async #finish(run: ActiveRun): Promise<void> {
    this.#active.delete(run.runId);
    run.prefetch.look([]);
    try {
      const { signal } = run.controller;
      const aborted = signal.reason instanceof Interruption ? 'interrupted' : run.stopped ? 'stopped' : 'cancelled';
      this.#lab.store.runs.setStatus(run.runId, signal.aborted ? aborted : 'finished', run.stopped?.toData() ?? null);
    } finally {
      await run.model?.[Symbol.asyncDispose]();
    }
  }

  /** What a run stands on: its model, its prompt, and an engine that answers. */
  async #open(config: RunConfig): Promise<{ model: Model | null; modelConfig: ModelConfig | null }> {
    const opened = await this.#openModel(config);
    try {
      await this.#lab.sandboxes(config.sandbox).info();
      const { profile } = settingsOf(config);
      if (profile !== null) await loadProfile(profile, profileFolder(this.#lab.paths.userConfigs));
      if (this.#closing) throw new AppError('request.conflict', 'the lab is closing', { hint: 'Start it again, then the run.' });
      return opened;
    } catch (error) {
      await opened.model?.[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #openModel(config: RunConfig): Promise<{ model: Model | null; modelConfig: ModelConfig | null }> {
    if (!config.agents.some((agent) => agents[agent].needsModel)) return { model: null, modelConfig: null };
    if (config.model === null) {
      throw new AppError('config.invalid', `agent ${config.agents.find((agent) => agents[agent].needsModel)} needs a model`, {
        hint: "Name one with --model or 'model:' in the configuration; `termarium doctor` lists them.",
      });
    }
    const modelConfig = await loadModel(config.model, this.#lab.paths);
    return { model: await createModel(modelConfig, this.#lab.paths.root), modelConfig };
  }

  #require(runId: string) {
    const row = this.#lab.store.runs.get(runId);
    if (!row)
      throw new AppError('request.not_found', `there is no run ${runId}`, { hint: '`termarium serve` shows those that there are.' });
    return row;
  }

  #requireActive(runId: string): ActiveRun {
    const run = this.#active.get(runId);
    if (run && !run.controller.signal.aborted) return run;
    const row = this.#require(runId);
    throw new AppError('request.conflict', `run ${row.name} is ${run ? 'ending' : row.status}, not running`);
  }
}
