// Task sets and their tasks; the chosen task beside the list.
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useFeed } from '../../data/feed.ts';
import { useLab } from '../../data/lab.tsx';
import { useActions } from '../../ui/actions.ts';
import { ActionButton, Button } from '../../ui/button.tsx';
import { FilterInput, Select } from '../../ui/fields.tsx';
import { count, plural } from '../../ui/format.ts';
import { ImportIcon, PlayIcon, PlusIcon, SearchIcon, TasksIcon } from '../../ui/icons.ts';
import { Empty, ErrorNotice, Loading, PanelBoundary } from '../../ui/notice.tsx';
import { PageHead, Toolbar } from '../../ui/page.tsx';
import { Split } from '../../ui/split.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { newDraft } from '../runs/launch-draft.ts';
import { type FilteredTask, parseFilter } from './filter.ts';
import { GateIcons, IssueCount } from './gates.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { NewTask } from './new-task.tsx';
import { TaskView } from './task-view.tsx';
import './tasks.css';

const ALL = 'all';

const columns: readonly Column<FilteredTask>[] = [
  {
    id: 'name',
    title: 'Task',
    width: 'minmax(180px, 2fr)',
    cell: (task) => <span className="cut">{task.name}</span>,
    by: (task) => task.name,
  },
  {
    id: 'difficulty',
    title: 'Difficulty',
    width: '96px',
    cell: (task) => task.difficulty ?? <span className="faint">–</span>,
    by: (task) => difficultyRank(task.difficulty),
  },
  {
    id: 'category',
    title: 'Category',
    width: 'minmax(90px, 1fr)',
    from: 620,
    cell: (task) => <span className="cut">{task.category ?? <span className="faint">–</span>}</span>,
    by: (task) => task.category,
  },
  { id: 'tags', title: 'Tags', width: 'minmax(120px, 1.4fr)', from: 820, cell: (task) => <Tags tags={task.tags} /> },
  { id: 'format', title: 'Format', width: '128px', from: 1000, cell: (task) => task.format, by: (task) => task.format },
  {
    id: 'gates',
    title: 'Gates',
    width: '134px',
    cell: (task) => <GateIcons gates={task.gates} />,
    by: (task) => task.gates.filter((gate) => gate.state === 'passed').length,
  },
  {
    id: 'issues',
    title: 'Issues',
    width: '82px',
    align: 'end',
    cell: (task) => <IssueCount issues={task.issues} />,
    by: (task) => task.issues.filter((issue) => issue.level !== 'note').length,
  },
];

const difficulties = ['easy', 'medium', 'hard'];

function difficultyRank(difficulty: string | null): string | null {
  if (difficulty === null) return null;
  const place = difficulties.indexOf(difficulty);
  return place < 0 ? `9 ${difficulty}` : String(place);
}

function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <span className="row cut" title={tags.join(', ')}>
      {tags.slice(0, 3).map((tag) => (
        <span key={tag} className="chip">
          {tag}
        </span>
      ))}
      {tags.length > 3 && <span className="faint figures">+{tags.length - 3}</span>}
    </span>
  );
}

