// Reads tables of trials, one a row, as evaluations are summed up: task, trial, reward, exception, times, tests. What the agent typed may lie
// beside them in steps.jsonl, which keeps commands short; the conversations themselves are not part of either.
import type { RolloutRow, TestResult, Verdict } from '../contract/schema/rollout.ts';
import { type Conversation, conversation, typed } from './conversation.ts';
import { invalid, type JsonObject, listOf, numberOf, objectOf, textOf, timeOf } from './json.ts';
import { endOf, type RecordedException, ungraded, verdictOf } from './recorded-verdict.ts';
import type { Trial } from './trial.ts';
import type { TrialStep } from './trial-steps.ts';

/** True for a row that names a trial and its task and says how it was graded, and holds no conversation. */
export function isTrialRow(value: unknown): boolean {
  const row = objectOf(value);
  return row !== null && textOf(row.trial) !== null && textOf(row.task) !== null && 'reward' in row && 'exception' in row;
}

/** What tells apart the runs that a table holds: the job of a row, else its model. */
export function runOfRow(value: unknown): string | null {
  const row = objectOf(value);
  return textOf(row?.job) ?? textOf(row?.model);
}

/** Reads a row. `steps`: those of its trial, empty where there are none. Throws `request.invalid` for a value of the wrong kind. */
export function readTrialRow(value: unknown, file: string, line: number, steps: readonly TrialStep[]): Trial {
  const row = objectOf(value);
  const task = textOf(row?.task);
  if (!row || task === null) throw invalid('is no row of trials', file, line);
  for (const key of ['reward', 'agent_s', 'prompt_tokens', 'completion_tokens', 'n_steps']) {
    if (row[key] !== null && row[key] !== undefined && numberOf(row[key]) === null) throw invalid(`'${key}' is no number`, file, line);
  }
  const number = (...keys: string[]) => keys.map((key) => numberOf(row[key])).find((found) => found !== null) ?? null;
  const exception = exceptionOf(row);
  const startedAt = timeOf(row.started_at);
  const talk = conversation((startedAt ?? 0) + 1000 * (number('env_setup_s', 'env_s') ?? 0));
  const cut = say(steps, talk);
  const turns = number('n_steps', 'episodes') ?? talk.turns;
  const most = number('max_steps');
  const verdict = gradedAs(row, exception, turns > 0);
  return {
    format: 'trials',
    rollout: {
      taskName: task,
      taskDigest: textOf(row.task_checksum) ?? '',
      agent: textOf(row.harness) ?? textOf(row.agent) ?? 'unknown',
      model: textOf(row.model),
      ...endOf(verdict, exception, most !== null && turns >= most && row.submitted === false),
      turns,
      promptTokens: number('prompt_tokens', 'in_tok') ?? 0,
      completionTokens: number('completion_tokens', 'out_tok') ?? 0,
      timings: timingsOf(row),
      queuedAt: startedAt ?? 0,
      startedAt,
      endedAt: timeOf(row.finished_at),
    },
    nodes: talk.nodes,
    verdict,
    verifierOutput: '',
    cast: null,
    notes: [
      'From a table of trials: what the agent said and saw is not part of it.',
      ...(cut > 0 ? [`${cut} commands may be cut: the table keeps their first ${SHORT} characters.`] : []),
      ...(exception ? [`${exception.type}: ${exception.message}`] : []),
    ],
    rest: { parts: row },
  };
}

/** Characters that such tables keep of a command; one of exactly this length was probably longer. */
const SHORT = 200;

/** A turn for each step, whose text nobody recorded: no sample that anything could be learned from. Answers how many commands may be cut. */
function say(steps: readonly TrialStep[], talk: Conversation): number {
  let at = talk.now;
  let cut = 0;
  for (const step of steps) {
    at += step.modelMs;
    const end = step.commandMs === null ? {} : { endedAt: at + step.commandMs, exitCode: step.exitCode };
    talk.say({
      role: 'assistant',
      author: 'sampled',
      content: '',
      sampled: false,
      isTurn: true,
      format: step.formatError === null ? null : { strict: false, robust: false, problems: [step.formatError] },
      timings: { totalMs: step.modelMs },
      commands: step.command === null ? [] : [typed(step.command, (step.commandMs ?? 0) / 1000, at, end)],
      at,
    });
    if ((step.command?.length ?? 0) >= SHORT) cut += 1;
    at += step.commandMs ?? 0;
  }
  return cut;
}

