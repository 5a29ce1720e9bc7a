// One file in the editor: what it is called and whether it is saved, what happened to it on the disk, the text and what stands beside it.
import { useEffect, useState } from 'react';
import type { ConfigIssue } from '../../../../main/contract/schema/task.ts';
import { useLab } from '../../../data/lab.tsx';
import { ActionButton, Button } from '../../../ui/button.tsx';
import { Segmented } from '../../../ui/fields.tsx';
import { bytes } from '../../../ui/format.ts';
import { BinaryIcon, WarnIcon } from '../../../ui/icons.ts';
import { IssueList } from '../../../ui/issues.tsx';
import { Empty } from '../../../ui/notice.tsx';
import { Scroll } from '../../../ui/page.tsx';
import { TextView } from '../../../ui/text-view.tsx';
import { CodeEditor, type KeptStates } from './code-editor.tsx';
import { Compare } from './compare.tsx';
import { Markdown } from './markdown.tsx';
import { TomlForm } from './toml-form.tsx';
import { useExamined } from './use-examined.ts';
import { type Doc, isDirty, type Workspace } from './workspace.ts';

type View = 'source' | 'both' | 'companion';

export function EditorPane({
  doc,
  taskId,
  workspace,
  readOnly,
  unkept,
  rowIssues,
  kept,
}: {
  doc: Doc;
  taskId: string;
  workspace: Workspace;
  readOnly: string | null;
  unkept: boolean;
  /** What the lab says of the task as it lies on the disk. */
  rowIssues: readonly ConfigIssue[];
  kept: KeptStates;
}) {
  const { client } = useLab();
  const [view, setView] = useState<View>('both');
  const [comparing, setComparing] = useState(false);
  const companion = doc.kind !== 'text' ? null : doc.path.endsWith('.md') ? 'Preview' : doc.path === 'task.toml' ? 'Form' : null;
  const examined = useExamined(client, taskId, doc.path === 'task.toml' && doc.kind === 'text' ? doc.text : null);
  const issues = doc.path === 'task.toml' ? (examined?.issues ?? []) : rowIssues.filter((issue) => issue.file === doc.path);
  const dirty = isDirty(doc);
  const { theirs } = doc;
  useEffect(() => {
    if (!theirs) setComparing(false);
  }, [theirs]);
  const editing = { doc, issues, kept, readOnly: readOnly !== null, onEdit: (text: string) => workspace.edit(doc.path, text) };
  return (
    <section className="editor-pane" aria-label={`Editor: ${doc.path}`}>
      <header className="file-head">
        <span className="mono cut">{doc.path}</span>
        <span className="faint figures cut" role="status">
          {doc.kind !== 'text'
            ? bytes(doc.bytes)
            : readOnly !== null
              ? 'read only'
              : !dirty
                ? 'saved'
                : unkept
                  ? 'typing…'
                  : 'not saved, kept as a draft'}
        </span>
        <span className="grow" />
        {companion && !comparing && (
          <Segmented<View>
            label="What to show"
            value={view}
            onChange={setView}
            choices={[
              { value: 'source', label: 'Source' },
              { value: 'both', label: 'Both' },
              { value: 'companion', label: companion },
            ]}
          />
        )}
        <ActionButton action="file.revert" label="Discard" kind="ghost" />
        <ActionButton action="file.save" label="Save" kind="primary" />
      </header>
      {theirs && (
        <div className="file-banner" role="alert">
          <WarnIcon size={16} aria-hidden />
          <span className="grow">
            {theirs.digest === null
              ? 'This file was removed from the disk. What you typed is kept here.'
              : 'This file was changed on the disk by another program. Nothing of yours is lost, and nothing was overwritten.'}
          </span>
          {theirs.text !== null && <Button onClick={() => setComparing(!comparing)}>{comparing ? 'Back to the text' : 'Compare'}</Button>}
          <Button onClick={() => workspace.revert(doc.path)}>{theirs.digest === null ? 'Close it' : 'Take the disk’s'}</Button>
          <Button onClick={() => workspace.keepMine(doc.path)}>Keep mine</Button>
        </div>
      )}
      {doc.kind === 'binary' ? (
        <Empty icon={BinaryIcon} title="Not text" words={`A binary file of ${bytes(doc.bytes)}. It is kept as it is.`} />
      ) : doc.kind === 'large' ? (
        <>
          <p className="file-note soft">A file of {bytes(doc.bytes)}: its first megabyte is shown, and it cannot be edited here.</p>
          <TextView text={doc.text} label={doc.path} />
        </>
      ) : comparing && theirs?.text != null ? (
        <Compare path={doc.path} theirs={theirs.text} mine={doc.text} onEdit={editing.onEdit} />
      ) : (
        <div className="editor-body">
          <div className="editor-pair" data-view={companion ? view : 'source'}>
            {!(companion && view === 'companion') && <CodeEditor key={doc.path} {...editing} />}
            {companion && view !== 'source' && (
              <div className="editor-companion">
                {companion === 'Preview' ? (
                  <Scroll label="Preview">
                    <Markdown text={doc.text} />
                  </Scroll>
                ) : (
                  examined && (
                    <TomlForm
                      text={doc.text}
                      values={examined.values}
                      errors={new Map(issues.filter(({ level }) => level === 'error').flatMap(({ message }) => errorsByKey(message)))}
                      readOnly={readOnly !== null}
                      onChange={(text) => workspace.edit(doc.path, text, true)}
                    />
                  )
                )}
              </div>
            )}
          </div>
        </div>
      )}
      {issues.length > 0 && !comparing && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <section className="editor-issues" aria-label={`Issues of ${doc.path}`} tabIndex={0}>
          <IssueList issues={issues} />
        </section>
      )}
    </section>
  );
}

/** The reader of tasks tells all wrong values of a file in one message: `agent.timeout_sec: must be a number; verifier.user: …`. */
function errorsByKey(message: string): [string, string][] {
  return message.split('; ').flatMap((part): [string, string][] => {
    const [, key, words] = /^([\w.-]+): (.*)$/s.exec(part) ?? [];
    return key === undefined || words === undefined ? [] : [[key, words]];
  });
}
