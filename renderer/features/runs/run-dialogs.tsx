// Dialogs about a run that both its page and the list open: the question before cancelling, and two configurations side by side.
import { useId, useMemo, useState } from 'react';
import type { RunRow } from '../../../main/contract/schema/run.ts';
import { useFeed } from '../../data/feed.ts';
import { useLab } from '../../data/lab.tsx';
import { Button } from '../../ui/button.tsx';
import { FilterInput } from '../../ui/fields.tsx';
import { Confirm, Dialog } from '../../ui/overlay.tsx';
import { Ago } from '../../ui/time.tsx';
import { command } from '../../ui/toasts.tsx';
import { configDifferences } from './config-diff.ts';
import { endedCount } from './progress.ts';

export function CancelDialog({ run, onClose }: { run: RunRow | null; onClose: () => void }) {
  const { client } = useLab();
  if (!run) return null;
  const { active, queued } = run.counts;
  return (
    <Confirm
      open
      onClose={onClose}
      onConfirm={() => void command('The run could not be cancelled', () => client.runs.cancel({ runId: run.id }))}
      title="Cancel this run?"
      consequence={`${active} rollouts stop where they are and ${queued} never start; ${endedCount(run.counts)} that ended are kept. The ${active + queued} can be played later.`}
      verb="Cancel the run"
    />
  );
}

/** Runs that are offered at once; the filter finds the others. */
const OFFERED = 12;

export function CompareDialog({ run, onClose }: { run: RunRow | null; onClose: () => void }) {
  if (!run) return null;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Compare configurations"
      description={`What ${run.name} says differently from another run.`}
      width={720}
    >
      <Comparison run={run} />
    </Dialog>
  );
}

function Comparison({ run }: { run: RunRow }) {
  const lab = useLab();
  const runs = useFeed(lab.runs, (rows) => rows.list);
  const [wanted, setWanted] = useState('');
  const [other, setOther] = useState<RunRow | null>(null);
  const id = useId();
  const offered = useMemo(() => {
    const lower = wanted.trim().toLowerCase();
    return runs
      .toReversed()
      .filter((each) => each.id !== run.id && each.name.toLowerCase().includes(lower))
      .slice(0, OFFERED);
  }, [runs, wanted, run.id]);
  if (!other) {
    return (
      <>
        <FilterInput id={id} value={wanted} onChange={setWanted} label="With which run?" />
        <ul className="compare-runs" aria-label="Runs">
          {offered.map((each) => (
            <li key={each.id}>
              <Button kind="ghost" className="compare-run" onClick={() => setOther(each)}>
                <span className="cut grow">{each.name}</span>
                <span className="faint">
                  <Ago at={each.createdAt} />
                </span>
              </Button>
            </li>
          ))}
          {offered.length === 0 && <li className="faint">No other run fits.</li>}
        </ul>
      </>
    );
  }
  const differences = configDifferences(run.config, other.config);
  return (
    <>
      {differences.length === 0 ? (
        <p>Both configurations are the same.</p>
      ) : (
        <table className="compare-table">
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">{run.name}</th>
              <th scope="col">{other.name}</th>
            </tr>
          </thead>
          <tbody>
            {differences.map(({ key, one, other: there }) => (
              <tr key={key}>
                <th scope="row" className="mono">
                  {key}
                </th>
                <td>{one ?? <span className="faint">not set</span>}</td>
                <td>{there ?? <span className="faint">not set</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <footer className="dialog-foot">
        <Button onClick={() => setOther(null)}>Another run…</Button>
      </footer>
    </>
  );
}
