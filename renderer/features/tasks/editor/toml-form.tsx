// The fields of a task.toml that are set most, as a form. It has no values of its own: it shows what the text says, and every change is a
// splice of the text, so that form and source cannot disagree.
import { type ReactNode, useEffect, useState } from 'react';
import type { LabClient } from '../../../client/index.ts';
import { useLab } from '../../../data/lab.tsx';
import { Field, NumberInput, Select, TextInput } from '../../../ui/fields.tsx';
import { Scroll } from '../../../ui/page.tsx';
import { command } from '../../../ui/toasts.tsx';

type Values = NonNullable<Awaited<ReturnType<LabClient['files']['examine']>>['values']>;
type Value = Values[string];
type Edit = (path: string, value: Value | null) => void;

interface FieldSpec {
  key: string;
  label: string;
  hint?: string;
  unit?: string;
  kind: 'text' | 'number' | 'list' | readonly string[];
  /** Shown where the file does not say. */
  placeholder?: string;
}

const groups: readonly { title: string; fields: readonly FieldSpec[] }[] = [
  {
    title: 'Task',
    fields: [
      { key: 'task.name', label: 'Name', kind: 'text', hint: 'Written organisation/name.' },
      { key: 'task.description', label: 'Description', kind: 'text' },
      { key: 'metadata.difficulty', label: 'Difficulty', kind: ['easy', 'medium', 'hard'] },
      { key: 'metadata.category', label: 'Category', kind: 'text' },
      { key: 'metadata.tags', label: 'Tags', kind: 'list', hint: 'Separated by commas.' },
    ],
  },
  {
    title: 'Time',
    fields: [
      { key: 'agent.timeout_sec', label: 'Agent', kind: 'number', unit: 's', placeholder: 'none' },
      { key: 'verifier.timeout_sec', label: 'Verifier', kind: 'number', unit: 's', placeholder: '600' },
      { key: 'environment.build_timeout_sec', label: 'Image build', kind: 'number', unit: 's', placeholder: '600' },
    ],
  },
  {
    title: 'Resources',
    fields: [
      { key: 'environment.cpus', label: 'CPUs', kind: 'number', placeholder: 'no limit' },
      { key: 'environment.memory_mb', label: 'Memory', kind: 'number', unit: 'MB', placeholder: 'no limit' },
      { key: 'environment.storage_mb', label: 'Disk', kind: 'number', unit: 'MB', placeholder: 'no limit' },
      { key: 'environment.gpus', label: 'GPUs', kind: 'number', placeholder: '0' },
    ],
  },
  {
    title: 'Network and place',
    fields: [
      { key: 'environment.network_mode', label: 'Network', kind: ['public', 'no-network', 'allowlist'] },
      { key: 'environment.allowed_hosts', label: 'Allowed hosts', kind: 'list', hint: 'With the network mode "allowlist".' },
      { key: 'environment.workdir', label: 'Working directory', kind: 'text', placeholder: "the image's own" },
      { key: 'environment.docker_image', label: 'Image', kind: 'text', placeholder: 'built from the Dockerfile' },
      { key: 'agent.user', label: "Agent's user", kind: 'text', placeholder: "the image's own" },
      { key: 'verifier.user', label: "Verifier's user", kind: 'text', placeholder: "the image's own" },
    ],
  },
];

export function TomlForm({
  text,
  values,
  errors,
  readOnly,
  onChange,
}: {
  text: string;
  values: Values | null;
  /** What is wrong, by dotted key. */
  errors: ReadonlyMap<string, string>;
  readOnly: boolean;
  onChange: (text: string) => void;
}) {
  const { client } = useLab();
  if (values === null) {
    return (
      <Scroll label="Fields of task.toml">
        <p className="soft">The text is no valid TOML now, so the form has nothing to show. The line at fault is marked in the source.</p>
      </Scroll>
    );
  }
  const edit: Edit = (key, value) =>
    void command(
      `${key} could not be set`,
      () => client.files.editToml({ text, edits: [{ path: key.split('.'), value }] }),
      (answer) => onChange(answer.text),
    );
  return (
    <Scroll label="Fields of task.toml">
      <fieldset className="toml-form" disabled={readOnly}>
        {groups.map(({ title, fields }) => (
          <section key={title} className="stack">
            <h3>{title}</h3>
            <div className="toml-fields">
              {fields.map((spec) => (
                <Field key={spec.key} label={spec.label} hint={spec.hint} error={errors.get(spec.key)}>
                  <Control spec={spec} value={values[spec.key]} edit={edit} readOnly={readOnly} />
                </Field>
              ))}
            </div>
          </section>
        ))}
      </fieldset>
    </Scroll>
  );
}

function Control({ spec, value, edit, readOnly }: { spec: FieldSpec; value: Value | undefined; edit: Edit; readOnly: boolean }): ReactNode {
  const { key, kind } = spec;
  if (kind === 'number') {
    return (
      <Committed shown={typeof value === 'number' ? value : null} commit={(next) => edit(key, next)}>
        {(draft, setDraft) => (
          <NumberInput
            value={draft}
            onChange={setDraft}
            {...(spec.placeholder === undefined ? {} : { placeholder: spec.placeholder })}
            {...(spec.unit === undefined ? {} : { unit: spec.unit })}
          />
        )}
      </Committed>
    );
  }
  if (kind === 'text' || kind === 'list') {
    const shown = Array.isArray(value) ? value.join(', ') : value === undefined ? '' : String(value);
    const parsed = (next: string) => (kind === 'list' ? next.split(',').flatMap((word) => word.trim() || []) : next.trim());
    return (
      <Committed shown={shown} commit={(next) => edit(key, next.trim() === '' ? null : parsed(next))}>
        {(draft, setDraft) => (
          <TextInput value={draft} onChange={setDraft} {...(spec.placeholder === undefined ? {} : { placeholder: spec.placeholder })} />
        )}
      </Committed>
    );
  }
  const chosen = typeof value === 'string' ? value : null;
  const known = chosen === null || kind.includes(chosen) ? kind : [chosen, ...kind];
  if (readOnly) return <span className="soft">{chosen ?? 'not said'}</span>;
  return (
    <Select
      label={spec.label}
      value={chosen}
      onChange={(next) => edit(key, next)}
      choices={known.map((each) => ({ value: each, label: each }))}
      placeholder="Not said"
    />
  );
}

/** A field that is written into the text when it is left, or by Enter; Escape takes back what was typed. */
function Committed<Shown extends string | number | null>({
  shown,
  commit,
  children,
}: {
  shown: Shown;
  commit: (value: Shown) => void;
  children: (draft: Shown, setDraft: (value: Shown) => void) => ReactNode;
}) {
  const [draft, setDraft] = useState(shown);
  useEffect(() => setDraft(shown), [shown]);
  const leave = () => {
    if (draft !== shown) commit(draft);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hears what the field inside it does.
    <div
      onBlur={leave}
      onKeyDown={(event) => {
        if (event.key === 'Enter') leave();
        if (event.key === 'Escape') setDraft(shown);
      }}
    >
      {children(draft, setDraft)}
    </div>
  );
}
