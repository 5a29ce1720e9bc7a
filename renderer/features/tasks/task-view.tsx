// One task: what it asks, its files, its gates, and what can be done with it.

import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useLocation } from 'wouter';
import type { TaskRow } from '../../../main/contract/schema/task.ts';
import { useFeed } from '../../data/feed.ts';
import { useLab } from '../../data/lab.tsx';
import { useActions } from '../../ui/actions.ts';
import { ActionButton, IconButton } from '../../ui/button.tsx';
import { count } from '../../ui/format.ts';
import {
  BusyIcon,
  CheckTaskIcon,
  CloseIcon,
  CopyIcon,
  GrowIcon,
  HumanIcon,
  PlayIcon,
  RemoveIcon,
  ShrinkIcon,
  TasksIcon,
  TerminalIcon,
} from '../../ui/icons.ts';
import { IssueList } from '../../ui/issues.tsx';
import { Empty, Loading } from '../../ui/notice.tsx';
import { Scroll } from '../../ui/page.tsx';
import { Split } from '../../ui/split.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { command, tell, tellUndo } from '../../ui/toasts.tsx';
import { newDraft } from '../runs/launch-draft.ts';
import { takeAsHuman } from '../runs/start.ts';
import { CheckTab } from './check-tab.tsx';
import type { KeptStates } from './editor/code-editor.tsx';
import { useWorkspace, useWorkspaceState } from './editor/use-workspace.ts';
import { isDirty } from './editor/workspace.ts';
import { NameDialog } from './name-dialog.tsx';
import { ShellPane } from './shell-pane.tsx';
import { useCheck } from './use-check.ts';

const FilesTab = lazy(() => import('./editor/files-tab.tsx'));
const Markdown = lazy(() => import('./editor/markdown.tsx').then((module) => ({ default: module.Markdown })));

type TabId = 'instruction' | 'files' | 'check' | 'issues';

interface Room {
  /** The task has the whole screen, without the list. */
  wide: boolean;
  onWide: (wide: boolean) => void;
}

export function TaskView({ taskId, ...room }: { taskId: string } & Room) {
  const lab = useLab();
  const { list, loaded } = useFeed(lab.tasks, (rows) => rows);
  const task = list.find((each) => each.id === taskId);
  if (task) return <Loaded task={task} {...room} />;
  if (!loaded) return <Loading what="the task" />;
  return (
    <Empty
      icon={TasksIcon}
      title="This task is gone"
      words="It was removed, or its set no longer holds it. Choose another one in the list."
    />
  );
}

