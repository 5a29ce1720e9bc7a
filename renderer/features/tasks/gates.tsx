// The gates of a task: a row of icons in lists, a list with reasons on its page.
import { type ConfigIssue, type GateResult, gateName } from '../../../main/contract/schema/task.ts';
import { duration } from '../../ui/format.ts';
import { WaitingIcon, WarnIcon } from '../../ui/icons.ts';
import { gateNames, gateSigns, type Sign, StatusSign } from '../../ui/status.tsx';

/** Gates that `check` runs without a model. */
const plain = gateName.options.filter((gate) => gate !== 'band');
const unknown: Sign = { icon: WaitingIcon, word: 'Not checked', tone: 'calm', meaning: 'This gate has not been run.' };

export function GateIcons({ gates }: { gates: readonly GateResult[] }) {
  if (gates.length === 0) return <span className="faint">not checked</span>;
  const states = plain.map((gate) => ({ gate, sign: gateSigns[gates.find((result) => result.gate === gate)?.state ?? 'skipped'] }));
  const words = states.map(({ gate, sign }) => `${gateNames[gate]}: ${sign.word.toLowerCase()}`).join('\n');
  return (
    <span className="gate-icons" role="img" aria-label={words} title={words}>
      {states.map(({ gate, sign: { icon: Icon, tone } }) => (
        <span key={gate} data-tone={tone} className="sign">
          <Icon size={14} aria-hidden />
        </span>
      ))}
    </span>
  );
}

export function GateList({ gates, checking }: { gates: readonly GateResult[]; checking: boolean }) {
  return (
    <ul className="gate-list" aria-label="Gates">
      {plain.map((gate) => {
        const result = gates.find((known) => known.gate === gate);
        return (
          <li key={gate}>
            <span className="gate-state">
              <StatusSign sign={result ? gateSigns[result.state] : checking ? { ...unknown, word: 'Waiting' } : unknown} />
            </span>
            <span className="gate-name">{gateNames[gate]}</span>
            <span className="grow soft gate-detail">{result?.detail}</span>
            <span className="faint figures">{result && result.seconds > 0 ? duration(result.seconds * 1000) : ''}</span>
          </li>
        );
      })}
    </ul>
  );
}

export function IssueCount({ issues }: { issues: readonly ConfigIssue[] }) {
  const serious = issues.filter((issue) => issue.level !== 'note');
  if (serious.length === 0) return <span className="faint">{issues.length === 0 ? 'none' : issues.length}</span>;
  return (
    <span className="sign" data-tone={serious.some((issue) => issue.level === 'error') ? 'bad' : 'warn'}>
      <WarnIcon size={14} aria-hidden />
      {serious.length}
    </span>
  );
}
