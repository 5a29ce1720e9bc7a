// The files of a task: tree, editor, and what can be done with a file. Loaded when it is first looked at, with the editor's languages.
import { useEffect, useState } from 'react';
import type { TaskRow } from '../../../../main/contract/schema/task.ts';
import { useLab } from '../../../data/lab.tsx';
import { useActions } from '../../../ui/actions.ts';
import { IconButton } from '../../../ui/button.tsx';
import { FileIcon, NewFileIcon, RemoveIcon, RenameIcon, RetryIcon, SaveIcon } from '../../../ui/icons.ts';
import { Empty, ErrorNotice, Loading } from '../../../ui/notice.tsx';
import { Split } from '../../../ui/split.tsx';
import { command, tell, tellUndo } from '../../../ui/toasts.tsx';
import { NameDialog } from '../name-dialog.tsx';
import type { KeptStates } from './code-editor.tsx';
import { EditorPane } from './editor-pane.tsx';
import { FileTree } from './file-tree.tsx';
import { parentOf } from './tree.ts';
import { useWorkspaceState } from './use-workspace.ts';
import { isDirty, type Workspace } from './workspace.ts';
import './editor.css';

/** What is shown of a task at first: what it asks, else what it is. */
const FIRST = [/^instruction\.md$/, /^task\.(toml|yaml)$/];

export default function FilesTab({ task, workspace, kept }: { task: TaskRow; workspace: Workspace; kept: KeptStates }) {
  const { client } = useLab();
  const state = useWorkspaceState(workspace, (all) => all);
  const { shown, files, readOnly } = state;
  const [cursor, setCursor] = useState<string | null>(null);
  const [asking, setAsking] = useState<'new' | 'rename' | null>(null);
  const doc = shown === null ? undefined : state.docs.get(shown);
  const chosen = cursor ?? shown;
  const show = (path: string) => {
    setCursor(path);
    void command(`${path} could not be opened`, async () => {
      await workspace.open(path);
      workspace.show(path);
    });
  };
  const save = () => {
    if (shown === null || !doc || !isDirty(doc)) return;
    if (doc.theirs) {
      tell('Not saved yet', 'The file was changed on the disk: compare first, then keep yours or take the other.');
      return;
    }
    void command(`${shown} could not be saved`, () => workspace.save(shown));
  };
  const remove = (path: string) =>
    void command(
      `${path} could not be removed`,
      () => client.files.remove({ taskId: task.id, path }),
      ({ token }) => {
        setCursor(null);
        tellUndo(
          `${path} removed`,
          () => void command(`${path} could not be put back`, () => client.files.restore({ taskId: task.id, token })),
        );
      },
    );
  useEffect(() => {
    if (shown !== null || files.length === 0) return;
    const first = FIRST.map((name) => files.find((file) => name.test(file.path))).find((file) => file !== undefined) ?? files[0];
    if (first)
      void workspace.open(first.path).then(
        () => workspace.show(first.path),
        () => {},
      );
  }, [shown, files, workspace]);

  const changeable = readOnly === null && state.loaded;
  useActions([
    ...(changeable && doc?.kind === 'text'
      ? [
          { id: 'file.save', title: 'Save the file', section: 'File', icon: SaveIcon, keys: ['Mod+S'], run: save },
          ...(isDirty(doc)
            ? [
                {
                  id: 'file.revert',
                  title: 'Discard what was typed',
                  section: 'File',
                  icon: RetryIcon,
                  run: () => {
                    const { path, text } = doc;
                    workspace.revert(path);
                    tellUndo(
                      `Unsaved text of ${path} discarded`,
                      () =>
                        void workspace.open(path).then(
                          () => workspace.edit(path, text, true),
                          () => {},
                        ),
                    );
                  },
                },
              ]
            : []),
        ]
      : []),
    ...(changeable
      ? [
          { id: 'file.new', title: 'New file…', section: 'File', icon: NewFileIcon, keys: ['n'], run: () => setAsking('new') },
          ...(chosen === null
            ? []
            : [
                {
                  id: 'file.rename',
                  title: 'Rename or move…',
                  section: 'File',
                  icon: RenameIcon,
                  keys: ['F2'],
                  run: () => setAsking('rename'),
                },
                {
                  id: 'file.remove',
                  title: `Remove ${chosen}`,
                  section: 'File',
                  icon: RemoveIcon,
                  keys: ['Delete'],
                  run: () => remove(chosen),
                },
              ]),
        ]
      : []),
  ]);

  if (state.error && !state.loaded) return <ErrorNotice error={state.error} />;
  if (!state.loaded) return <Loading what="the files" />;
  return (
    <>
      <Split name="files" label="Width of the file tree" initial={0.26} min={0.12} max={0.6}>
        <div className="file-side">
          {changeable && (
            <div className="file-acts" role="toolbar" aria-label="Files">
              <IconButton icon={NewFileIcon} label="New file…" keys="n" onClick={() => setAsking('new')} />
              <IconButton
                icon={RenameIcon}
                label="Rename or move…"
                keys="F2"
                disabled={chosen === null}
                onClick={() => setAsking('rename')}
              />
              <IconButton
                icon={RemoveIcon}
                label="Remove the file"
                keys="Delete"
                disabled={chosen === null}
                onClick={() => chosen !== null && remove(chosen)}
              />
            </div>
          )}
          <FileTree state={state} shown={shown} cursor={cursor} onCursor={setCursor} onOpen={show} />
        </div>
        {doc ? (
          <EditorPane
            doc={doc}
            taskId={task.id}
            workspace={workspace}
            readOnly={readOnly}
            unkept={state.unkept}
            rowIssues={task.issues}
            kept={kept}
          />
        ) : (
          <Empty icon={FileIcon} title="No file" words="Choose one in the tree." />
        )}
      </Split>
      <NameDialog
        open={asking === 'new'}
        onClose={() => setAsking(null)}
        title="New file"
        label="Path"
        hint="Below the task’s folder, with forward slashes. It is written when you save it."
        verb="Begin"
        initial={chosen === null ? '' : folderPrefix(chosen, state.folders)}
        onName={async (path) => {
          if (files.some((file) => file.path === path)) throw new Error(`${path} exists already.`);
          workspace.begin(path);
          workspace.show(path);
          setCursor(path);
        }}
      />
      <NameDialog
        open={asking === 'rename'}
        onClose={() => setAsking(null)}
        title={`Rename ${chosen ?? ''}`}
        label="New path"
        hint="Below the task’s folder, with forward slashes."
        verb="Rename"
        initial={chosen ?? ''}
        onName={async (to) => {
          if (chosen === null || to === chosen) return;
          await client.files.rename({ taskId: task.id, from: chosen, to });
          await workspace.moved(chosen, to);
          setCursor(to);
        }}
      />
    </>
  );
}

function folderPrefix(path: string, folders: readonly string[]): string {
  const folder = folders.includes(path) ? path : parentOf(path);
  return folder === '' ? '' : `${folder}/`;
}