export function Tasks({ taskId }: { taskId: string | undefined }) {
  const lab = useLab();
  const [, navigate] = useLocation();
  const sets = useFeed(lab.taskSets, (rows) => rows);
  const tasks = useFeed(lab.tasks, (rows) => rows);
  const [setId, setSetId] = useState(ALL);
  const [typed, setTyped] = useState('');
  const [importing, setImporting] = useState(false);
  const [wide, setWide] = useState(false);
  const [making, setMaking] = useState(false);
  const parsed = useMemo(() => parseFilter(typed), [typed]);
  // While something is half typed the list stays as the last whole filter left it.
  const lastWhole = useRef(parsed);
  if (parsed.ok) lastWhole.current = parsed;
  const filter = useDeferredValue(lastWhole.current);
  const named = useMemo(() => {
    const names = new Map(sets.list.map((set) => [set.id, set.name]));
    return tasks.list.map((task) => ({ ...task, setName: names.get(task.setId) ?? '' }));
  }, [tasks.list, sets.list]);
  const shown = useMemo(
    () => named.filter((task) => (setId === ALL || task.setId === setId) && filter.ok && filter.test(task)),
    [named, setId, filter],
  );
  const chosenSet = sets.list.find((set) => set.id === setId);
  useActions([
    {
      id: 'tasks.import',
      title: 'Import tasks…',
      words: 'folder git harbor terminal-bench',
      section: 'Tasks',
      icon: ImportIcon,
      keys: ['i'],
      run: () => setImporting(true),
    },
    {
      id: 'tasks.new',
      title: 'New task…',
      section: 'Tasks',
      icon: PlusIcon,
      keys: ['Shift+N'],
      words: 'create template',
      run: () => setMaking(true),
    },
    {
      id: 'tasks.run',
      title: chosenSet ? `Run ${chosenSet.name}` : 'Run a task set',
      section: 'Tasks',
      icon: PlayIcon,
      run: () => {
        const name = chosenSet?.name ?? (sets.list.length === 1 ? sets.list[0]?.name : undefined);
        newDraft(name === undefined ? {} : { tasks: [name] });
        navigate('/runs/new');
      },
    },
    {
      id: 'list.filter',
      title: 'Filter the list',
      section: 'Lists',
      icon: SearchIcon,
      keys: ['/'],
      run: () => document.getElementById('tasks-filter')?.focus(),
    },
  ]);

  const table = (
    <>
      <Toolbar label="Filter tasks">
        <span style={{ width: 180 }}>
          <Select
            label="Task set"
            value={setId}
            onChange={setSetId}
            choices={[
              { value: ALL, label: 'All sets' },
              ...sets.list.map((set) => ({ value: set.id, label: set.name, detail: count(set.taskCount) })),
            ]}
          />
        </span>
        <FilterInput id="tasks-filter" value={typed} onChange={setTyped} label="Filter: words, or difficulty = hard" />
        <span className="faint figures">
          {shown.length === tasks.list.length ? plural(tasks.list.length, 'task') : `${count(shown.length)} of ${count(tasks.list.length)}`}
        </span>
      </Toolbar>
      {!parsed.ok && (
        <p className="filter-problem" role="status">
          {parsed.message}
        </p>
      )}
      <Table
        label="Tasks"
        rows={shown}
        columns={columns}
        selectedId={taskId}
        initialSort={{ column: 'name', direction: 'up' }}
        onOpen={(task) => navigate(`/tasks/${task.id}`)}
        empty={<Empty icon={SearchIcon} title="No task fits" words="Change the filter or the set to see others." />}
      />
    </>
  );
  return (
    <>
      <PageHead title="Tasks">
        <ActionButton action="tasks.new" />
        <ActionButton action="tasks.import" label="Import…" />
        <ActionButton action="tasks.run" kind="primary" label={chosenSet ? 'Run this set' : 'Run…'} />
      </PageHead>
      <NewTask open={making} onClose={() => setMaking(false)} setId={setId === ALL ? null : setId} />
      <ImportDialog open={importing} onClose={() => setImporting(false)} onImported={setSetId} />
      {tasks.error && tasks.list.length === 0 ? (
        <ErrorNotice error={tasks.error} />
      ) : !tasks.loaded ? (
        <Loading what="tasks" />
      ) : tasks.list.length === 0 ? (
        <Empty
          icon={TasksIcon}
          title="No tasks yet"
          words="A task is a folder with an instruction, an environment and tests: Harbor or Terminal-Bench 1. Import one, or a folder of them."
        >
          <Button kind="primary" icon={ImportIcon} onClick={() => setImporting(true)}>
            Import a folder
          </Button>
        </Empty>
      ) : taskId === undefined ? (
        table
      ) : (
        <Split name="tasks" label="Width of the task list" initial={0.46} hideFirst={wide}>
          {table}
          <PanelBoundary key={taskId} name="The task">
            <TaskView taskId={taskId} wide={wide} onWide={setWide} />
          </PanelBoundary>
        </Split>
      )}
    </>
  );
}
