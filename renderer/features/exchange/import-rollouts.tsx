// Brings in what was played elsewhere: says where it is, watches it come in, and reports what was taken, known, and left out and why.
import { type FormEvent, useState } from 'react';
import type { ErrorData } from '../../../main/contract/errors.ts';
import { labError } from '../../client/index.ts';
import { useLab } from '../../data/lab.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, TextInput } from '../../ui/fields.tsx';
import { bytes, count, plural } from '../../ui/format.ts';
import { ImportIcon } from '../../ui/icons.ts';
import { IssueList } from '../../ui/issues.tsx';
import { anyText, useKept } from '../../ui/kept.ts';
import { InlineError, Loading } from '../../ui/notice.tsx';
import { Dialog } from '../../ui/overlay.tsx';
import { Scroll } from '../../ui/page.tsx';
import { command } from '../../ui/toasts.tsx';
import { type Import, useImport } from './use-import.ts';
import './exchange.css';

/** Issues that are shown; the command line shows all. */
const SHOWN = 200;

export function ImportRollouts({ open, onClose, onShow }: { open: boolean; onClose: () => void; onShow: (runId: string) => void }) {
  const { client } = useLab();
  // Kept, so that a reload finds the import that goes on meanwhile.
  const [importId, setImportId] = useKept('exchange.import', '', anyText);
  const { state, error } = useImport(open && importId !== '' ? importId : null);
  const again = () => setImportId('');
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Import rollouts"
      width={640}
      description="What was recorded elsewhere. Which format each file is in is seen from its content; nothing of it is run or changed."
    >
      {importId === '' ? (
        <Start onStarted={setImportId} onClose={onClose} />
      ) : error ? (
        <div className="stack">
          <InlineError error={error} />
          <Foot>
            <Button onClick={again}>Import something else</Button>
          </Foot>
        </div>
      ) : state === null ? (
        <Loading what="the import" />
      ) : (
        <div className="stack">
          <Progress state={state} />
          {state.state === 'failed' ? (
            <InlineError
              error={{
                code: 'request.invalid',
                message: state.error ?? 'the import failed',
                hint: state.hint ?? undefined,
                retryable: false,
              }}
            />
          ) : (
            <Report state={state} onShow={onShow} />
          )}
          {state.state === 'running' ? (
            <Foot words="It goes on when this is closed.">
              <Button onClick={() => void command('The import could not be ended', () => client.exchange.cancelImport({ importId }))}>
                Stop
              </Button>
              <Button onClick={onClose}>Close</Button>
            </Foot>
          ) : (
            <Foot>
              <Button onClick={again}>Import something else</Button>
              <Button kind="primary" onClick={onClose}>
                Close
              </Button>
            </Foot>
          )}
        </div>
      )}
    </Dialog>
  );
}

function Start({ onStarted, onClose }: { onStarted: (importId: string) => void; onClose: () => void }) {
  const { client } = useLab();
  const [path, setPath] = useKept('exchange.from', '', anyText);
  const [name, setName] = useState('');
  const [error, setError] = useState<ErrorData | null>(null);
  const start = (event: FormEvent) => {
    event.preventDefault();
    setError(null);
    client.exchange.import({ path: path.trim(), ...(name.trim() === '' ? {} : { name: name.trim() }) }).then(
      (answer) => onStarted(answer.importId),
      (thrown: unknown) => setError(labError(thrown)),
    );
  };
  return (
    <form className="stack" onSubmit={start}>
      <Field label="File or folder" hint="The whole path, on the machine where the lab runs.">
        <TextInput mono autoFocus value={path} onChange={setPath} placeholder="/data/jobs/2026-11-30__10-12-01" />
      </Field>
      <Field label="Name of the run" hint="Left out, the name of its folder or file. A Harbor job is one run, whatever it is called.">
        <TextInput value={name} onChange={setName} />
      </Field>
      <p className="faint">
        Harbor jobs and trials, ATIF 1.0–1.7, chat messages, Terminal-Bench 1 results, Endless summaries, seed JSON lines, and Parquet
        tables of SkyRL or OpenThoughts. What is there already is not added again.
      </p>
      {error && <InlineError error={error} />}
      <Foot>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" icon={ImportIcon} disabled={path.trim() === ''}>
          Import
        </Button>
      </Foot>
    </form>
  );
}

const states: Record<Import['state'], string> = { running: 'Importing', finished: 'Done', failed: 'Failed', cancelled: 'Stopped' };

function Progress({ state: { state, report } }: { state: Import }) {
  const { records, bytes: size, imported, known, rejected, passedOver } = report.progress;
  const figures = [
    { title: 'imported', value: imported },
    { title: 'there already', value: known },
    { title: 'left out', value: rejected },
    { title: 'of no kind that is read', value: passedOver },
  ];
  return (
    <div role="status">
      <p>
        <strong>{states[state]}</strong>: {plural(records, 'record')}, {bytes(size)}
      </p>
      <dl className="import-figures">
        {figures.map(({ title, value }) => (
          <div key={title}>
            <dd className="figures">{count(value)}</dd>
            <dt className="faint">{title}</dt>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Report({ state: { report }, onShow }: { state: Import; onShow: (runId: string) => void }) {
  const { runs, issues } = report;
  return (
    <>
      {runs.length > 0 && (
        <section className="stack">
          <h3>Runs</h3>
          <ul className="import-runs">
            {runs.map((run) => (
              <li key={run.runId}>
                <Button kind="ghost" className="import-run" onClick={() => onShow(run.runId)}>
                  <span className="cut grow">{run.name}</span>
                  <span className="faint figures">{run.imported === 0 ? 'nothing new' : `${count(run.imported)} added`}</span>
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {issues.length > 0 && (
        <section className="stack">
          <h3>Left out, or worth a look</h3>
          <Scroll className="import-issues" label="Issues">
            <IssueList issues={issues.slice(0, SHOWN)} />
          </Scroll>
          {issues.length > SHOWN && (
            <p className="faint">
              {count(issues.length - SHOWN)} more: <code>termarium import</code> lists them all.
            </p>
          )}
        </section>
      )}
    </>
  );
}

function Foot({ words, children }: { words?: string; children: React.ReactNode }) {
  return (
    <footer className="dialog-foot">
      {words && <span className="faint grow">{words}</span>}
      {children}
    </footer>
  );
}
