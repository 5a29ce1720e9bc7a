// One rollout: its turns, its terminal, its verdict. The same page while it plays, after it ended, and when a person plays it.
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { RolloutRow } from '../../../main/contract/schema/rollout.ts';
import { useFeed } from '../../data/feed.ts';
import { type RolloutDetail, useLab } from '../../data/lab.tsx';
import { type Action, useActions } from '../../ui/actions.ts';
import { ActionButton, IconButton } from '../../ui/button.tsx';
import { count, duration, plural, reward } from '../../ui/format.ts';
import { BanIcon, ExportIcon, GrowIcon, HumanIcon, ShrinkIcon, TamperIcon, TerminalIcon } from '../../ui/icons.ts';
import { Empty, ErrorNotice, InlineError, Loading, PanelBoundary } from '../../ui/notice.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Split } from '../../ui/split.tsx';
import { rolloutSign, StatusSign, verdictSigns } from '../../ui/status.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Took } from '../../ui/time.tsx';
import { command } from '../../ui/toasts.tsx';
import { type Exported, ExportRollouts } from '../exchange/export-rollouts.tsx';
import { takeAsHuman } from '../runs/start.ts';
import { timeOf } from './cast.ts';
import { DetailsTab } from './details-tab.tsx';
import { FilesTab } from './files-tab.tsx';
import { Outline } from './outline.tsx';
import { TaskTab } from './task-tab.tsx';
import { TerminalPanel } from './terminal-panel.tsx';
import { TurnList } from './turn-list.tsx';
import { failedCommand, type Turn, turnsOf } from './turns.ts';
import { type Recording, useRecording, useReplayTurn } from './use-replay.ts';
import { VerdictTab } from './verdict-tab.tsx';
import './rollout-page.css';

type TabId = 'terminal' | 'verdict' | 'files' | 'task' | 'details';

export function RolloutPage({ rolloutId }: { rolloutId: string }) {
  const lab = useLab();
  const { value: detail, error } = useFeed(lab.rollout(rolloutId), (one) => one);
  if (!detail) return error ? <ErrorNotice error={error} /> : <Loading what="the rollout" />;
  return <Loaded key={rolloutId} detail={detail} />;
}

