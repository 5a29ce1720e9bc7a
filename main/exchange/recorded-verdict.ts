// What a recorded trial's verdict is by the lab's own rules, and how the trial ended. A reward alone is no verdict: what the verifier
// printed decides whether there is evidence about the agent.
import type { Outcome, RolloutRow, Verdict } from '../contract/schema/rollout.ts';
import { judge } from '../rollout/verdict.ts';
import { type JsonObject, numberOf, objectOf } from './json.ts';
import { recordedFailure } from './trial.ts';

/** What a record tells of the grading. */
export interface Grading {
  output: string;
  rewardText: string | null;
  rewardJson: string | null;
  ctrf: string | null;
  /** Rewards as the record's own summary has them. */
  rewards: JsonObject | null;
  separate: boolean;
  seconds: number;
}

/** Exception by the name that the record gives it, as Harbor does. */
export interface RecordedException {
  type: string;
  message: string;
}

/** Graded by nobody that the record tells of. */
export function ungraded(reason: string, state: Verdict['state'] = 'no_verdict'): Verdict {
  return { state, reward: null, rewards: {}, partial: null, tests: [], box: 'none', tampering: [], reason, seconds: 0 };
}

/** The verdict of a graded trial. Rewards that it reports stay in `rewards` also where the verdict does not trust them. */
export function verdictOf(grading: Grading | null, exception: RecordedException | null, played: boolean): Verdict {
  if (grading === null) {
    if (exception?.type === 'CancelledError') return ungraded('The trial was cancelled before it was graded.', 'cancelled');
    if (exception && !played) return ungraded(`The trial failed before its agent began: ${exception.type}.`, 'infra_error');
    if (exception?.type !== 'VerifierTimeoutError') {
      return ungraded(exception ? `The trial was not graded: ${exception.type}.` : 'The record tells of no grading.');
    }
  }
  const reported = Object.fromEntries(
    Object.entries(grading?.rewards ?? {}).flatMap(([name, value]) => (numberOf(value) === null ? [] : [[name, Number(value)]])),
  );
  const files = grading?.rewardJson ?? grading?.rewardText ?? null;
  const judged = judge({
    output: grading?.output ?? '',
    exitCode: 0,
    timedOut: exception?.type === 'VerifierTimeoutError',
    timeoutSec: grading?.seconds ?? 0,
    rewardJson: grading?.rewardJson ?? (files === null && Object.keys(reported).length > 0 ? JSON.stringify(reported) : null),
    rewardText: grading?.rewardText ?? null,
    ctrf: grading?.ctrf ?? null,
    parser: null,
  });
  const rewards = Object.keys(judged.rewards).length > 0 ? judged.rewards : reported;
  return {
    ...judged,
    rewards,
    box: grading?.separate ? 'fresh' : 'live',
    tampering: [],
    seconds: grading?.seconds ?? 0,
  };
}

/** Ends that Harbor and the agents below it know by the name of an exception. */
const outcomes: Record<string, Outcome> = {
  AgentTimeoutError: 'time_limit',
  VerifierTimeoutError: 'verify_timeout',
  ContextLengthExceededError: 'context_full',
  OutputLengthExceededError: 'token_limit',
};

/** How the rollout ended. `capped`: it took all turns that it was allowed. */
export function endOf(
  verdict: Verdict,
  exception: RecordedException | null,
  capped: boolean,
): Pick<RolloutRow, 'status' | 'outcome' | 'error'> {
  if (verdict.state === 'cancelled') return { status: 'cancelled', outcome: null, error: null };
  if (verdict.state === 'infra_error') {
    return { status: 'error', outcome: null, error: recordedFailure(exception?.type ?? 'error', exception?.message ?? verdict.reason) };
  }
  const known = exception ? outcomes[exception.type] : undefined;
  const outcome: Outcome | null =
    verdict.reward !== null && verdict.reward >= 1
      ? 'solved'
      : (known ?? (capped ? 'turn_limit' : verdict.box === 'none' ? null : 'unsolved'));
  return { status: 'finished', outcome, error: null };
}

/** `{exception_type, exception_message}` of a Harbor result. */
export function exceptionOf(value: unknown): RecordedException | null {
  const info = objectOf(value);
  if (!info) return null;
  return { type: String(info.exception_type ?? 'Exception'), message: String(info.exception_message ?? '') };
}
