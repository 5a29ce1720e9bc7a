// Writes rollouts in a format that other programs read, to a folder or file on the machine of the lab.
import { type FormEvent, useRef, useState } from 'react';
import type { ErrorData } from '../../../main/contract/errors.ts';
import { type ExportFormat, type ExportReport, exportFormat } from '../../../main/contract/schema/exchange.ts';
import { labError } from '../../client/index.ts';
import { useLab } from '../../data/lab.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox, type Choice, Field, Select, TextInput } from '../../ui/fields.tsx';
import { bytes, plural } from '../../ui/format.ts';
import { ExportIcon } from '../../ui/icons.ts';
import { IssueList } from '../../ui/issues.tsx';
import { anyText, useKept } from '../../ui/kept.ts';
import { InlineError } from '../../ui/notice.tsx';
import { Dialog } from '../../ui/overlay.tsx';
import { Scroll } from '../../ui/page.tsx';
import './exchange.css';

/** What is exported, and what it is called in the dialog. */
export interface Exported {
  of: { runId: string } | { rolloutIds: string[] };
  title: string;
}

/** All rollouts of a run. */
export function ofRun(run: { id: string; name: string }): Exported {
  return { of: { runId: run.id }, title: `Every rollout of ${run.name} that has ended.` };
}

const choices: readonly (Choice<ExportFormat> & { hint: string })[] = [
  {
    value: 'harbor',
    label: 'Harbor job',
    hint: 'Configuration, results, trajectories, recordings and verifier output, as Harbor lays them out. A folder.',
  },
  {
    value: 'atif',
    label: 'ATIF 1.7',
    hint: 'ATIF 1.7 trajectories, checked against the strict schema. A folder with one for each rollout.',
  },
  {
    value: 'messages',
    label: 'Chat messages',
    hint: 'One row of messages for each conversation, as TRL reads them. A file of JSON lines.',
  },
  { value: 'sharegpt', label: 'ShareGPT', hint: 'One row of turns from human and gpt for each conversation. A file of JSON lines.' },
  { value: 'asciicast', label: 'asciicast 2', hint: 'The recordings of the terminals, for asciinema. A folder.' },
  { value: 'csv', label: 'CSV', hint: 'One line for each rollout: task, agent, reward, tokens, times. A file.' },
];

export function ExportRollouts({ what, onClose }: { what: Exported | null; onClose: () => void }) {
  const stop = useRef(new AbortController());
  if (!what) return null;
  const close = () => {
    // Nobody would hear of what an export does after its dialog is gone.
    stop.current.abort();
    stop.current = new AbortController();
    onClose();
  };
  return (
    <Dialog open onClose={close} title="Export" description={what.title} width={560}>
      <Form what={what} signal={stop.current.signal} onClose={close} />
    </Dialog>
  );
}

function Form({ what, signal, onClose }: { what: Exported; signal: AbortSignal; onClose: () => void }) {
  const { client } = useLab();
  const [format, setFormat] = useKept<ExportFormat>('exchange.format', 'harbor', (kept) => exportFormat.safeParse(kept).data ?? null);
  const [path, setPath] = useKept('exchange.to', '', anyText);
  const [overwrite, setOverwrite] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ErrorData | null>(null);
  const [report, setReport] = useState<ExportReport | null>(null);
  const start = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    client.exchange
      .export({ of: what.of, format, path: path.trim(), overwrite }, { signal })
      .then(setReport, (thrown: unknown) => setError(labError(thrown)))
      .finally(() => setBusy(false));
  };
  if (report) return <Report report={report} onClose={onClose} onAgain={() => setReport(null)} />;
  return (
    <form className="stack" onSubmit={start}>
      <Field label="Format" hint={choices.find(({ value }) => value === format)?.hint}>
        <Select<ExportFormat> label="Format" value={format} onChange={setFormat} choices={choices} />
      </Field>
      <Field label="To" hint="The whole path of the folder or file, on the machine where the lab runs. Folders are made as needed.">
        <TextInput mono autoFocus value={path} onChange={setPath} placeholder="/data/exports/first-look" />
      </Field>
      <Checkbox checked={overwrite} onChange={setOverwrite}>
        Replace what is there already
      </Checkbox>
      {error && <InlineError error={error} />}
      <footer className="dialog-foot">
        <Button onClick={onClose}>{busy ? 'Stop' : 'Cancel'}</Button>
        <Button kind="primary" type="submit" icon={ExportIcon} disabled={path.trim() === '' || busy}>
          {busy ? 'Writing…' : 'Export'}
        </Button>
      </footer>
    </form>
  );
}

function Report({ report, onClose, onAgain }: { report: ExportReport; onClose: () => void; onAgain: () => void }) {
  return (
    <div className="stack" role="status">
      <p>
        <strong>{plural(report.rollouts, 'rollout')}</strong> in {plural(report.files, 'file')}, {bytes(report.bytes)}:
      </p>
      <p className="mono export-path">{report.path}</p>
      {report.issues.length > 0 && (
        <section className="stack">
          <h3>What the format could not hold, or was not there</h3>
          <Scroll className="import-issues" label="Issues">
            <IssueList issues={report.issues} />
          </Scroll>
        </section>
      )}
      <footer className="dialog-foot">
        <Button onClick={onAgain}>Export in another format</Button>
        <Button kind="primary" onClick={onClose}>
          Close
        </Button>
      </footer>
    </div>
  );
}
