import { describe, expect, it } from 'vitest';
import { judge, type TestRun } from './verdict.ts';

const quiet: TestRun = {
  output: '',
  exitCode: 0,
  timedOut: false,
  timeoutSec: 60,
  rewardJson: null,
  rewardText: null,
  ctrf: null,
  parser: null,
};

describe('a verdict', () => {
  it('is tests_ran when pytest counted tests and the run wrote a reward', () => {
    expect(judge({ ...quiet, output: '=== 2 failed, 2 passed in 0.1s ===', rewardText: '0\n' })).toMatchObject({
      state: 'tests_ran',
      reward: 0,
      partial: 0.5,
      reason: '2 of 4 tests passed.',
    });
  });

  it("is verifier_failed, without a reward, when the verifier's own set-up broke and it wrote 0 all the same", () => {
    const output = '/tests/test.sh: line 9: uvx: command not found\n';
    expect(judge({ ...quiet, output, rewardText: '0' })).toMatchObject({ state: 'verifier_failed', reward: null });
  });

  it('believes counted tests even where a set-up line looks broken', () => {
    const output = 'curl: command not found\n=== 3 passed in 0.1s ===';
    expect(judge({ ...quiet, output, rewardText: '1' })).toMatchObject({ state: 'tests_ran', reward: 1 });
  });

  it('is no_verdict when the test process died', () => {
    expect(judge({ ...quiet, output: 'Fatal Python error: Segmentation fault', rewardText: '0' })).toMatchObject({
      state: 'no_verdict',
      reward: 0,
    });
  });

  it('is no_verdict with reward 0 when the tests did not end in time', () => {
    expect(judge({ ...quiet, timedOut: true, rewardText: '1' })).toMatchObject({ state: 'no_verdict', reward: 0 });
  });

  it('is no_verdict without a reward when nothing at all was left', () => {
    expect(judge({ ...quiet, exitCode: 1 })).toMatchObject({ state: 'no_verdict', reward: null });
  });

  it('accepts a reward file alone, as plain-shell verifiers write', () => {
    expect(judge({ ...quiet, rewardJson: '{"reward": 0.6, "cases": 3}' })).toMatchObject({
      state: 'tests_ran',
      reward: 0.6,
      rewards: { reward: 0.6, cases: 3 },
    });
  });

  it('prefers reward.json to reward.txt, as Harbor does', () => {
    expect(judge({ ...quiet, rewardJson: '{"reward": 0}', rewardText: '1' })).toMatchObject({ reward: 0 });
  });

  it('takes the reward from the tests where the reward file is unusable', () => {
    const judged = judge({ ...quiet, output: '=== 1 passed in 0.1s ===', rewardJson: '{"reward": "lots"}' });
    expect(judged).toMatchObject({ state: 'tests_ran', reward: 1 });
    expect(judged.reason).toContain('reward.json');
  });

  it('scores Terminal-Bench 1 tasks by their parsed pane text: every test must pass', () => {
    const pane = '=== short test summary info ===\nPASSED t.py::a\nFAILED t.py::b - no\n=== 1 failed, 1 passed in 1.00s ===';
    expect(judge({ ...quiet, output: pane, parser: 'pytest' })).toMatchObject({ state: 'tests_ran', reward: 0, partial: 0.5 });
    expect(
      judge({ ...quiet, output: pane.replace('FAILED t.py::b - no', 'SKIPPED t.py::b').replace('1 failed, ', ''), parser: 'pytest' }),
    ).toMatchObject({ reward: 1 });
  });

  it('reads SWE-bench results from between their markers, whatever pytest said before', () => {
    const log = (word: string) => `== 9 failed, 3 passed in 2.00s ==\nSWEBench results starts here\n${word}\nSWEBench results ends here\n`;
    expect(judge({ ...quiet, output: log('PASSED'), parser: 'swebench' })).toMatchObject({ state: 'tests_ran', reward: 1 });
    expect(judge({ ...quiet, output: log('FAILED'), parser: 'swebench' })).toMatchObject({ state: 'tests_ran', reward: 0 });
    expect(judge({ ...quiet, output: log('').replaceAll('SWEBench', ''), parser: 'swebench' })).toMatchObject({ state: 'no_verdict' });
  });
});
