// Chooses task sets, folders, and single tasks of the chosen sets.
import { useMemo, useState } from 'react';
import { useFeed } from '../../data/feed.ts';
import { useLab } from '../../data/lab.tsx';
import { Checkbox, Field, FilterInput, TextInput } from '../../ui/fields.tsx';
import { plural } from '../../ui/format.ts';
import { type Draft, editDraft } from './launch-draft.ts';

/** Tasks shown for choosing at once; the filter finds the others. */
const SHOWN = 60;

export function TaskPicker({ draft, error }: { draft: Draft; error: string | undefined }) {
  const lab = useLab();
  const sets = useFeed(lab.taskSets, (rows) => rows.list);
  const folders = draft.tasks.filter((name) => !sets.some((set) => set.name === name));
  const toggle = (name: string, checked: boolean) =>
    editDraft({ tasks: checked ? [...draft.tasks, name] : draft.tasks.filter((known) => known !== name) });
  return (
    <>
      <fieldset className="picker">
        <legend className="field-label">Task sets</legend>
        {sets.map((set) => (
          <Checkbox key={set.id} checked={draft.tasks.includes(set.name)} onChange={(checked) => toggle(set.name, checked)}>
            {set.name} <span className="faint">{plural(set.taskCount, 'task')}</span>
          </Checkbox>
        ))}
        {sets.length === 0 && <p className="faint">No set yet: import a folder on the Tasks page, or name one below.</p>}
        {error && <p className="field-error">{error}</p>}
      </fieldset>
      <OnlyTasks draft={draft} setIds={sets.filter((set) => draft.tasks.includes(set.name)).map((set) => set.id)} />
      <Field label="Folders" hint="Task folders, or folders of tasks, that are not in a set. Separate them with commas.">
        <TextInput
          mono
          value={folders.join(', ')}
          placeholder="/path/to/tasks"
          onChange={(text) =>
            editDraft({
              tasks: [
                ...draft.tasks.filter((name) => sets.some((set) => set.name === name)),
                ...text
                  .split(',')
                  .map((part) => part.trimStart())
                  .filter((part) => part !== ''),
              ],
            })
          }
        />
      </Field>
    </>
  );
}

function OnlyTasks({ draft, setIds }: { draft: Draft; setIds: readonly string[] }) {
  const lab = useLab();
  const tasks = useFeed(lab.tasks, (rows) => rows.list);
  const only = draft.only ?? [];
  const [open, setOpen] = useState(only.length > 0);
  const [wanted, setWanted] = useState('');
  const candidates = useMemo(
    () => tasks.filter((task) => setIds.includes(task.setId) && task.name.toLowerCase().includes(wanted.toLowerCase())),
    [tasks, setIds, wanted],
  );
  if (setIds.length === 0) return null;
  return (
    <div className="picker">
      <Checkbox
        checked={open}
        onChange={(checked) => {
          setOpen(checked);
          if (!checked) editDraft({ only: [] });
        }}
      >
        Only some of these tasks {only.length > 0 && <span className="faint">{only.length} chosen</span>}
      </Checkbox>
      {open && (
        <div className="picker-list">
          <FilterInput value={wanted} onChange={setWanted} label="Filter tasks" />
          <fieldset className="picker-tasks" aria-label="Tasks to keep">
            {candidates.slice(0, SHOWN).map((task) => (
              <Checkbox
                key={task.id}
                checked={only.includes(task.name)}
                onChange={(checked) => editDraft({ only: checked ? [...only, task.name] : only.filter((name) => name !== task.name) })}
              >
                {task.name}
              </Checkbox>
            ))}
            {candidates.length > SHOWN && <p className="faint">and {candidates.length - SHOWN} more: filter to find them</p>}
          </fieldset>
        </div>
      )}
    </div>
  );
}
