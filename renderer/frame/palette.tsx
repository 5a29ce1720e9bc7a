// The command palette: every action that can be taken now, and every run and task by name, and the rollouts of the run
// that is open.
import { Dialog } from '@base-ui/react/dialog';
import { Command } from 'cmdk';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { RolloutRow } from '../../main/contract/schema/rollout.ts';
import type { RunRow } from '../../main/contract/schema/run.ts';
import type { TaskRow } from '../../main/contract/schema/task.ts';
import { createFeed, useFeed } from '../data/feed.ts';
import { useLab } from '../data/lab.tsx';
import { currentActions } from '../ui/actions.ts';
import { Keys } from '../ui/button.tsx';
import { type Icon, PlayIcon, TasksIcon, TerminalIcon } from '../ui/icons.ts';
import { createFinder, type Finder } from './match.ts';

/** Rows in the document at once: the list is for finding, not for reading. */
const SHOWN = 50;

/** Sections that are the same everywhere: they come after what the screen itself offers. */
const general = ['Runs', 'Go', 'Lab', 'Look'];

interface Entry {
  id: string;
  title: string;
  lower: string;
  section: string;
  icon: Icon | undefined;
  keys?: string | undefined;
  /** An address to go to, or something to do. */
  to: string | (() => void);
}

export function Palette({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="veil" />
        <Dialog.Popup className="palette" aria-label="Search or do anything">
          <PaletteBody onClose={onClose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function PaletteBody({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const [picked, setPicked] = useState<string | null>(null);
  const finder = useFinder();
  // Found at once and chosen here: Enter must never act on what an earlier letter had found.
  const found = useMemo(() => finder.find(typed, SHOWN), [typed, finder]);
  const chosen = found.some(({ item }) => item.id === picked) ? picked : found[0]?.item.id;
  return (
    <Command shouldFilter={false} label="Search or do anything" loop value={chosen ?? ''} onValueChange={setPicked}>
      <Command.Input
        className="palette-input"
        value={typed}
        onValueChange={(text) => {
          setTyped(text);
          setPicked(null);
        }}
        placeholder="Search actions, runs, tasks and rollouts"
        autoFocus
      />
      <Command.List className="palette-list" label="Results">
        {found.length === 0 && <p className="palette-none">Nothing fits “{typed}”.</p>}
        {found.map(({ item, places }) => (
          <Command.Item
            key={item.id}
            value={item.id}
            className="palette-item"
            onSelect={() => {
              onClose();
              if (typeof item.to === 'string') navigate(item.to);
              else item.to();
            }}
          >
            {item.icon ? <item.icon size={14} aria-hidden /> : <span style={{ width: 14 }} />}
            <span className="grow cut">
              <Marked text={item.title} places={places} />
            </span>
            <span className="palette-section">{item.section}</span>
            {item.keys && <Keys chord={item.keys} />}
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  );
}

/** A finder over what there is to find; made anew only where that changed. */
function useFinder(): Finder<Entry> {
  const lab = useLab();
  const [location] = useLocation();
  const runs = useFeed(lab.runs, (rows) => rows.list);
  const tasks = useFeed(lab.tasks, (rows) => rows.list);
  const openRun = /^\/runs\/([^/]+)$/.exec(location)?.[1];
  const rollouts = useRolloutsOf(openRun === 'new' ? undefined : openRun);
  return useMemo(() => {
    const actions = currentActions()
      .filter((action) => !action.hidden)
      .sort((one, other) => general.indexOf(one.section) - general.indexOf(other.section))
      .map(
        (action): Entry => ({
          id: action.id,
          title: action.title,
          lower: `${action.title} ${action.words ?? ''}`.toLowerCase(),
          section: action.section,
          icon: action.icon,
          keys: action.keys?.[0],
          to: action.run,
        }),
      );
    return createFinder([
      ...actions,
      ...rollouts.map((row) => entryOf(row, rolloutEntry)),
      ...runs.map((row) => entryOf(row, runEntry)),
      ...tasks.map((row) => entryOf(row, taskEntry)),
    ]);
  }, [runs, tasks, rollouts]);
}

const entries = new WeakMap<object, Entry>();

/** Made once per row: rows are replaced, never changed, and tens of thousands of them arrive in pieces. */
function entryOf<Row extends object>(row: Row, make: (row: Row) => Omit<Entry, 'lower'>): Entry {
  const known = entries.get(row);
  if (known) return known;
  const made = make(row);
  const entry = { ...made, lower: made.title.toLowerCase() };
  entries.set(row, entry);
  return entry;
}

const rolloutEntry = ({ id, taskName, agent, attempt }: RolloutRow) => ({
  id,
  title: `${taskName} · ${agent} · ${attempt + 1}`,
  section: 'Rollout',
  icon: TerminalIcon,
  to: `/rollouts/${id}`,
});
const runEntry = ({ id, name }: RunRow) => ({ id, title: name, section: 'Run', icon: PlayIcon, to: `/runs/${id}` });
const taskEntry = ({ id, name }: TaskRow) => ({ id, title: name, section: 'Task', icon: TasksIcon, to: `/tasks/${id}` });

const none: readonly RolloutRow[] = [];
const nothing = createFeed<{ list: readonly RolloutRow[] }>({ list: none }, () => {});

/** Rollouts of the run that is on the screen: they are here already, and all of a lab's would be too many to fetch. */
function useRolloutsOf(runId: string | undefined): readonly RolloutRow[] {
  const lab = useLab();
  return useFeed<{ list: readonly RolloutRow[] }, readonly RolloutRow[]>(
    runId === undefined ? nothing : lab.rollouts(runId),
    (rows) => rows.list,
  );
}

function Marked({ text, places }: { text: string; places: number[] }) {
  if (places.length === 0) return text;
  const marked = new Set(places);
  const parts: { text: string; marked: boolean; at: number }[] = [];
  for (const [at, character] of [...text].entries()) {
    const last = parts.at(-1);
    if (last && last.marked === marked.has(at)) last.text += character;
    else parts.push({ text: character, marked: marked.has(at), at });
  }
  return parts.map((part) => (part.marked ? <mark key={part.at}>{part.text}</mark> : <span key={part.at}>{part.text}</span>));
}
