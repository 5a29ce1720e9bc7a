// Writes rollouts as a job of Harbor 0.20: the folders and files that its viewer, its traces export and its readers expect.
import type { RolloutRow, Verdict } from '../contract/schema/rollout.ts';
import type { RunRow } from '../contract/schema/run.ts';
import { type JsonObject, objectOf } from './json.ts';
import { type Recorded, trialNameOf } from './recorded.ts';
import { writeAtif } from './write-atif.ts';

/** A file of an export: path below its folder, with forward slashes. */
export interface OutputFile {
  path: string;
  text: string;
}

/** Exceptions by which Harbor and those who read its results know how a trial ended. */
const exceptions: Partial<Record<NonNullable<RolloutRow['outcome']>, string>> = {
  time_limit: 'AgentTimeoutError',
  verify_timeout: 'VerifierTimeoutError',
  context_full: 'ContextLengthExceededError',
  token_limit: 'OutputLengthExceededError',
};

/** The files of one trial, in its folder `trialName`. The recording is copied by whoever writes them. */
export function harborTrial(recorded: Recorded, trialName: string, job: string, version: string): OutputFile[] {
  const { rollout, verdict, verifierOutput, rest } = recorded;
  const kept = objectOf(rest?.parts?.['result.json']);
  const result = kept && Object.keys(kept).length > 0 ? kept : resultOf(rollout, verdict, trialName, job, version);
  const config = objectOf(result.config) ?? objectOf(rest?.parts?.['config.json']) ?? configOf(rollout, trialName, job);
  const exception = objectOf(result.exception_info);
  return [
    { path: 'config.json', text: json(config) },
    { path: 'result.json', text: json(result) },
    ...(exception ? [{ path: 'exception.txt', text: `${exception.exception_type}: ${exception.exception_message}\n` }] : []),
    ...trajectoryFiles(recorded, version),
    ...verifierFiles(verdict, verifierOutput),
  ];
}

