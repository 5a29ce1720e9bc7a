// Imports tasks, from a folder or with Git, and reports what was taken, what was noticed, and what was left out and why.
import { useState } from 'react';
import type { ErrorData } from '../../../main/contract/errors.ts';
import type { TaskRow } from '../../../main/contract/schema/task.ts';
import { type LabClient, labError } from '../../client/index.ts';
import { useFeed } from '../../data/feed.ts';
import { useLab } from '../../data/lab.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Segmented, TextInput } from '../../ui/fields.tsx';
import { plural } from '../../ui/format.ts';
import { ImportIcon } from '../../ui/icons.ts';
import { IssueList } from '../../ui/issues.tsx';
import { InlineError } from '../../ui/notice.tsx';
import { Dialog } from '../../ui/overlay.tsx';

type Report = Awaited<ReturnType<LabClient['tasks']['importFolder']>>;

export function ImportDialog({ open, onClose, onImported }: { open: boolean; onClose: () => void; onImported: (setId: string) => void }) {
  const { client } = useLab();
  const [source, setSource] = useState<'folder' | 'git'>('folder');
  const [path, setPath] = useState('');
  const [url, setUrl] = useState('');
  const [ref, setRef] = useState('');
  const [folder, setFolder] = useState('');
  const [name, setName] = useState('');
  const [busy, setBusy] = useState(false);
  const [report, setReport] = useState<Report | null>(null);
  const [error, setError] = useState<ErrorData | null>(null);
  const start = () => {
    setBusy(true);
    setError(null);
    const named = name.trim() === '' ? {} : { name: name.trim() };
    const given = (key: string, text: string) => (text.trim() === '' ? {} : { [key]: text.trim() });
    const importing: Promise<Report> =
      source === 'folder'
        ? client.tasks.importFolder({ path: path.trim(), ...named })
        : client.tasks.importGit({ url: url.trim(), ...named, ...given('ref', ref), ...given('folder', folder) });
    importing
      .then(
        (answer) => {
          setReport(answer);
          onImported(answer.setId);
        },
        (thrown: unknown) => setError(labError(thrown)),
      )
      .finally(() => setBusy(false));
  };
  const close = () => {
    onClose();
    setReport(null);
    setError(null);
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Import tasks"
      width={620}
      description="One task or a folder of tasks. Which format each is in, Harbor or Terminal-Bench 1, is seen from its files."
    >
      {report ? (
        <ImportReport report={report} onDone={close} />
      ) : (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            start();
          }}
        >
          <Segmented<'folder' | 'git'>
            label="Where the tasks are"
            value={source}
            onChange={setSource}
            choices={[
              { value: 'folder', label: 'Folder' },
              { value: 'git', label: 'Git repository' },
            ]}
          />
          {source === 'folder' ? (
            <Field label="Folder" hint="On the machine where the lab runs. It is read where it is; nothing is copied.">
              <TextInput mono autoFocus value={path} onChange={setPath} placeholder="/data/tasks/terminal-bench-2" />
            </Field>
          ) : (
            <>
              <Field label="Address" hint="Its newest commit is fetched into the data folder. Nothing of it is run.">
                <TextInput mono autoFocus value={url} onChange={setUrl} placeholder="https://example.org/owner/tasks.git" />
              </Field>
              <Field label="Branch or tag" hint="Left out, the repository’s own choice.">
                <TextInput mono value={ref} onChange={setRef} />
              </Field>
              <Field label="Folder in the repository" hint="Left out, all of it.">
                <TextInput mono value={folder} onChange={setFolder} placeholder="tasks" />
              </Field>
            </>
          )}
          <Field label="Name of the set" hint="Left out, the folder's name.">
            <TextInput value={name} onChange={setName} />
          </Field>
          {error && <InlineError error={error} />}
          <footer className="dialog-foot">
            <Button onClick={close}>Cancel</Button>
            <Button kind="primary" type="submit" icon={ImportIcon} disabled={(source === 'folder' ? path : url).trim() === '' || busy}>
              {busy ? (source === 'git' ? 'Fetching…' : 'Reading…') : 'Import'}
            </Button>
          </footer>
        </form>
      )}
    </Dialog>
  );
}

const formatNames: Record<TaskRow['format'], string> = { harbor: 'Harbor', 'terminal-bench-1': 'Terminal-Bench 1' };

function ImportReport({ report, onDone }: { report: Report; onDone: () => void }) {
  const lab = useLab();
  const rows = useFeed(lab.tasks, (all) => all.list);
  const taken = rows.filter((task) => task.setId === report.setId);
  const formats = (['harbor', 'terminal-bench-1'] as const)
    .map((format) => ({ format, tasks: taken.filter((task) => task.format === format).length }))
    .filter(({ tasks }) => tasks > 0);
  const warnings = report.issues.filter((issue) => issue.level === 'warning');
  const notes = report.issues.filter((issue) => issue.level === 'note');
  return (
    <div className="stack" role="status">
      <p>
        <strong>{plural(report.tasks, 'task')}</strong> imported
        {formats.length > 0 && <> ({formats.map(({ format, tasks }) => `${tasks} ${formatNames[format]}`).join(', ')})</>}
        {report.rejected.length > 0 && <>, {report.rejected.length} left out</>}.
      </p>
      {report.rejected.length > 0 && (
        <section className="stack">
          <h3>Left out</h3>
          <IssueList issues={report.rejected} />
        </section>
      )}
      {warnings.length > 0 && (
        <section className="stack">
          <h3>Kept in the files, without effect here</h3>
          <IssueList issues={warnings} />
        </section>
      )}
      {notes.length > 0 && (
        <section className="stack">
          <h3>Worth knowing</h3>
          <IssueList issues={notes} />
        </section>
      )}
      <footer className="dialog-foot">
        <Button kind="primary" onClick={onDone}>
          Show the tasks
        </Button>
      </footer>
    </div>
  );
}
