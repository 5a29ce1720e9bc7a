// One rollout, from top to bottom.
import { join } from 'node:path';
import { type AgentEnd, type AgentSpec, settingsOf } from '../agent/agent.ts';
import type { RunConfig, SamplingConfig } from '../contract/schema/config.ts';
import type { Outcome, RolloutRow, Verdict } from '../contract/schema/rollout.ts';
import { delay, isAbort } from '../lib/abort.ts';
import { AppError, messageOf } from '../lib/errors.ts';
import type { Model } from '../model/model.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Task } from '../task/task.ts';
import { recordChanges } from './changes.ts';
import { type Lab, needOf, specOf } from './lab.ts';
import type { LiveRollout } from './live.ts';
import { play } from './play.ts';
import { storeRecorder } from './record.ts';
import { openShell } from './shell.ts';
import { grade } from './verify.ts';

/** Everything that decides how one rollout plays. */
export interface RolloutPlan {
  rolloutId: string;
  runId: string;
  task: Task;
  attempt: number;
  agent: AgentSpec;
  model: Model | null;
  sampling: SamplingConfig;
  config: RunConfig;
  /** Called when this rollout has its container: what comes next may be made ready. */
  onStarted: () => void;
}

/**
 * Plays one task with one agent in one fresh sandbox and records everything. Never throws for what the agent did, and records what the
 * lab did wrong: the returned promise always resolves, and the stored row says how it ended.
 */
export async function runRollout(plan: RolloutPlan, lab: Lab, live: LiveRollout): Promise<void> {
  const { store } = lab;
  const { rolloutId } = plan;
  const signal = live.controller.signal;
  const recorder = storeRecorder(store, rolloutId);
  const began = performance.now();
  const timings = { startMs: 0, agentMs: 0, verifyMs: 0 };
  const total = () => ({ ...timings, modelMs: Math.round(recorder.usage.modelMs), commandMs: Math.round(recorder.usage.commandMs) });
  try {
    const provider = lab.sandboxes(plan.config.sandbox);
    store.rollouts.update(rolloutId, 'starting', { status: 'starting', startedAt: Date.now() });
    const image = await provider.prepareImage(imageSource(plan.task, plan.config), { signal });
    using _room = await lab.admission.acquire(needOf(plan.task, plan.config), signal);
    const spec = specOf(plan.task, image, plan.config, { run: plan.runId, rollout: rolloutId });

    const starting = performance.now();
    await using box = await provider.start(spec, signal);
    plan.onStarted();
    await waitHealthy(plan.task, box, signal);
    await using shell = await openShell(
      box,
      { task: plan.task, agent: plan.agent.name, bare: plan.agent.bareShell?.(settingsOf(plan.config)) ?? false },
      plan.config.screen,
      join(lab.paths.recordings, `${rolloutId}.cast`),
      signal,
    );
    const { terminal } = shell;
    live.terminal = terminal;
    timings.startMs = Math.round(performance.now() - starting);
    store.rollouts.update(rolloutId, 'running', { status: 'running', timings: total() });

    const end = await play(plan, box, shell, live, recorder, lab.paths);
    shell.recorder.mark('end');
    timings.agentMs = Math.round(live.clock.elapsedMs);

    store.rollouts.update(rolloutId, 'verifying', { status: 'verifying', turns: recorder.usage.turns, timings: total() });
    // Only a fresh box leaves the agent's untouched: its list may be made while the tests run there.
    const listed = plan.config.sandbox.changes ? recordChanges(box, store, rolloutId) : Promise.resolve();
    if (plan.config.sandbox.grading !== 'fresh' || plan.task.verifier.sameShell) await listed;
    const { verdict, output, timedOut } = await grade(
      { task: plan.task, sandbox: box, spec, grading: plan.config.sandbox.grading, terminal },
      provider,
      signal,
    );
    timings.verifyMs = Math.round(verdict.seconds * 1000);
    await listed;
    store.rollouts.putVerdict(rolloutId, verdict, output);
    store.events.append(rolloutId, 'agent_end', { turn: recorder.usage.turns, text: end.detail });
    store.rollouts.update(rolloutId, 'finished', {
      status: 'finished',
      outcome: outcomeOf(end, verdict, timedOut),
      verdictState: verdict.state,
      reward: verdict.reward,
      endedAt: Date.now(),
      timings: total(),
    });
  } catch (error) {
    recordFailure(error, plan, lab, signal, total());
  } finally {
    const seconds = Math.round(performance.now() - began) / 1000;
    lab.log.info({ rolloutId, task: plan.task.name, agent: plan.agent.name, seconds }, 'rollout ended');
  }
}

/** Tells what kept a rollout from its verdict: the user's wish, the lab's own end, or a failure of what the lab depends on. */
function recordFailure(error: unknown, { rolloutId }: RolloutPlan, lab: Lab, signal: AbortSignal, timings: RolloutRow['timings']): void {
  const end = { endedAt: Date.now(), timings };
  if (isAbort(error) || signal.aborted) {
    if (signal.reason instanceof Interruption) lab.store.rollouts.update(rolloutId, 'interrupted', { status: 'interrupted', ...end });
    else lab.store.rollouts.update(rolloutId, 'cancelled', { status: 'cancelled', verdictState: 'cancelled', ...end });
    return;
  }
  const known = error instanceof AppError;
  if (!known) lab.log.error({ rolloutId, err: error }, 'a rollout failed in a way that the lab does not know');
  const failure = known ? error : new AppError('internal', `the rollout failed: ${messageOf(error)}`, { cause: error });
  lab.store.rollouts.update(rolloutId, 'error', { status: 'error', verdictState: 'infra_error', error: failure.toData(), ...end });
}

/** The reason of an abort that is no wish of the user: the lab itself shuts down. The rollout can be resumed. */
export class Interruption extends Error {
  override readonly name = 'AbortError';
}

/** An agent that says it is done is solved or not as the verifier says; every other end keeps its own name. */
export function outcomeOf(end: AgentEnd, verdict: Verdict, verifierTimedOut: boolean): Outcome {
  if (verdict.reward !== null && verdict.reward >= 1) return 'solved';
  if (end.outcome !== 'done') return end.outcome;
  return verifierTimedOut ? 'verify_timeout' : 'unsolved';
}

export function imageSource(task: Task, config: RunConfig) {
  const { environment } = task;
  return {
    ...(environment.image === null ? {} : { reference: environment.image }),
    ...(environment.context === null ? {} : { context: environment.context, dockerfile: environment.dockerfile }),
    buildTimeoutMs: (config.sandbox.buildTimeoutSeconds ?? environment.buildTimeoutSec) * 1000,
  };
}

/** Waits for a task's health check (Harbor `[environment.healthcheck]`), as Docker would run it. */
async function waitHealthy(task: Task, box: Sandbox, signal: AbortSignal): Promise<void> {
  const check = task.environment.healthcheck;
  if (!check) return;
  const deadline = performance.now() + (check.startPeriodSec + check.retries * (check.intervalSec + check.timeoutSec)) * 1000;
  for (;;) {
    const result = await box.exec(['sh', '-c', check.command], { timeoutMs: check.timeoutSec * 1000, signal });
    if (result.exitCode === 0) return;
    if (performance.now() > deadline) {
      throw new AppError(
        'sandbox.start_failed',
        `${task.name}: the environment did not become healthy: ${(result.stderr || result.stdout).trim().slice(-300)}`,
        {
          hint: `Its health check is: ${check.command}`,
          retryable: true,
        },
      );
    }
    await delay(check.intervalSec * 1000, signal);
  }
}
