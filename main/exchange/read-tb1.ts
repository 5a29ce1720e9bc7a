// Reads results.json of Terminal-Bench 1: of a run (`results[]`), or of one trial beside its `sessions/` and `panes/`.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Outcome, TestResult, Verdict } from '../contract/schema/rollout.ts';
import { conversation } from './conversation.ts';
import { invalid, type JsonObject, numberOf, objectOf, textOf, timeOf } from './json.ts';
import { ungraded } from './recorded-verdict.ts';
import { recordedFailure, type Trial } from './trial.ts';

/** Panes are screens of text. */
const MOST_PANE_BYTES = 16 * 1024 * 1024;

/** The trials of a results file; null where it is none. */
export function tb1Results(value: unknown): unknown[] | null {
  const root = objectOf(value);
  if (!root) return null;
  if (isTrial(root)) return [root];
  const results = root.results;
  return Array.isArray(results) && results.length > 0 && isTrial(objectOf(results[0])) ? results : null;
}

function isTrial(value: JsonObject | null): boolean {
  return value !== null && 'is_resolved' in value && textOf(value.task_id) !== null && 'failure_mode' in value;
}

const outcomes: Record<string, Outcome> = {
  agent_timeout: 'time_limit',
  test_timeout: 'verify_timeout',
  context_length_exceeded: 'context_full',
  output_length_exceeded: 'token_limit',
  fatal_llm_parse_error: 'format_limit',
};

/** Reads one trial. Turns are not part of the format; the recording is, where it lies beside the file. */
export function readTb1Trial(value: unknown, file: string): Trial {
  const trial = objectOf(value);
  const task = textOf(trial?.task_id);
  if (!trial || task === null) throw invalid('has a result without task_id', file);
  const mode = textOf(trial.failure_mode) ?? 'unset';
  const verdict = verdictOf(trial, mode);
  const startedAt = timeOf(trial.trial_started_at);
  const talk = conversation(startedAt ?? 0);
  const instruction = textOf(trial.instruction);
  if (instruction !== null) talk.say({ role: 'user', author: 'template', content: instruction });
  const failed = verdict.state === 'infra_error';
  const span = (name: string) => {
    const [from, to] = [timeOf(trial[`${name}_started_at`]), timeOf(trial[`${name}_ended_at`])];
    return from === null || to === null ? null : Math.max(0, to - from);
  };
  const [agentMs, verifyMs] = [span('agent'), span('test')];
  return {
    format: 'tb1',
    rollout: {
      taskName: task,
      taskDigest: '',
      agent: textOf(trial.agent_name) ?? 'terminal-bench',
      model: textOf(trial.model_name),
      status: failed ? 'error' : 'finished',
      outcome: failed ? null : verdict.reward === 1 ? 'solved' : (outcomes[mode] ?? 'unsolved'),
      error: failed ? recordedFailure(mode, 'as recorded by Terminal-Bench') : null,
      turns: 0,
      promptTokens: numberOf(trial.total_input_tokens) ?? 0,
      completionTokens: numberOf(trial.total_output_tokens) ?? 0,
      timings: { ...(agentMs === null ? {} : { agentMs }), ...(verifyMs === null ? {} : { verifyMs }) },
      queuedAt: startedAt ?? 0,
      startedAt,
      endedAt: timeOf(trial.trial_ended_at),
    },
    nodes: talk.nodes,
    verdict,
    verifierOutput: paneOf(trial, file),
    cast: besideOf(trial, file, 'sessions/agent.cast'),
    notes: mode === 'unset' || mode === 'none' ? [] : [`failure mode: ${mode}`],
    rest: { parts: trial },
  };
}

function verdictOf(trial: JsonObject, mode: string): Verdict {
  if (mode === 'agent_installation_failed') return ungraded(`The trial failed before its agent began: ${mode}.`, 'infra_error');
  const tests = Object.entries(objectOf(trial.parser_results) ?? {}).map(
    ([name, status]): TestResult => ({ name, status: status === 'passed' ? 'passed' : 'failed' }),
  );
  const resolved = trial.is_resolved;
  if (tests.length === 0) {
    const reward: Record<string, number> = typeof resolved === 'boolean' ? { reward: resolved ? 1 : 0 } : {};
    // Unresolved without a single test is what Terminal-Bench writes where the tests timed out or could not be parsed.
    return {
      ...ungraded(`No test result was recorded (${mode}).`),
      rewards: reward,
      reward: mode === 'test_timeout' ? 0 : null,
      box: 'live',
    };
  }
  const passed = tests.filter((test) => test.status === 'passed').length;
  const reward = resolved === true || (resolved !== false && passed === tests.length) ? 1 : 0;
  return {
    state: 'tests_ran',
    reward,
    rewards: { reward },
    partial: passed / tests.length,
    tests,
    box: 'live',
    tampering: [],
    reason: `${passed} of ${tests.length} ${tests.length === 1 ? 'test' : 'tests'} passed.`,
    seconds: 0,
  };
}

function paneOf(trial: JsonObject, file: string): string {
  const path = besideOf(trial, file, 'panes/post-test.txt');
  return path === null || statSync(path).size > MOST_PANE_BYTES ? '' : readFileSync(path, 'utf8');
}

/** A file of the trial, whose folder is that of the results file or lies below it. */
function besideOf(trial: JsonObject, file: string, name: string): string | null {
  const names = [textOf(trial.task_id), textOf(trial.trial_name)].filter(
    (part) => part !== null && /^[\w.-]+$/.test(part) && !part.startsWith('.'),
  );
  const folders = [dirname(file), join(dirname(file), ...names.map(String))];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}
