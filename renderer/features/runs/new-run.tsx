// The form that starts a run. Says at every moment what it would start, and what is wrong with it.
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { type AgentName, agentName } from '../../../main/contract/schema/config.ts';
import { useLab } from '../../data/lab.tsx';
import { useActions } from '../../ui/actions.ts';
import { ActionButton, Button } from '../../ui/button.tsx';
import { Checkbox, Field, NumberInput, Segmented, Select, TextInput } from '../../ui/fields.tsx';
import { plural } from '../../ui/format.ts';
import { PlayIcon } from '../../ui/icons.ts';
import { PageHead } from '../../ui/page.tsx';
import { Split } from '../../ui/split.tsx';
import { command } from '../../ui/toasts.tsx';
import { type Draft, editDraft, editSource, newDraft, problemsOf, useDraft } from './launch-draft.ts';
import { LaunchPreview } from './launch-preview.tsx';
import { LaunchSource, openSource } from './launch-source.tsx';
import { TaskPicker } from './task-picker.tsx';
import { useResolved } from './use-resolved.ts';
import './new-run.css';

const agentWords: Record<AgentName, string> = {
  terminus: 'protocol of Terminus-2, many turns',
  minimal: 'one command a turn, short',
  batch: 'one answer with all commands',
  human: 'you, in the live terminal',
  oracle: "the task's own solution",
  nop: 'does nothing: must score 0',
  replay: 'plays a recorded trajectory back',
};

export function NewRun() {
  const { client } = useLab();
  const [, navigate] = useLocation();
  const draft = useDraft((state) => state.draft);
  const source = useDraft((state) => state.source);
  const { resolved, error, pending } = useResolved(draft, source);
  const local = useMemo(() => (source === null ? problemsOf(draft) : new Map<string, string>()), [draft, source]);
  const problems = new Map(local);
  for (const issue of resolved?.issues ?? [])
    if (issue.level === 'error' && !problems.has(issue.file)) problems.set(issue.file, issue.message);
  const ready =
    local.size === 0 && resolved?.config != null && resolved.rollouts > 0 && !resolved.issues.some((issue) => issue.level === 'error');
  const start = () => {
    const config = resolved?.config;
    if (!ready || pending || !config) return;
    void command(
      'The run could not be started',
      () => client.runs.start({ config }),
      ({ runId }) => {
        newDraft();
        navigate(`/runs/${runId}`);
      },
    );
  };
  useActions([
    { id: 'launch.start', title: 'Start this run', section: 'New run', icon: PlayIcon, keys: ['Mod+Enter'], run: start },
    { id: 'launch.clear', title: 'Clear the form', section: 'New run', run: () => newDraft() },
  ]);
  return (
    <>
      <PageHead crumbs={[{ title: 'Runs', path: '/runs' }]} title="New run">
        <Segmented<'form' | 'source'>
          label="Edit as"
          value={source === null ? 'form' : 'source'}
          onChange={(way) => (way === 'form' ? editSource(null) : void openSource(client, draft))}
          choices={[
            { value: 'form', label: 'Form' },
            { value: 'source', label: 'YAML' },
          ]}
        />
        <ActionButton action="launch.clear" kind="ghost" label="Clear" />
        <Button kind="primary" icon={PlayIcon} disabled={!ready} onClick={start} data-action="launch.start">
          {ready && !pending ? `Start ${plural(resolved.rollouts, 'rollout')}` : 'Start'}
        </Button>
      </PageHead>
      <Split name="launch" label="Width of the form" initial={0.62} min={0.4} max={0.8}>
        {source === null ? <LaunchForm draft={draft} problems={problems} /> : <LaunchSource source={source} />}
        <LaunchPreview resolved={resolved} error={error} touched={source !== null || draft.tasks.length > 0} />
      </Split>
    </>
  );
}