function exceptionOf(row: JsonObject): RecordedException | null {
  const type = textOf(row.exception);
  return type === null || type === '' ? null : { type, message: textOf(row.exception_msg) ?? '' };
}

/** Names that tables give to the states of a verdict. */
const states: Record<string, Verdict['state']> = {
  tests_ran: 'tests_ran',
  verifier_bootstrap_failed: 'verifier_failed',
  verifier_failed: 'verifier_failed',
  no_verdict: 'no_verdict',
  infra_error: 'infra_error',
  cancelled: 'cancelled',
};

/** The verdict by what the row says of the test run; a reward alone counts only where the row has no word about it. */
function gradedAs(row: JsonObject, exception: RecordedException | null, played: boolean): Verdict {
  const reward = numberOf(row.reward);
  const rewards: Record<string, number> = reward === null ? {} : { reward };
  const seconds = numberOf(row.verifier_s) ?? numberOf(row.ver_s) ?? 0;
  const { tests, partial } = testsOf(row);
  const state = stateOf(row, reward);
  switch (state) {
    case 'tests_ran':
      return {
        ...{ state, reward, rewards, partial, tests, box: 'live', tampering: [], seconds },
        reason: partial === null ? 'The table lists no single tests.' : `${Math.round(partial * 100)} % of the tests passed.`,
      };
    case 'verifier_failed':
      return {
        ...ungraded('No test ran: the set-up of the verifier itself failed, as the table says.', state),
        ...{ rewards, box: 'live', seconds },
      };
    case null: {
      // Without evidence the trial's own end says why.
      const verdict = verdictOf(null, exception, played);
      return { ...verdict, rewards, box: reward === null ? verdict.box : 'live', seconds };
    }
    default:
      return { ...ungraded(`The table says: ${state}.`, state), rewards, seconds };
  }
}

/** Null where the row has no evidence of a test run. */
function stateOf(row: JsonObject, reward: number | null): Verdict['state'] | null {
  if ('verdict_state' in row) return states[textOf(row.verdict_state) ?? ''] ?? null;
  if (row.verifier_infra_broken === true) return 'verifier_failed';
  return reward === null ? null : 'tests_ran';
}

const statuses = new Set(['passed', 'failed', 'skipped', 'error']);

/** Tests by name and status, or the counts of those that passed and failed. */
function testsOf(row: JsonObject): { tests: TestResult[]; partial: number | null } {
  const tests = (listOf(row.tests) ?? []).flatMap((item): TestResult[] => {
    const [name, status] = listOf(item) ?? [];
    if (textOf(name) === null) return [];
    // `statuses` holds members of the union only.
    return [{ name: String(name), status: statuses.has(String(status)) ? (String(status) as TestResult['status']) : 'other' }];
  });
  const good = tests.length > 0 ? tests.filter(({ status }) => status === 'passed' || status === 'skipped').length : numberOf(row.passed);
  const bad = tests.length > 0 ? tests.length - (good ?? 0) : numberOf(row.failed);
  if (good === null && bad === null) return { tests, partial: null };
  const all = (good ?? 0) + (bad ?? 0);
  return { tests, partial: all === 0 ? null : (good ?? 0) / all };
}

function timingsOf(row: JsonObject): RolloutRow['timings'] {
  const ms = (...keys: string[]) => {
    const seconds = keys.map((key) => numberOf(row[key])).find((found) => found !== null);
    return seconds === undefined || seconds === null ? undefined : Math.round(seconds * 1000);
  };
  const parts = {
    startMs: ms('env_setup_s', 'env_s'),
    agentMs: ms('agent_s'),
    modelMs: ms('llm_s'),
    commandMs: ms('bash_s'),
    verifyMs: ms('verifier_s', 'ver_s'),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}
