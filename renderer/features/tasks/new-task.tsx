// A new task from a template: a name, a set, and what its tests are written in.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useFeed } from '../../data/feed.ts';
import { useLab } from '../../data/lab.tsx';
import { Field, Select } from '../../ui/fields.tsx';
import { tell } from '../../ui/toasts.tsx';
import { NameDialog } from './name-dialog.tsx';

const OWN = 'own';
const templates = [
  { value: 'shell', label: 'Shell', detail: 'One script that compares and writes the reward' },
  { value: 'pytest', label: 'pytest', detail: 'One test for each thing that is asked' },
] as const;

export function NewTask({ open, onClose, setId }: { open: boolean; onClose: () => void; setId: string | null }) {
  const { client, taskSets } = useLab();
  const [, navigate] = useLocation();
  const sets = useFeed(taskSets, (rows) => rows.list).filter((set) => set.origin === 'imported' && set.name !== 'my-tasks');
  const [template, setTemplate] = useState<(typeof templates)[number]['value']>('shell');
  const [chosen, setChosen] = useState<string | null>(null);
  const place = chosen ?? (sets.some((set) => set.id === setId) ? (setId ?? OWN) : OWN);
  return (
    <NameDialog
      open={open}
      onClose={onClose}
      title="New task"
      label="Name"
      hint="Of its folder, and the last part of the task’s name."
      verb="Make the task"
      initial=""
      onName={async (name) => {
        const { taskId } = await client.tasks.create({ setId: place === OWN ? null : place, name, template });
        tell(`${name} made`, 'It works as it is: change the instruction, then its tests and solution.');
        navigate(`/tasks/${taskId}`);
      }}
    >
      <Field label="Template">
        <Select label="Template" value={template} onChange={setTemplate} choices={templates} />
      </Field>
      <Field label="Set">
        <Select
          label="Set"
          value={place}
          onChange={setChosen}
          choices={[
            { value: OWN, label: 'my-tasks', detail: 'in the data folder' },
            ...sets.map((set) => ({ value: set.id, label: set.name, detail: set.path })),
          ]}
        />
      </Field>
    </NameDialog>
  );
}
