import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ctrfResults, pytestResults, pytestSummary, readRewardJson, readRewardText } from './tests-output.ts';

describe('pytest summary', () => {
  it.each([
    ['=========== 3 failed, 14 passed in 0.24s ===========', { passed: 14, failed: 3, errors: 0, skipped: 0, seconds: 0.24 }],
    ['2 passed in 1.02s', { passed: 2, failed: 0, errors: 0, skipped: 0, seconds: 1.02 }],
    ['===== 1 passed, 2 warnings, 1 error in 61.00s (0:01:01) =====', { passed: 1, failed: 0, errors: 1, skipped: 0, seconds: 61 }],
    ['= 1 xfailed, 1 xpassed, 2 skipped in 0.01s =', { passed: 1, failed: 1, errors: 0, skipped: 2, seconds: 0.01 }],
    [
      '\u001b[32m===== \u001b[32m\u001b[1m4 passed\u001b[0m\u001b[32m in 0.02s\u001b[0m\u001b[32m =====\u001b[0m',
      { passed: 4, failed: 0, errors: 0, skipped: 0, seconds: 0.02 },
    ],
  ])('reads %j', (line, expected) => {
    expect(pytestSummary(`collected\n${line}\n`)).toEqual(expected);
  });

  it('takes the last one where a test prints the summary of a run of its own', () => {
    expect(pytestSummary('== 9 passed in 0.1s ==\n== 1 failed in 0.2s ==')).toMatchObject({ passed: 0, failed: 1 });
  });

  it('does not mistake prose for a summary', () => {
    expect(pytestSummary('I fixed 2 bugs in 3s\nall 5 tests passed in my head\n2 failed')).toBeNull();
  });

  it('never throws, whatever was printed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        pytestSummary(text);
        pytestResults(text);
      }),
    );
  });
});

it('reads -rA lines only from the summary section', () => {
  const output =
    'PASSED not/this.py::one\n=== short test summary info ===\nPASSED t.py::a\nFAILED t.py::b - assert 1 == 2\nSKIPPED [1] t.py:3: no\n== 1 failed in 1s ==';
  expect(pytestResults(output)).toEqual([
    { name: 't.py::a', status: 'passed' },
    { name: 't.py::b', status: 'failed', message: 'assert 1 == 2' },
    { name: '[1] t.py:3: no', status: 'skipped' },
  ]);
});

it('reads CTRF with durations in ms, and nothing else', () => {
  const report = {
    results: {
      tool: { name: 'x' },
      tests: [
        { name: 'a', status: 'passed', duration: 1500 },
        { name: 'b', status: 'strange' },
      ],
    },
  };
  expect(ctrfResults(JSON.stringify(report))).toEqual([
    { name: 'a', status: 'passed', seconds: 1.5 },
    { name: 'b', status: 'other' },
  ]);
  expect(ctrfResults('{"results": 3}')).toBeNull();
  expect(ctrfResults('nonsense')).toBeNull();
});

describe('reward files', () => {
  it.each([
    ['{"reward": 0.6, "style": 1}', { rewards: { reward: 0.6, style: 1 }, reward: 0.6 }],
    ['{"score": 1}', { rewards: { score: 1 }, reward: 1 }],
    ['0.25', { rewards: { reward: 0.25 }, reward: 0.25 }],
  ])('accepts %s', (text, expected) => {
    expect(readRewardJson(text)).toEqual(expected);
  });

  it.each(['[1]', '"1"', '{"reward": "1"}', '{"reward": null}', '{"a": 1, "b": 1}', '{', '{"reward": 1e999}'])('refuses %s', (text) => {
    expect(readRewardJson(text)).toHaveProperty('problem');
  });

  it('reads one number from reward.txt and nothing that only starts like one', () => {
    expect(readRewardText(' 0.5\n')).toMatchObject({ reward: 0.5 });
    for (const text of ['', 'yes', '1 1', 'NaN', 'Infinity']) expect(readRewardText(text)).toHaveProperty('problem');
  });
});
