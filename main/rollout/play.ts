// Lets an agent play: each step is recorded before the agent goes on, and the loop holds while the rollout is paused.
import { type AgentEnd, type Step, settingsOf } from '../agent/agent.ts';
import { profileFolder } from '../agent/profile.ts';
import type { Paths } from '../config/paths.ts';
import type { LimitsConfig } from '../contract/schema/config.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { LiveRollout } from './live.ts';
import type { StepRecorder, Usage } from './record.ts';
import type { RolloutPlan } from './rollout.ts';
import type { RecordedShell } from './shell.ts';

/** Plays to the agent's own end, or to a limit on tokens, which only the recorder can count. Aborts with the rollout. */
export async function play(
  plan: RolloutPlan,
  sandbox: Sandbox,
  shell: RecordedShell,
  live: LiveRollout,
  recorder: StepRecorder,
  paths: Paths,
): Promise<AgentEnd> {
  const { limits } = plan.config;
  const { signal } = live.controller;
  const limitMs = (limits.seconds ?? plan.task.agent.timeoutSec ?? Number.POSITIVE_INFINITY) * 1000;
  live.clock.start();
  const steps = plan.agent.play({
    task: plan.task,
    attempt: plan.attempt,
    sandbox,
    terminal: shell.terminal,
    model: plan.model,
    sampling: plan.sampling,
    limits,
    settings: settingsOf(plan.config),
    profiles: profileFolder(paths.userConfigs),
    timeLeftMs: () => limitMs - live.clock.elapsedMs,
    onDelta: (turn, text) => {
      if (live.sampling.turn === turn) live.sampling.text.append(Buffer.from(text));
    },
    onRestart: (turn) => live.beginSampling(turn),
    human: live.human,
    replay: plan.config.replay,
    signal,
  });
  try {
    for (;;) {
      const next = await steps.next();
      if (next.done) return next.value;
      record(next.value, shell, live, recorder);
      const over = tokenLimit(recorder.usage, limits);
      if (over) return over;
      await hold(live);
    }
  } finally {
    live.clock.stop();
    await steps.return({ outcome: 'done', detail: '' });
  }
}

function record(step: Step, shell: RecordedShell, live: LiveRollout, recorder: StepRecorder): void {
  if (step.at === 'sampling') live.beginSampling(step.turn);
  recorder.record(step);
  if (step.at === 'observation') shell.recorder.mark(`turn ${step.turn + 1}`);
}

function tokenLimit(used: Usage, limits: LimitsConfig): AgentEnd | null {
  for (const kind of ['promptTokens', 'completionTokens'] as const) {
    const limit = limits[kind];
    if (limit !== null && used[kind] > limit) return { outcome: 'token_limit', detail: `${used[kind]} ${kind} used, ${limit} allowed` };
  }
  return null;
}

/** Waits while the rollout is paused; its clock stands still meanwhile. */
async function hold(live: LiveRollout): Promise<void> {
  if (!live.gate.shut) return;
  live.clock.stop();
  await live.gate.pass(live.controller.signal);
  live.clock.start();
}
