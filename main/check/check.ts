// The gates a task must pass before anyone trusts a reward from it: it builds, its untouched box is as described and scores 0, its oracle
// scores 1, grading in a fresh box agrees with grading in place, and the same play gives the same verdict again.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentSpec } from '../agent/agent.ts';
import { agents } from '../agent/index.ts';
import { type RunConfig, runConfig, type SandboxConfig } from '../contract/schema/config.ts';
import type { Verdict } from '../contract/schema/rollout.ts';
import type { GateName, GateResult } from '../contract/schema/task.ts';
import { isAbort } from '../lib/abort.ts';
import { AppError } from '../lib/errors.ts';
import { withHostEnv } from '../rollout/host-env.ts';
import { specOf } from '../rollout/lab.ts';
import { imageSource } from '../rollout/rollout.ts';
import { openShell } from '../rollout/shell.ts';
import { grade } from '../rollout/verify.ts';
import type { SandboxProvider } from '../sandbox/sandbox.ts';
import type { Task } from '../task/task.ts';

export interface CheckOptions {
  gates: readonly GateName[];
  /** How often the oracle and the nop are played; 1 leaves out the flaky gate. */
  repeats: number;
  config: RunConfig;
  /** One line of log at a time. */
  onLog: (line: string) => void;
  /** Told after each gate. */
  onGate?: (result: GateResult) => void;
  signal: AbortSignal;
}

/** Gates that need nothing but Docker, in the order in which they run. */
export const plainGates: readonly GateName[] = ['build', 'initial', 'nop', 'oracle', 'fresh', 'flaky'];

/** Settings under which tasks are checked: fresh grading, no pool, generous limits. */
export function checkConfig(overrides: Partial<RunConfig['sandbox']> = {}): RunConfig {
  return runConfig.parse({ tasks: ['.'], sandbox: { pool: 0, ...overrides } });
}

type GateFinding = Pick<GateResult, 'state' | 'detail'>;

/** Runs the gates in order. After a failed build nothing else can run; other gates are independent. Infrastructure failures throw. */
export async function checkTask(given: Task, provider: SandboxProvider, options: CheckOptions): Promise<GateResult[]> {
  if (given.unsupported !== null) throw new AppError('task.unsupported', `${given.name}: ${given.unsupported}`);
  const task = withHostEnv(given, options.config.sandbox.hostEnv);
  const results: GateResult[] = [];
  const verdicts = new Map<string, Verdict>();
  let image: string | null = null;

  const play = async (agent: AgentSpec, grading: SandboxConfig['grading'], key: string): Promise<Verdict> => {
    if (image === null) throw new Error('a gate ran before the image was built');
    options.onLog(`${agent.name}: playing, graded in the ${grading} box`);
    const verdict = await playOnce(task, agent, image, grading, provider, options);
    options.onLog(`${agent.name}: reward ${verdict.reward ?? 'none'}, ${verdict.state}. ${verdict.reason}`);
    verdicts.set(key, verdict);
    return verdict;
  };

  const gates: Record<GateName, () => Promise<GateFinding>> = {
    build: async () => {
      image = await provider.prepareImage(imageSource(task, options.config), { onLog: options.onLog, signal: options.signal });
      return {
        state: 'passed',
        detail: (await lacksUser(task, image, provider, options))
          ? `the image is ready, but has no user '${task.agent.user}', as whom the agent is to work: no agent can play it`
          : 'the image is ready',
      };
    },
    initial: () => initialGate(task, image, provider, options),
    nop: async () => {
      const verdict = await play(agents.nop, 'fresh', 'nop');
      if (verdict.state !== 'tests_ran')
        return { state: 'failed', detail: `the verifier gives no verdict on the untouched box (${verdict.state}): ${verdict.reason}` };
      if ((verdict.reward ?? 0) > 0)
        return { state: 'failed', detail: `doing nothing scores ${verdict.reward}: the task is already solved or its tests test nothing` };
      return { state: 'passed', detail: `doing nothing scores 0 (${verdict.reason})` };
    },
    oracle: async () => {
      if (task.solution.kind === 'missing') return { state: 'missing', detail: task.solution.reason };
      const verdict = await play(agents.oracle, 'fresh', 'oracle');
      if (verdict.state !== 'tests_ran')
        return { state: 'failed', detail: `the verifier gives no verdict after the solution (${verdict.state}): ${verdict.reason}` };
      if (verdict.reward === null || verdict.reward < 1)
        return { state: 'failed', detail: `the solution scores ${verdict.reward}: ${verdict.reason}${failedTests(verdict)}` };
      return { state: 'passed', detail: `the solution scores ${verdict.reward} (${verdict.reason})` };
    },
    fresh: async () => {
      if (task.solution.kind === 'missing') return { state: 'missing', detail: 'needs a solution to compare' };
      const live = await play(agents.oracle, 'live', 'oracle-live');
      const fresh = verdicts.get('oracle') ?? (await play(agents.oracle, 'fresh', 'oracle'));
      return live.reward === fresh.reward
        ? { state: 'passed', detail: `both boxes give ${fresh.reward}` }
        : {
            state: 'failed',
            detail: `graded with its processes running the solution scores ${live.reward}, in a fresh box ${fresh.reward}: the task depends on running processes; grade it with sandbox.grading=live`,
          };
    },
    flaky: async () => {
      if (options.repeats < 2) return { state: 'skipped', detail: 'asked for with --repeats 2 or more' };
      for (let repeat = 1; repeat < options.repeats; repeat += 1) {
        for (const agent of task.solution.kind === 'missing' ? [agents.nop] : [agents.nop, agents.oracle]) {
          const before = verdicts.get(agent.name);
          const again = await play(agent, 'fresh', `${agent.name}-${repeat}`);
          if (before && again.reward !== before.reward)
            return { state: 'failed', detail: `${agent.name} scored ${before.reward} at first and ${again.reward} at repeat ${repeat}` };
        }
      }
      return { state: 'passed', detail: `${options.repeats} plays agree` };
    },
    band: async () => ({ state: 'skipped', detail: 'the pass-rate band needs rollouts of a model: start a run with several attempts' }),
  };

  for (const gate of plainGates.filter((name) => options.gates.includes(name) || name === 'build')) {
    const started = performance.now();
    options.signal.throwIfAborted();
    options.onLog(`── ${gate}`);
    let finding: GateFinding;
    try {
      finding = await gates[gate]();
    } catch (error) {
      if (isAbort(error) || !(error instanceof AppError) || error.code === 'docker.unreachable') throw error;
      finding = { state: 'failed', detail: [error.message, error.hint].filter(Boolean).join(' ') };
    }
    const result = { gate, ...finding, seconds: (performance.now() - started) / 1000 };
    results.push(result);
    options.onGate?.(result);
    options.onLog(`${gate}: ${result.state}. ${result.detail}`);
    if (gate === 'build' && result.state === 'failed') break;
  }
  return results;
}

