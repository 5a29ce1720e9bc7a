// The verdict: where the reward comes from, each test, what the verifier printed, and signs of tampering.
import type { TestResult, Verdict } from '../../../main/contract/schema/rollout.ts';
import type { RolloutDetail } from '../../data/lab.tsx';
import { duration, percent, plural, reward, visible } from '../../ui/format.ts';
import { FailIcon, PassIcon, SlashIcon, TamperIcon, VerdictIcon, WarnIcon } from '../../ui/icons.ts';
import { Empty } from '../../ui/notice.tsx';
import { Facts, Scroll } from '../../ui/page.tsx';
import { type Sign, StatusSign, verdictSigns } from '../../ui/status.tsx';
import { TextView } from '../../ui/text-view.tsx';

const testSigns: Record<TestResult['status'], Sign> = {
  passed: { icon: PassIcon, word: 'Passed', tone: 'good', meaning: 'The test passed.' },
  failed: { icon: FailIcon, word: 'Failed', tone: 'bad', meaning: 'The test failed.' },
  skipped: { icon: SlashIcon, word: 'Skipped', tone: 'calm', meaning: 'The test was not run.' },
  error: { icon: WarnIcon, word: 'Error', tone: 'warn', meaning: 'The test itself broke.' },
  other: { icon: SlashIcon, word: 'Other', tone: 'calm', meaning: 'The report names a state of its own.' },
};

const boxes: Record<Verdict['box'], string> = {
  fresh: 'a new container, started from a snapshot of what the agent left',
  same: "the agent's own container, its processes ended",
  live: "the agent's own container as it was left, with its processes running",
  none: 'nowhere: it was not graded',
};

export function VerdictTab({ detail }: { detail: RolloutDetail }) {
  const { verdict, verifierOutput, rollout } = detail;
  if (!verdict) {
    const words = rollout.endedAt === null ? 'The tests run when the agent has ended.' : 'It ended before it could be graded.';
    return <Empty icon={VerdictIcon} title="No verdict" words={words} />;
  }
  const named = Object.entries(verdict.rewards);
  return (
    <Scroll label="Verdict" className="verdict">
      <div className="row">
        <StatusSign sign={verdictSigns[verdict.state]} soft />
        <span className="soft">{verdictSigns[verdict.state].meaning}</span>
      </div>
      <p>{verdict.reason}</p>
      <Facts
        facts={[
          ['Reward', <strong key="reward">{reward(verdict.reward)}</strong>],
          verdict.partial === null ? null : ['Partial credit', percent(verdict.partial)],
          named.length > 1 ? ['All rewards', named.map(([name, value]) => `${name} ${reward(value)}`).join(' · ')] : null,
          ['Graded in', boxes[verdict.box]],
          ['Took', duration(verdict.seconds * 1000)],
        ]}
      />
      {verdict.tampering.length > 0 && (
        <section className="tampering">
          <h2 className="sign" data-tone="odd">
            <TamperIcon size={16} aria-hidden />
            Found and neutralised
          </h2>
          <ul>
            {verdict.tampering.map((sign) => (
              <li key={sign}>{sign}</li>
            ))}
          </ul>
        </section>
      )}
      {verdict.tests.length > 0 && (
        <section>
          <h2>{plural(verdict.tests.length, 'test')}</h2>
          <ul className="tests">
            {verdict.tests.map((test) => (
              <TestLine key={test.name} test={test} />
            ))}
          </ul>
        </section>
      )}
      {verifierOutput !== null && verifierOutput !== '' && (
        <section className="verifier-output">
          <h2>Output of the verifier</h2>
          <TextView text={verifierOutput} label="Output of the verifier" wrap />
        </section>
      )}
    </Scroll>
  );
}

function TestLine({ test }: { test: TestResult }) {
  const line = (
    <>
      <StatusSign sign={testSigns[test.status]} compact />
      <span className="mono cut grow" title={test.name}>
        {test.name}
      </span>
      {test.seconds !== undefined && <span className="faint figures">{duration(test.seconds * 1000)}</span>}
    </>
  );
  if (!test.message) return <li className="test">{line}</li>;
  return (
    <li>
      <details open={test.status === 'failed' || test.status === 'error'}>
        <summary className="test">{line}</summary>
        <pre className="test-message">
          <bdi>{visible(test.message)}</bdi>
        </pre>
      </details>
    </li>
  );
}
