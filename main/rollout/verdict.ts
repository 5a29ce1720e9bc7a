// From what the test run left to a verdict: is there evidence about the agent, and what does it say? Pure.
import type { TestResult, Verdict, VerdictState } from '../contract/schema/rollout.ts';
import {
  ctrfResults,
  pytestResults,
  pytestSummary,
  type RewardFile,
  readRewardJson,
  readRewardText,
  swebenchResults,
} from './tests-output.ts';

/** What was found after the verifier ran. */
export interface TestRun {
  output: string;
  exitCode: number;
  timedOut: boolean;
  timeoutSec: number;
  rewardJson: string | null;
  rewardText: string | null;
  ctrf: string | null;
  /** Terminal-Bench 1 tasks have no reward file: every test passing is the reward. */
  parser: string | null;
}

/**
 * Signs in a log that the verifier's own set-up broke before any test ran. High precision: each was seen in real trials, and none of
 * them is printed by a test about the agent's work.
 */
const bootstrapFailures: readonly { pattern: RegExp; reason: string }[] = [
  {
    pattern: /\b(?:uvx|uv|curl|pip3?): (?:command )?not found/,
    reason: 'a program that the verifier needs is not installed and could not be fetched',
  },
  { pattern: /\.local\/bin\/env: No such file/, reason: 'the verifier could not install uv' },
  { pattern: /dpkg was interrupted/, reason: 'the package manager was left broken (dpkg was interrupted)' },
  { pattern: /Could not get lock/, reason: 'the package manager was locked by another process' },
  { pattern: /No module named '?"?pytest/, reason: 'pytest is not installed' },
];

const testProcessDied = /INTERNALERROR|Fatal Python error/;

/** Judges a finished test run. `tests_ran` needs test results, a pytest summary, or a reward file that this run wrote. */
export function judge(run: TestRun): Pick<Verdict, 'state' | 'reward' | 'rewards' | 'partial' | 'tests' | 'reason'> {
  const tests = testsOf(run);
  // SWE-bench logs hold pytest summaries of tests that are not meant to pass.
  const summary = run.parser === 'swebench' ? null : pytestSummary(run.output);
  const partial = partialCredit(tests, summary);
  if (run.timedOut) {
    return { state: 'no_verdict', reward: 0, rewards: {}, partial, tests, reason: `The tests did not end within ${run.timeoutSec} s.` };
  }

  const counted = tests.length > 0 || summary !== null;
  const broken = counted ? undefined : bootstrapFailures.find(({ pattern }) => pattern.test(run.output));
  if (broken) {
    return { state: 'verifier_failed', reward: null, rewards: {}, partial: null, tests, reason: `No test ran: ${broken.reason}.` };
  }
  if (!counted && testProcessDied.test(run.output)) {
    return {
      state: 'no_verdict',
      reward: 0,
      rewards: {},
      partial: null,
      tests,
      reason: 'The test process itself died before it gave a result.',
    };
  }

  const file = rewardOf(run, tests, summary);
  if ('problem' in file) {
    const state: VerdictState = counted ? 'tests_ran' : 'no_verdict';
    if (!counted) return { state, reward: null, rewards: {}, partial, tests, reason: `${file.problem}.` };
    const reward = partial === 1 ? 1 : 0;
    return {
      state,
      reward,
      rewards: { reward },
      partial,
      tests,
      reason: `${countWords(tests, summary)}; ${file.problem}, so the reward is taken from the tests.`,
    };
  }
  return {
    state: 'tests_ran',
    reward: file.reward,
    rewards: file.rewards,
    partial,
    tests,
    reason: counted ? `${countWords(tests, summary)}.` : 'The test run wrote a reward file and listed no single tests.',
  };
}

function testsOf(run: TestRun): TestResult[] {
  if (run.parser === 'swebench') return swebenchResults(run.output);
  const reported = run.ctrf === null ? null : ctrfResults(run.ctrf);
  return reported && reported.length > 0 ? reported : pytestResults(run.output);
}

function rewardOf(run: TestRun, tests: TestResult[], summary: ReturnType<typeof pytestSummary>): RewardFile {
  if (run.rewardJson !== null) return readRewardJson(run.rewardJson);
  if (run.rewardText !== null) return readRewardText(run.rewardText);
  if (run.parser !== null && (tests.length > 0 || summary)) {
    const reward = partialCredit(tests, summary) === 1 ? 1 : 0;
    return { rewards: { reward }, reward };
  }
  return { problem: `The verifier wrote no reward file and ended with exit code ${run.exitCode}` };
}

/** passed / (passed + failed + errors); skipped tests count as passed, as in Terminal-Bench. Null where nothing was counted. */
function partialCredit(tests: TestResult[], summary: ReturnType<typeof pytestSummary>): number | null {
  if (tests.length > 0) {
    return tests.filter((test) => test.status === 'passed' || test.status === 'skipped').length / tests.length;
  }
  if (!summary) return null;
  const good = summary.passed + summary.skipped;
  return good / (good + summary.failed + summary.errors);
}

function countWords(tests: TestResult[], summary: ReturnType<typeof pytestSummary>): string {
  const passed =
    tests.length > 0
      ? tests.filter((test) => test.status === 'passed' || test.status === 'skipped').length
      : (summary?.passed ?? 0) + (summary?.skipped ?? 0);
  const total = tests.length > 0 ? tests.length : passed + (summary?.failed ?? 0) + (summary?.errors ?? 0);
  return `${passed} of ${total} ${total === 1 ? 'test' : 'tests'} passed`;
}