/** A task passes when no gate failed; what is missing or skipped is not held against it. */
export function passed(results: readonly GateResult[]): boolean {
  return results.every((result) => result.state !== 'failed');
}

async function playOnce(
  task: Task,
  agent: AgentSpec,
  image: string,
  grading: SandboxConfig['grading'],
  provider: SandboxProvider,
  options: CheckOptions,
): Promise<Verdict> {
  const { config, signal } = options;
  const spec = specOf(task, image, config, { check: task.digest.slice(0, 12) });
  const folder = await mkdtemp(join(tmpdir(), 'termarium-check-'));
  try {
    await using box = await provider.start(spec, signal);
    await using shell = await openShell(box, { task, agent: agent.name }, config.screen, join(folder, 'check.cast'), signal);
    const deadline = performance.now() + (task.agent.timeoutSec ?? 3600) * 1000;
    const steps = agent.play({
      task,
      attempt: 0,
      sandbox: box,
      terminal: shell.terminal,
      model: null,
      sampling: {},
      limits: config.limits,
      settings: config.agentSettings,
      profiles: null,
      timeLeftMs: () => deadline - performance.now(),
      onDelta: () => {},
      onRestart: () => {},
      human: null,
      replay: null,
      signal,
    });
    for (let next = await steps.next(); ; next = await steps.next()) {
      if (next.done) {
        if (next.value.outcome !== 'done') options.onLog(`${agent.name}: ${next.value.outcome}. ${next.value.detail}`);
        break;
      }
      if (next.value.at === 'observation') for (const line of next.value.text.split('\n').slice(-20)) options.onLog(`  ${line}`);
    }
    const { verdict } = await grade({ task, sandbox: box, spec, grading, terminal: shell.terminal }, provider, signal);
    return verdict;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether task.toml names a user for the agent that the image does not have. */
async function lacksUser(task: Task, image: string, provider: SandboxProvider, options: CheckOptions): Promise<boolean> {
  if (task.agent.user === null) return false;
  await using box = await provider.start(specOf(task, image, options.config, { check: task.digest.slice(0, 12) }), options.signal);
  return (await box.exec(['id', '-u', task.agent.user], { timeoutMs: 10_000, signal: options.signal })).exitCode !== 0;
}

/** Endless Terminals tasks bring tests of the untouched environment; they run with pytest inside it. */
async function initialGate(task: Task, image: string | null, provider: SandboxProvider, options: CheckOptions): Promise<GateFinding> {
  if (task.initialTests === null) return { state: 'missing', detail: 'the task has no tests of its initial state' };
  if (image === null) throw new Error('a gate ran before the image was built');
  await using box = await provider.start(specOf(task, image, options.config, { check: task.digest.slice(0, 12) }), options.signal);
  const folder = '/tmp/termarium-initial';
  await box.upload(folder, [{ path: 'test_initial_state.py', content: await readFile(task.initialTests) }]);
  const result = await box.exec(['python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider', `${folder}/test_initial_state.py`], {
    timeoutMs: task.verifier.timeoutSec * 1000,
    onOutput: (chunk) => options.onLog(Buffer.from(chunk).toString('utf8').trimEnd()),
    signal: options.signal,
  });
  if (result.exitCode === 0) return { state: 'passed', detail: 'the environment is as its tests expect' };
  const text = (result.stdout + result.stderr).trim();
  if (/No module named '?"?pytest/.test(text) || result.exitCode === 127)
    return { state: 'missing', detail: 'the image has no pytest to run the initial-state tests with' };
  return { state: 'failed', detail: `initial-state tests failed: ${text.split('\n').at(-1) ?? ''}` };
}

function failedTests(verdict: Verdict): string {
  const failed = verdict.tests.filter((test) => test.status === 'failed' || test.status === 'error');
  return failed.length === 0
    ? ''
    : `; failed: ${failed
        .slice(0, 5)
        .map((test) => test.name)
        .join(', ')}`;
}
