// Reads what a test run left behind: pytest's own words, CTRF reports, reward files. Pure; all input is untrusted.
import * as z from 'zod';
import type { TestResult } from '../contract/schema/rollout.ts';

/** At most this many tests are kept of one report; a hostile report must not fill the store. */
const MAX_TESTS = 2000;
const MAX_TEXT = 4000;

const statusWords: Record<string, TestResult['status']> = {
  passed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
  error: 'error',
  xpassed: 'failed',
  xpass: 'failed',
  xfailed: 'passed',
  xfail: 'passed',
  pending: 'skipped',
  other: 'other',
};

/** Counts of pytest's last summary line. */
export interface PytestSummary {
  passed: number;
  failed: number;
  errors: number;
  skipped: number;
  seconds: number;
}

const summaryLine = /^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+) in ([\d.]+)s(?: \([\d:]+\))?(?: =+)?$/;

/** The last pytest summary line (`== 2 failed, 1 passed in 0.31s ==`, or the same without `=` under -q); null where there is none. */
export function pytestSummary(output: string): PytestSummary | null {
  let found: PytestSummary | null = null;
  for (const raw of plainLines(output)) {
    const match = summaryLine.exec(raw.trim());
    if (!match?.[1] || !match[2]) continue;
    const count = (word: string) => Number(new RegExp(`(\\d+) ${word}\\b`).exec(match[1] ?? '')?.[1] ?? 0);
    const summary = {
      passed: count('passed') + count('xfailed'),
      failed: count('failed') + count('xpassed'),
      errors: count('errors?'),
      skipped: count('skipped'),
      seconds: Number(match[2]),
    };
    if (summary.passed + summary.failed + summary.errors + summary.skipped > 0) found = summary;
  }
  return found;
}

const resultLine = /^(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\s+(\S.*)$/;

/** Per-test lines of pytest's short summary (`-rA`): `PASSED tests/test_x.py::test_y`, `FAILED … - message`. */
export function pytestResults(output: string): TestResult[] {
  const results = new Map<string, TestResult>();
  let inSummary = false;
  for (const line of plainLines(output)) {
    if (line.includes('short test summary info')) {
      inSummary = true;
      results.clear();
      continue;
    }
    if (!inSummary) continue;
    const match = resultLine.exec(line);
    if (!match?.[1] || !match[2]) continue;
    const cut = match[2].indexOf(' - ');
    const name = cut < 0 ? match[2] : match[2].slice(0, cut);
    const message = cut < 0 ? undefined : match[2].slice(cut + 3);
    if (results.size >= MAX_TESTS && !results.has(name)) break;
    results.set(name, {
      name: clip(name, 500),
      status: statusWords[match[1].toLowerCase()] ?? 'other',
      ...(message === undefined ? {} : { message: clip(message, MAX_TEXT) }),
    });
  }
  return [...results.values()];
}

/** Terminal-Bench 1's `swebench` parser: one PASSED or FAILED between two marker lines speaks for all tests. */
export function swebenchResults(output: string): TestResult[] {
  const lines = plainLines(output).map((line) => line.trim());
  const end = lines.lastIndexOf('SWEBench results ends here');
  const start = lines.lastIndexOf('SWEBench results starts here', end);
  if (start < 0 || end < 0) return [];
  const word = lines.slice(start + 1, end).find((line) => line === 'PASSED' || line === 'FAILED');
  return word === undefined ? [] : [{ name: 'SWE-bench', status: word === 'PASSED' ? 'passed' : 'failed' }];
}

const ctrfReport = z.object({
  results: z.object({
    tests: z.array(
      z.object({
        name: z.string(),
        status: z.string(),
        duration: z.number().optional(),
        message: z.string().optional(),
        trace: z.string().optional(),
      }),
    ),
  }),
});

/** Tests of a CTRF report (https://ctrf.io, durations in ms); null where the text is none. */
export function ctrfResults(text: string): TestResult[] | null {
  const report = ctrfReport.safeParse(parseJson(text));
  if (!report.success) return null;
  return report.data.results.tests.slice(0, MAX_TESTS).map((test) => {
    const message = test.message ?? test.trace;
    return {
      name: clip(test.name, 500),
      status: statusWords[test.status.toLowerCase()] ?? 'other',
      ...(message === undefined ? {} : { message: clip(message, MAX_TEXT) }),
      ...(test.duration === undefined ? {} : { seconds: test.duration / 1000 }),
    };
  });
}

/** What a reward file says: numbers by name, or why it cannot be used. */
export type RewardFile = { rewards: Record<string, number>; reward: number | null } | { problem: string };

/** `reward.json`: a finite number, or an object of them, of which `reward` or the only one is scored. */
export function readRewardJson(text: string): RewardFile {
  const value = parseJson(text);
  if (typeof value === 'number' && Number.isFinite(value)) return { rewards: { reward: value }, reward: value };
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'reward.json is neither a number nor an object' };
  const rewards: Record<string, number> = {};
  for (const [key, number] of Object.entries(value)) {
    if (typeof number !== 'number' || !Number.isFinite(number)) return { problem: `reward.json: '${clip(key, 80)}' is not a number` };
    rewards[clip(key, 200)] = number;
  }
  const keys = Object.keys(rewards);
  const reward = rewards.reward ?? (keys.length === 1 ? rewards[keys[0] ?? ''] : undefined);
  if (reward === undefined) return { problem: `reward.json has ${keys.length} numbers and none is called 'reward'` };
  return { rewards, reward };
}

/** `reward.txt`: one number. */
export function readRewardText(text: string): RewardFile {
  const trimmed = text.trim();
  if (trimmed === '') return { problem: 'reward.txt is empty' };
  const reward = Number(trimmed);
  if (!Number.isFinite(reward)) return { problem: `reward.txt holds no number: '${clip(trimmed, 80)}'` };
  return { rewards: { reward }, reward };
}

/** Lines without colour and other escape sequences, which TTY-minded test runners print even into files. */
function plainLines(text: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are control characters
  return text.replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '').split(/\r?\n/);
}

function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