function LaunchForm({ draft, problems }: { draft: Draft; problems: ReadonlyMap<string, string> }) {
  const touched = draft.tasks.length > 0;
  const needsModel = (draft.agents ?? []).some((agent) => agent === 'terminus' || agent === 'minimal' || agent === 'batch');
  const limits = draft.limits ?? {};
  const sandbox = draft.sandbox ?? {};
  const limit = (change: Partial<typeof limits>) => editDraft({ limits: { ...limits, ...change } });
  const box = (change: Partial<typeof sandbox>) => editDraft({ sandbox: { ...sandbox, ...change } });
  return (
    <form className="scroll launch" aria-label="New run" onSubmit={(event) => event.preventDefault()}>
      <Group title="What" words="Task sets, or single tasks of them.">
        <TaskPicker draft={draft} error={touched ? problems.get('tasks') : undefined} />
        <Field label="Name" hint="How the run is called in lists. Left out, it is named after what it does." error={problems.get('name')}>
          <TextInput
            value={draft.name ?? ''}
            onChange={(name) => editDraft({ name: name === '' ? undefined : name })}
            placeholder="after its tasks and agents"
          />
        </Field>
      </Group>
      <Group title="Who" words="Every agent plays every task.">
        <fieldset className="agents">
          <legend className="field-label">Agents</legend>
          {agentName.options.map((agent) => (
            <Checkbox
              key={agent}
              checked={(draft.agents ?? []).includes(agent)}
              onChange={(checked) =>
                editDraft({ agents: agentName.options.filter((name) => (name === agent ? checked : (draft.agents ?? []).includes(name))) })
              }
            >
              <span className="agent-name">{agent}</span> <span className="faint">{agentWords[agent]}</span>
            </Checkbox>
          ))}
          {problems.has('agents') && <p className="field-error">Choose at least one agent.</p>}
        </fieldset>
        {needsModel && <ModelField draft={draft} error={touched ? problems.get('model') : undefined} />}
        {(draft.agents ?? []).includes('replay') && (
          <Field label="Recorded trajectory" hint="Folder of a trial, or of many." error={problems.get('replay')}>
            <TextInput mono value={draft.replay ?? ''} onChange={(replay) => editDraft({ replay: replay === '' ? null : replay })} />
          </Field>
        )}
      </Group>
      <Group title="How much">
        <div className="launch-grid">
          <Amount
            label="Attempts"
            hint="of each task and agent"
            value={draft.attempts}
            standard={1}
            error={problems.get('attempts')}
            onChange={(attempts) => editDraft({ attempts })}
          />
          <Amount
            label="Concurrency"
            hint="rollouts at once"
            value={draft.concurrency}
            standard={4}
            error={problems.get('concurrency')}
            onChange={(concurrency) => editDraft({ concurrency })}
          />
          <Amount
            label="Turns"
            hint="an agent may take"
            value={limits.turns}
            standard={64}
            error={problems.get('limits.turns')}
            onChange={(turns) => limit({ turns })}
          />
          <Amount
            label="Time"
            unit="s"
            hint="for the agent"
            value={limits.seconds}
            standard="the task's own"
            error={problems.get('limits.seconds')}
            onChange={(seconds) => limit({ seconds })}
          />
          <Amount
            label="Prompt tokens"
            hint="in total"
            value={limits.promptTokens}
            standard="no limit"
            error={problems.get('limits.promptTokens')}
            onChange={(promptTokens) => limit({ promptTokens })}
          />
          <Amount
            label="Completion tokens"
            hint="in total"
            value={limits.completionTokens}
            standard="no limit"
            error={problems.get('limits.completionTokens')}
            onChange={(completionTokens) => limit({ completionTokens })}
          />
          <Amount
            label="Format errors"
            hint="in a row"
            value={limits.formatErrors}
            standard={8}
            error={problems.get('limits.formatErrors')}
            onChange={(formatErrors) => limit({ formatErrors })}
          />
          <Amount
            label="Repeats"
            hint="identical commands in a row"
            value={limits.repeats}
            standard="no limit"
            error={problems.get('limits.repeats')}
            onChange={(repeats) => limit({ repeats })}
          />
        </div>
      </Group>
      <Group title="Where" words="How containers are locked down.">
        <div className="launch-choices">
          <Choice
            title="Profile"
            hint={
              (sandbox.profile ?? 'compatible') === 'locked'
                ? 'No network, no capabilities, small limits. For training.'
                : 'As the task asks. For evaluation sets.'
            }
          >
            <Segmented
              label="Sandbox profile"
              value={sandbox.profile ?? 'compatible'}
              onChange={(profile) => box({ profile })}
              choices={[
                { value: 'compatible', label: 'Compatible' },
                { value: 'locked', label: 'Locked' },
              ]}
            />
          </Choice>
          <Choice title="Network" hint="Replaces what every task asks for.">
            <Segmented
              label="Network"
              value={sandbox.network ?? 'task'}
              onChange={(network) => box({ network })}
              choices={[
                { value: 'task', label: "Task's own" },
                { value: 'none', label: 'None' },
                { value: 'public', label: 'Public' },
              ]}
            />
          </Choice>
          <Choice
            title="Grading"
            hint={
              (sandbox.grading ?? 'fresh') === 'fresh'
                ? 'In a new container, from a snapshot: nothing of the agent runs.'
                : "In the agent's own container: quicker, easier to cheat."
            }
          >
            <Segmented
              label="Grading"
              value={sandbox.grading ?? 'fresh'}
              onChange={(grading) => box({ grading })}
              choices={[
                { value: 'fresh', label: 'Fresh box' },
                { value: 'same', label: 'Same box' },
              ]}
            />
          </Choice>
        </div>
      </Group>
    </form>
  );
}

function Group({ title, words, children }: { title: string; words?: string; children: ReactNode }) {
  return (
    <section className="launch-group">
      <header>
        <h2>{title}</h2>
        {words && <p className="faint">{words}</p>}
      </header>
      <div className="launch-fields">{children}</div>
    </section>
  );
}

function Choice({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <div className="field">
      <span className="field-label">{title}</span>
      <span>{children}</span>
      <span className="field-hint">{hint}</span>
    </div>
  );
}

function Amount({
  label,
  hint,
  unit,
  value,
  standard,
  error,
  onChange,
}: {
  label: string;
  hint: string;
  unit?: string;
  value: number | null | undefined;
  /** What holds while the field is empty. */
  standard: number | string;
  error: string | undefined;
  onChange: (value: number | undefined) => void;
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      <NumberInput
        value={value ?? null}
        onChange={(next) => onChange(next ?? undefined)}
        placeholder={String(standard)}
        {...(unit ? { unit } : {})}
      />
    </Field>
  );
}

function ModelField({ draft, error }: { draft: Draft; error: string | undefined }) {
  const { client } = useLab();
  const [choices, setChoices] = useState<{ value: string; label: string; detail: string }[]>([]);
  useEffect(() => {
    const leaving = new AbortController();
    client.models.list({}, { signal: leaving.signal }).then(
      ({ models }) =>
        setChoices(
          models.flatMap(({ name, config }) =>
            config ? [{ value: name, label: name, detail: config.kind === 'http' ? config.model : 'scripted, offline' }] : [],
          ),
        ),
      // The field stays empty; starting without a model says what is wrong.
      () => {},
    );
    return () => leaving.abort();
  }, [client]);
  return (
    <Field label="Model" hint="From configs/models and the data folder." error={error}>
      <Select
        value={draft.model ?? null}
        onChange={(model) => editDraft({ model })}
        choices={choices}
        label="Model"
        placeholder="Choose a model…"
      />
    </Field>
  );
}