function Loaded({ detail }: { detail: RolloutDetail }) {
  const { rollout, verdict } = detail;
  const lab = useLab();
  const run = useFeed(lab.run(rollout.runId), (one) => one.value);
  const turns = useTurns(rollout);
  const live = rollout.endedAt === null;
  const plays = live && rollout.status === 'running';
  const human = rollout.agent === 'human';
  const [tab, setTab] = useState<TabId>(live || !verdict ? 'terminal' : 'verdict');
  const [large, setLarge] = useState(false);
  const [cursor, setCursor] = useState(0);
  const go = useRef<((index: number, quietly?: boolean) => void) | null>(null);
  const recording = useRecording(rollout.id);
  const failed = useMemo(() => new Set(turns.filter(failedCommand).map((turn) => turn.number)), [turns]);
  useTurnsFollow(recording, turns, go);
  // What plays now is watched by itself; going through its turns does not take the live terminal away.
  const onRead = (index: number) => {
    const time = timeOf(recording.turns, turns[index]?.number ?? 0);
    if (!live && time !== null && recording.turns.length > 0) recording.replay.seek(time);
  };

  const actions: Action[] = [
    {
      id: 'rollout.terminal',
      title: large ? 'Show the turns beside the terminal' : 'Terminal only',
      section: 'Rollout',
      icon: large ? ShrinkIcon : GrowIcon,
      keys: ['t'],
      run: () => {
        setTab('terminal');
        setLarge(!large);
      },
    },
    {
      id: 'rollout.run',
      title: 'Go to its run',
      section: 'Rollout',
      keys: ['u'],
      run: () => {
        location.hash = `/runs/${rollout.runId}`;
      },
    },
  ];
  if (live)
    actions.push({
      id: 'rollout.cancel',
      title: 'Cancel this rollout',
      section: 'Rollout',
      icon: BanIcon,
      run: () => void command('The rollout could not be cancelled', () => lab.client.rollouts.cancel({ rolloutId: rollout.id })),
    });
  useActions(actions);

  const side = (
    <Tabs<TabId>
      label="About the rollout"
      value={large ? 'terminal' : tab}
      onChange={(next) => {
        setTab(next);
        setLarge(false);
      }}
      aside={
        <IconButton
          icon={large ? ShrinkIcon : GrowIcon}
          label={large ? 'Show the turns' : 'Terminal only'}
          keys="t"
          pressed={large}
          onClick={() => {
            setTab('terminal');
            setLarge(!large);
          }}
        />
      }
      tabs={[
        {
          id: 'terminal',
          title: 'Terminal',
          keep: true,
          content: <TerminalPanel detail={detail} screen={run?.config.screen} recording={recording} failed={failed} />,
        },
        { id: 'verdict', title: 'Verdict', mark: <VerdictMark detail={detail} />, content: <VerdictTab detail={detail} /> },
        { id: 'files', title: 'Files', content: <FilesTab rollout={rollout} /> },
        { id: 'task', title: 'Task', content: <TaskTab rollout={rollout} /> },
        { id: 'details', title: 'Details', content: <DetailsTab detail={detail} /> },
      ]}
    />
  );
  return (
    <>
      <RolloutHead detail={detail} runName={run?.name} />
      {rollout.error && (
        <div className="rollout-error">
          <InlineError error={rollout.error} />
        </div>
      )}
      <div className="rollout-body" data-large={large || human || undefined}>
        <div className="rollout-outline" hidden={large || human}>
          <Outline turns={turns} current={cursor} onGo={(index) => go.current?.(index)} />
        </div>
        <Split name={human ? 'human' : 'rollout'} label="Width of the turns" initial={human ? 0.36 : 0.5} hideFirst={large}>
          <PanelBoundary name="The turns">
            <TurnList
              turns={turns}
              rolloutId={rollout.id}
              live={plays && !human}
              onCursor={setCursor}
              onRead={onRead}
              go={go}
              empty={<NoTurns rollout={rollout} />}
            />
          </PanelBoundary>
          {side}
        </Split>
      </div>
    </>
  );
}

/** Turns of a rollout; one that is being sampled is there before its first word is stored. */
function useTurns(rollout: RolloutRow): Turn[] {
  const lab = useLab();
  const nodes = useFeed(lab.nodes(rollout.id), (rows) => rows.list);
  const stored = useMemo(() => turnsOf(nodes), [nodes]);
  const last = stored.at(-1);
  const samples =
    rollout.status === 'running' && rollout.model !== null && last !== undefined && last.response !== null && last.replies.length > 0;
  return useMemo(
    () =>
      samples && last ? [...stored, { key: `next-${last.key}`, number: last.number + 1, prompt: [], response: null, replies: [] }] : stored,
    [stored, samples, last],
  );
}

/** While the recording plays or is scrubbed, the turn that it is in is the current one. */
function useTurnsFollow(
  recording: Recording,
  turns: readonly Turn[],
  go: RefObject<((index: number, quietly?: boolean) => void) | null>,
): void {
  const number = useReplayTurn(recording);
  const latest = useRef(turns);
  latest.current = turns;
  useEffect(() => {
    if (number === null) return;
    const index = latest.current.findIndex((turn) => turn.number === number);
    if (index >= 0) go.current?.(index, true);
  }, [number, go]);
}

function NoTurns({ rollout }: { rollout: RolloutRow }) {
  if (rollout.endedAt !== null)
    return <Empty icon={TerminalIcon} title="No turns" words={`The ${rollout.agent} agent ended before it said or did anything.`} />;
  const words =
    rollout.status === 'queued'
      ? 'It waits for its turn. Nothing is wrong.'
      : 'Its container is being prepared. Turns appear as they are played.';
  return <Empty icon={TerminalIcon} title="No turns yet" words={words} />;
}

function VerdictMark({ detail: { verdict } }: { detail: RolloutDetail }) {
  if (!verdict) return null;
  if (verdict.tests.length === 0) return null;
  return `${verdict.tests.filter((test) => test.status === 'passed').length}/${verdict.tests.length}`;
}