/** A list of chat messages stays one, under the name that its agent gave it. */
function trajectoryFiles(recorded: Recorded, version: string): OutputFile[] {
  const messages = recorded.rest?.messages;
  if (messages && recorded.rollout.agent !== 'unknown') {
    const byId = new Map(recorded.nodes.map((node) => [node.id, node]));
    const list = messages.map(({ node, left }) => ({ content: byId.get(node)?.content ?? '', ...left }));
    return [{ path: 'agent/trajectory.json', text: json(list) }];
  }
  return writeAtif(recorded, version).map(({ path, document }) => {
    const step = /^steps\/([\w.-]+)\/([\w.-]+)$/.exec(path);
    const name = path.replace(/^.*\//, '').replaceAll(/[^\w.-]/g, '_');
    return { path: step ? `steps/${step[1]}/agent/${name}` : `agent/${name}`, text: json(document) };
  });
}

function verifierFiles(verdict: Verdict | null, output: string): OutputFile[] {
  if (!verdict || verdict.box === 'none') return [];
  const names = Object.keys(verdict.rewards);
  const files: OutputFile[] = [{ path: 'verifier/test-stdout.txt', text: output }];
  if (names.length === 1 && names[0] === 'reward') files.push({ path: 'verifier/reward.txt', text: `${verdict.rewards.reward}\n` });
  else if (names.length > 0) files.push({ path: 'verifier/reward.json', text: json(verdict.rewards) });
  if (verdict.tests.length > 0) files.push({ path: 'verifier/ctrf.json', text: json(ctrfOf(verdict)) });
  return files;
}

function ctrfOf({ tests }: Verdict): JsonObject {
  const count = (status: string) => tests.filter((test) => test.status === status).length;
  return {
    results: {
      tool: { name: 'termarium' },
      summary: {
        tests: tests.length,
        passed: count('passed'),
        failed: count('failed') + count('error'),
        skipped: count('skipped'),
        pending: 0,
        other: count('other'),
        start: 0,
        stop: 0,
      },
      tests: tests.map(({ name, status, message, seconds }) => ({
        name,
        status: status === 'error' ? 'failed' : status,
        duration: Math.round((seconds ?? 0) * 1000),
        ...(message === undefined ? {} : { message }),
      })),
    },
  };
}

function resultOf(rollout: RolloutRow, verdict: Verdict | null, trialName: string, job: string, version: string): JsonObject {
  const config = configOf(rollout, trialName, job);
  const { startMs, agentMs, verifyMs } = rollout.timings;
  const from = rollout.startedAt ?? rollout.queuedAt;
  const agentFrom = from + (startMs ?? 0);
  const verifyFrom = agentFrom + (agentMs ?? 0);
  const span = (start: number, ms: number | undefined) =>
    ms === undefined ? null : { started_at: iso(start), finished_at: iso(start + ms) };
  return {
    id: rollout.id,
    task_name: rollout.taskName,
    trial_name: trialName,
    trial_uri: `file://./${encodeURIComponent(trialName)}`,
    task_id: { path: rollout.taskName },
    source: null,
    task_checksum: rollout.taskDigest,
    config,
    agent_info: {
      name: rollout.agent,
      version,
      model_info: rollout.model === null ? null : { name: rollout.model, provider: 'unknown' },
    },
    agent_result: {
      n_input_tokens: rollout.promptTokens,
      n_cache_tokens: null,
      n_output_tokens: rollout.completionTokens,
      cost_usd: null,
      rollout_details: null,
      metadata: { n_episodes: rollout.turns },
    },
    verifier_result: verdict && Object.keys(verdict.rewards).length > 0 ? { rewards: verdict.rewards } : null,
    exception_info: exceptionInfo(rollout),
    started_at: iso(from),
    finished_at: rollout.endedAt === null ? null : iso(rollout.endedAt),
    environment_setup: span(from, startMs),
    agent_setup: null,
    agent_execution: span(agentFrom, agentMs),
    verifier: span(verifyFrom, verifyMs),
    step_results: null,
  };
}

function exceptionInfo({ status, outcome, error, endedAt, queuedAt }: RolloutRow): JsonObject | null {
  const type =
    status === 'cancelled' ? 'CancelledError' : status === 'error' ? (error?.code ?? 'error') : outcome ? exceptions[outcome] : undefined;
  if (type === undefined) return null;
  return {
    exception_type: type,
    exception_message: error?.message ?? outcome ?? status,
    exception_traceback: '',
    occurred_at: iso(endedAt ?? queuedAt),
  };
}

function configOf(rollout: RolloutRow, trialName: string, job: string): JsonObject {
  return {
    task: { path: rollout.taskName },
    trial_name: trialName,
    trials_dir: job,
    agent: { name: rollout.agent, model_name: rollout.model },
    environment: { type: 'docker' },
    verifier: {},
    job_id: rollout.runId,
  };
}

/** config.json and result.json of the job. A trial without a reward counts as 0 in the mean, as Harbor counts it. */
export function harborJob(
  run: RunRow,
  job: string,
  trials: { name: string; rollout: RolloutRow; verdict: Verdict | null }[],
): OutputFile[] {
  const ended = trials.filter(({ rollout }) => rollout.endedAt !== null).map(({ rollout }) => rollout.endedAt ?? 0);
  const started = trials.map(({ rollout }) => rollout.startedAt ?? rollout.queuedAt);
  const groups = Map.groupBy(trials, ({ rollout }) => `${rollout.agent}__${rollout.model ?? 'none'}__adhoc`);
  const errored = trials.filter(({ rollout }) => exceptionInfo(rollout) !== null).length;
  const total = (key: 'promptTokens' | 'completionTokens') => trials.reduce((sum, { rollout }) => sum + rollout[key], 0);
  const result = {
    id: run.id,
    started_at: iso(Math.min(...started, run.createdAt)),
    updated_at: iso(Math.max(...ended, run.createdAt)),
    finished_at: run.endedAt === null ? null : iso(Math.max(...ended, run.createdAt)),
    n_total_trials: trials.length,
    stats: {
      n_completed_trials: trials.length,
      n_errored_trials: errored,
      n_running_trials: 0,
      n_pending_trials: 0,
      n_cancelled_trials: trials.filter(({ rollout }) => rollout.status === 'cancelled').length,
      n_retries: 0,
      n_input_tokens: total('promptTokens'),
      n_cache_tokens: 0,
      n_output_tokens: total('completionTokens'),
      cost_usd: null,
      evals: Object.fromEntries([...groups].map(([name, members]) => [name, evalOf(members)])),
    },
  };
  const pairs = new Map(
    trials.map(({ rollout }) => [`${rollout.agent} ${rollout.model}`, { name: rollout.agent, model_name: rollout.model }]),
  );
  const config = {
    job_name: job,
    jobs_dir: '.',
    n_attempts: Math.max(1, ...trials.map(({ rollout }) => rollout.attempt + 1)),
    n_concurrent_trials: run.config.concurrency,
    agents: [...pairs.values()],
    tasks: [...new Set(trials.map(({ rollout }) => rollout.taskName))].map((path) => ({ path })),
  };
  return [
    { path: 'config.json', text: json(config) },
    { path: 'result.json', text: json(result) },
  ];
}

function evalOf(trials: { name: string; rollout: RolloutRow; verdict: Verdict | null }[]): JsonObject {
  const rewards = trials.flatMap(({ name, verdict }) =>
    verdict?.rewards.reward === undefined ? [] : [{ name, reward: verdict.rewards.reward }],
  );
  const failed = trials.flatMap(({ name, rollout }) => {
    const info = exceptionInfo(rollout);
    return info ? [{ name, type: String(info.exception_type) }] : [];
  });
  const names = (members: { name: string }[]) => members.map(({ name }) => name);
  return {
    n_trials: trials.length,
    n_errors: failed.length,
    metrics: [{ mean: rewards.reduce((sum, { reward }) => sum + reward, 0) / trials.length }],
    pass_at_k: {},
    reward_stats: {
      reward: Object.fromEntries(
        [...Map.groupBy(rewards, ({ reward }) => (Number.isInteger(reward) ? reward.toFixed(1) : String(reward)))].map(([value, list]) => [
          value,
          names(list),
        ]),
      ),
    },
    exception_stats: Object.fromEntries([...Map.groupBy(failed, ({ type }) => type)].map(([type, list]) => [type, names(list)])),
  };
}

/** The name of a trial's folder that no other trial of the job has. */
export function freeName(recorded: Recorded, taken: Set<string>): string {
  const wanted = trialNameOf(recorded);
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}-${count}`;
  taken.add(name);
  return name;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
