// One run: how far it is, how well it goes, what its agents are doing now, and every rollout of it.
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { RolloutRow } from '../../../main/contract/schema/rollout.ts';
import type { RunRow } from '../../../main/contract/schema/run.ts';
import { useFeed } from '../../data/feed.ts';
import { useLab } from '../../data/lab.tsx';
import { useActions } from '../../ui/actions.ts';
import { ActionButton } from '../../ui/button.tsx';
import { count, roughly } from '../../ui/format.ts';
import { BanIcon, MoreIcon } from '../../ui/icons.ts';
import { MenuButton } from '../../ui/menu.tsx';
import { ErrorNotice, InlineError, Loading } from '../../ui/notice.tsx';
import { PageHead } from '../../ui/page.tsx';
import { RateFigure } from '../../ui/rate.tsx';
import { outcomeSigns, runSigns, StatusSign } from '../../ui/status.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Ago, Took } from '../../ui/time.tsx';
import { type Exported, ExportRollouts, ofRun } from '../exchange/export-rollouts.tsx';
import { ConfigView } from './config-view.tsx';
import { RolloutMatrix } from './matrix.tsx';
import { endedCount, excludedCount, isActive, isLive, outcomeCounts, timeLeft } from './progress.ts';
import { RolloutTable } from './rollout-table.tsx';
import { runActions } from './run-actions.ts';
import { CancelDialog, CompareDialog } from './run-dialogs.tsx';
import { TerminalWall } from './wall.tsx';
import './run-page.css';

type TabId = 'rollouts' | 'matrix' | 'config';

export function RunPage({ runId }: { runId: string }) {
  const lab = useLab();
  const { value: run, error } = useFeed(lab.run(runId), (one) => one);
  const rollouts = useFeed(lab.rollouts(runId), (rows) => rows);
  const [tab, setTab] = useState<TabId>('rollouts');
  if (!run) return error ? <ErrorNotice error={error} /> : <Loading what="the run" />;
  const active = rollouts.list.filter(isActive);
  return (
    <>
      <RunHead run={run} />
      {run.error && (
        <div className="run-error">
          <InlineError error={run.error} />
        </div>
      )}
      <Summary run={run} rollouts={rollouts.list} />
      {isLive(run) && <TerminalWall run={run} active={active} rollouts={rollouts.list} />}
      <Tabs<TabId>
        label="Views of the run"
        value={tab}
        onChange={setTab}
        tabs={[
          {
            id: 'rollouts',
            title: 'Rollouts',
            mark: count(rollouts.list.length),
            content: <RolloutTable runId={run.id} rollouts={rollouts.list} loaded={rollouts.loaded} />,
          },
          { id: 'matrix', title: 'Tasks × attempts', content: <RolloutMatrix rollouts={rollouts.list} /> },
          { id: 'config', title: 'Configuration', content: <ConfigView config={run.config} /> },
        ]}
      />
    </>
  );
}

function RunHead({ run }: { run: RunRow }) {
  const { client } = useLab();
  const [, navigate] = useLocation();
  const [cancelling, setCancelling] = useState<RunRow | null>(null);
  const [comparing, setComparing] = useState<RunRow | null>(null);
  const [exporting, setExporting] = useState<Exported | null>(null);
  const actions = runActions(run, {
    client,
    navigate,
    askCancel: setCancelling,
    compare: setComparing,
    askExport: (one) => setExporting(ofRun(one)),
  });
  useActions(actions);
  const more = actions.filter(({ id }) => ['run.compare', 'run.export', 'run.csv', 'run.jsonl'].includes(id));
  return (
    <PageHead crumbs={[{ title: 'Runs', path: '/runs' }]} title={run.name} signs={<StatusSign sign={runSigns[run.status]} soft />}>
      <ActionButton action="run.pause" label="Pause" />
      <ActionButton
        action="run.resume"
        label={run.status === 'paused' ? 'Resume' : 'Play the rest'}
        kind={run.status === 'finished' ? 'plain' : 'primary'}
      />
      <ActionButton action="run.cancel" label="Cancel" kind="danger" />
      <ActionButton action="run.again" label="Run again…" />
      <MenuButton items={more}>
        <button type="button" className="icon-button" aria-label="More actions">
          <MoreIcon size={16} aria-hidden />
        </button>
      </MenuButton>
      <CancelDialog run={cancelling} onClose={() => setCancelling(null)} />
      <CompareDialog run={comparing} onClose={() => setComparing(null)} />
      <ExportRollouts what={exporting} onClose={() => setExporting(null)} />
    </PageHead>
  );
}

function Summary({ run, rollouts }: { run: RunRow; rollouts: readonly RolloutRow[] }) {
  const ended = endedCount(run.counts);
  const left = isLive(run) ? timeLeft(run, rollouts) : null;
  const excluded = excludedCount(rollouts);
  const outcomes = outcomeCounts(rollouts);
  const { total, finished, active, queued } = run.counts;
  const share = (value: number) => `${total === 0 ? 0 : (value / total) * 100}%`;
  return (
    <section className="summary" aria-label="Summary">
      <div className="summary-progress">
        <h2 className="rate-title">Progress</h2>
        <span className="row">
          <span className="rate-value figures">
            {ended} / {total}
          </span>
          <span className="faint figures">
            {left !== null && ended < total ? (
              `about ${roughly(left)} left`
            ) : !isLive(run) ? (
              <Took from={run.createdAt} to={run.endedAt} />
            ) : (
              ''
            )}
          </span>
        </span>
        <span
          className="meter meter-large"
          role="progressbar"
          aria-label="Rollouts ended"
          aria-valuenow={ended}
          aria-valuemin={0}
          aria-valuemax={total}
        >
          <span style={{ width: share(finished) }} title={`${finished} finished`} />
          <span className="meter-warn" style={{ width: share(ended - finished) }} title={`${ended - finished} without a grade`} />
          <span className="meter-active" style={{ width: share(active) }} title={`${active} playing`} />
        </span>
        <span className="rate-scale figures">
          <span>
            {active} playing · {queued} queued
          </span>
          <span>
            started <Ago at={run.createdAt} />
          </span>
        </span>
      </div>
      <RateFigure
        title="Pass rate, all trials"
        rate={run.overAll}
        hint="Passed over all rollouts that ended; an excluded one counts as not passed."
      />
      <RateFigure title="Pass rate, trials with a verdict" rate={run.overVerdict} hint="Passed over the rollouts whose tests ran." />
      <div className="summary-outcomes">
        <h2 className="rate-title">Outcomes</h2>
        {outcomes.length === 0 && excluded === 0 && <span className="faint">none yet</span>}
        <ul>
          {outcomes.map(({ outcome, count: many }) => (
            <li key={outcome}>
              <StatusSign sign={outcomeSigns[outcome]} />
              <span className="figures">{count(many)}</span>
            </li>
          ))}
          {excluded > 0 && (
            <li title="Ended without evidence about the agent: infrastructure, verifier, cancelled.">
              <span className="sign" data-tone="warn">
                <BanIcon size={14} aria-hidden />
                Excluded
              </span>
              <span className="figures">{count(excluded)}</span>
            </li>
          )}
        </ul>
      </div>
    </section>
  );
}