function RolloutHead({ detail, runName }: { detail: RolloutDetail; runName: string | undefined }) {
  const { rollout, verdict } = detail;
  const { client } = useLab();
  const [, navigate] = useLocation();
  const tampering = verdict?.tampering.length ?? 0;
  const [exporting, setExporting] = useState<Exported | null>(null);
  useActions([
    {
      id: 'rollout.export',
      title: 'Export this rollout…',
      section: 'Rollout',
      icon: ExportIcon,
      words: 'save write harbor atif messages sharegpt asciicast trajectory',
      run: () =>
        setExporting({
          of: { rolloutIds: [rollout.id] },
          title: `${rollout.taskName}, attempt ${rollout.attempt + 1}, by ${rollout.agent}.`,
        }),
    },
    {
      id: 'task.human',
      title: 'Take this task as human',
      section: 'Task',
      icon: HumanIcon,
      words: 'play terminal myself',
      run: () =>
        void command(
          'The task could not be read',
          () => client.tasks.get({ taskId: rollout.taskId }),
          (task) => void takeAsHuman(client, task, navigate),
        ),
    },
  ]);
  return (
    <>
      <PageHead
        crumbs={[
          { title: 'Runs', path: '/runs' },
          { title: runName ?? 'Run', path: `/runs/${rollout.runId}` },
        ]}
        title={rollout.taskName}
        signs={
          <>
            <StatusSign sign={rolloutSign(rollout)} soft />
            {tampering > 0 && (
              <span className="sign sign-soft" data-tone="odd">
                <TamperIcon size={14} aria-hidden />
                {plural(tampering, 'sign')} of tampering
              </span>
            )}
          </>
        }
      >
        <ActionButton action="rollout.cancel" label="Cancel" kind="danger" />
        {rollout.endedAt !== null && <ActionButton action="rollout.export" label="Export…" />}
        {rollout.endedAt !== null && <ActionButton action="task.human" label="Take as human" />}
      </PageHead>
      <ExportRollouts what={exporting} onClose={() => setExporting(null)} />
      <dl className="strip figures" aria-label="Facts of the rollout">
        <Fact name="Agent">{rollout.agent}</Fact>
        <Fact name="Model">{rollout.model ?? 'none'}</Fact>
        <Fact name="Attempt">{rollout.attempt + 1}</Fact>
        <Fact name="Reward">{reward(rollout.reward)}</Fact>
        <Fact name="Turns">{rollout.turns}</Fact>
        <Fact name="Tokens">
          {count(rollout.promptTokens)} in · {count(rollout.completionTokens)} out
        </Fact>
        <Fact name="Time">
          <Took from={rollout.startedAt} to={rollout.endedAt} />
          {rollout.endedAt !== null && <TimeSplit rollout={rollout} />}
        </Fact>
        {verdict && (
          <Fact name="Verdict" wide>
            <StatusSign sign={verdictSigns[verdict.state]} />
            <span className="cut soft" title={verdict.reason}>
              {verdict.reason}
            </span>
          </Fact>
        )}
      </dl>
    </>
  );
}

function Fact({ name, wide = false, children }: { name: string; wide?: boolean; children: React.ReactNode }) {
  return (
    <div className={wide ? 'strip-wide' : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const phases = [
  { key: 'startMs', word: 'start' },
  { key: 'modelMs', word: 'model' },
  { key: 'commandMs', word: 'commands' },
  { key: 'verifyMs', word: 'verify' },
] as const;

/** Where the time went, as one small bar. */
function TimeSplit({ rollout: { timings } }: { rollout: RolloutRow }) {
  const parts = phases.map((phase) => ({ ...phase, ms: timings[phase.key] ?? 0 })).filter((part) => part.ms > 0);
  const total = parts.reduce((sum, part) => sum + part.ms, 0);
  if (total === 0) return null;
  const words = parts.map((part) => `${part.word} ${duration(part.ms)}`).join(', ');
  return (
    <span className="time-split" role="img" aria-label={words} title={words}>
      {parts.map((part) => (
        <span key={part.key} data-phase={part.key} style={{ flexGrow: part.ms }} />
      ))}
    </span>
  );
}