function Loaded({ task, wide, onWide }: { task: TaskRow } & Room) {
  const lab = useLab();
  const [, navigate] = useLocation();
  const sets = useFeed(lab.taskSets, (rows) => rows.list);
  const [tab, setTab] = useState<TabId>('instruction');
  const [duplicating, setDuplicating] = useState(false);
  const [shell, setShell] = useState(false);
  const [kept] = useState<KeptStates>(() => new Map());
  const workspace = useWorkspace(task.id);
  const files = useWorkspaceState(workspace, (state) => state.files.length);
  const unsaved = useWorkspaceState(workspace, (state) => state.drafts.size + [...state.docs.values()].filter(isDirty).length);
  const check = useCheck(task);
  const set = sets.find((known) => known.id === task.setId);
  const isBundled = set?.origin === 'bundled';
  const remove = () =>
    void command(
      `${task.name} could not be removed`,
      () => lab.client.tasks.remove({ taskId: task.id }),
      ({ setId, token }) => {
        navigate('/tasks');
        tellUndo(
          `${task.name} and its folder removed`,
          () =>
            void command(
              `${task.name} could not be put back`,
              () => lab.client.tasks.restore({ setId, token }),
              ({ taskId }) => navigate(`/tasks/${taskId}`),
            ),
        );
      },
    );
  useActions([
    {
      id: 'task.check',
      title: 'Check this task',
      section: 'Task',
      icon: CheckTaskIcon,
      keys: ['c'],
      words: 'gates oracle nop verify',
      run: () => {
        setTab('check');
        check.start();
      },
    },
    {
      id: 'task.human',
      title: 'Take this task as human',
      section: 'Task',
      icon: HumanIcon,
      keys: ['h'],
      words: 'play terminal myself',
      run: () => void takeAsHuman(lab.client, task, navigate),
    },
    {
      id: 'task.run',
      title: 'Run this task…',
      section: 'Task',
      icon: PlayIcon,
      keys: ['r'],
      run: () => {
        newDraft(set ? { tasks: [set.name], only: [task.name] } : { tasks: [task.path] });
        navigate('/runs/new');
      },
    },
    { id: 'task.edit', title: 'Edit the files of this task', section: 'Task', keys: ['e'], run: () => setTab('files') },
    {
      id: 'task.shell',
      title: shell ? 'Close the shell' : 'Open a shell in this task',
      section: 'Task',
      icon: TerminalIcon,
      keys: ['s'],
      words: 'terminal container look around',
      run: () => {
        // Text and terminal side by side need the room of the list.
        onWide(!shell);
        setShell(!shell);
      },
    },
    {
      id: 'task.wide',
      title: wide ? 'Show the list beside the task' : 'Give the task the whole screen',
      section: 'Task',
      icon: wide ? ShrinkIcon : GrowIcon,
      keys: ['f'],
      run: () => onWide(!wide),
    },
    {
      id: 'task.duplicate',
      title: 'Duplicate this task…',
      section: 'Task',
      icon: CopyIcon,
      keys: ['d'],
      words: 'copy',
      run: () => setDuplicating(true),
    },
    ...(isBundled || !set
      ? []
      : [{ id: 'task.remove', title: 'Remove this task', section: 'Task', icon: RemoveIcon, words: 'delete', run: remove }]),
    { id: 'task.close', title: 'Close the task', section: 'Task', icon: CloseIcon, keys: ['q'], run: () => navigate('/tasks') },
  ]);
  return (
    <section className="task-view" aria-label={`Task ${task.name}`}>
      <header className="task-head">
        <div className="row">
          <h2 className="cut grow">{task.name}</h2>
          <IconButton
            icon={wide ? ShrinkIcon : GrowIcon}
            label={wide ? 'Show the list beside the task' : 'Give the task the whole screen'}
            keys="f"
            onClick={() => onWide(!wide)}
          />
          <IconButton icon={CloseIcon} label="Close the task" keys="q" onClick={() => navigate('/tasks')} />
        </div>
        <div className="row wrap">
          <Chips task={task} setName={set?.name} />
        </div>
        <div className="row wrap">
          <ActionButton action="task.run" label="Run…" kind="primary" />
          <ActionButton action="task.human" />
          <ActionButton action="task.check" label={check.running ? 'Checking…' : 'Check'} />
          <ActionButton action="task.shell" label={shell ? 'Close shell' : 'Shell'} />
          <ActionButton action="task.duplicate" label="Duplicate…" />
          <ActionButton action="task.remove" label="Remove" kind="danger" />
        </div>
      </header>
      <WithShell taskId={task.id} open={shell} onClose={() => setShell(false)}>
        <Tabs<TabId>
          label="Parts of the task"
          value={tab}
          onChange={setTab}
          tabs={[
            {
              id: 'instruction',
              title: 'Instruction',
              content: (
                <Scroll label="Instruction">
                  <Suspense fallback={null}>
                    <Markdown text={task.instruction} />
                  </Suspense>
                </Scroll>
              ),
            },
            {
              id: 'files',
              title: 'Files',
              mark: unsaved > 0 ? `${count(unsaved)} unsaved` : count(files),
              content: (
                <Suspense fallback={<Loading what="the editor" />}>
                  <FilesTab task={task} workspace={workspace} kept={kept} />
                </Suspense>
              ),
            },
            {
              id: 'check',
              title: 'Check',
              mark: check.running ? <BusyIcon size={12} className="spin" aria-label="running" /> : undefined,
              content: <CheckTab task={task} check={check} />,
            },
            {
              id: 'issues',
              title: 'Issues',
              mark: count(task.issues.length),
              content: (
                <Scroll label="Issues">
                  {task.issues.length === 0 ? (
                    <p className="faint">Nothing to report: every key of its files is known and honoured.</p>
                  ) : (
                    <IssueList issues={task.issues} />
                  )}
                </Scroll>
              ),
            },
          ]}
        />
      </WithShell>
      <NameDialog
        open={duplicating}
        onClose={() => setDuplicating(false)}
        title={`Duplicate ${task.name}`}
        label="Name of the copy"
        hint={
          isBundled
            ? 'The copy comes into the set “my-tasks” of your data folder, where you can change it.'
            : 'The copy comes beside the original.'
        }
        verb="Duplicate"
        initial={`${task.name.slice(task.name.lastIndexOf('/') + 1)}-copy`}
        onName={async (name) => {
          const { taskId } = await lab.client.tasks.duplicate({ taskId: task.id, name });
          tell(`${name} made`);
          navigate(`/tasks/${taskId}`);
        }}
      />
    </section>
  );
}

/** The parts of the task, with a live container beside them where one is open. */
function WithShell({ taskId, open, onClose, children }: { taskId: string; open: boolean; onClose: () => void; children: ReactNode }) {
  if (!open) return children;
  return (
    <Split name="task-shell" label="Width of the task beside its shell" initial={0.58}>
      {children}
      <ShellPane taskId={taskId} onClose={onClose} />
    </Split>
  );
}

function Chips({ task, setName }: { task: TaskRow; setName: string | undefined }): ReactNode {
  const chips = [setName, task.format, task.difficulty, task.category, ...task.tags, task.hasSolution ? null : 'no solution'];
  return [...new Set(chips)].map(
    (chip) =>
      chip && (
        <span key={chip} className="chip">
          {chip}
        </span>
      ),
  );
}
