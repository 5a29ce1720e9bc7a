// All runs.
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { RunRow } from '../../../main/contract/schema/run.ts';
import { useFeed } from '../../data/feed.ts';
import { useLab } from '../../data/lab.tsx';
import { useActions } from '../../ui/actions.ts';
import { ActionButton, Button } from '../../ui/button.tsx';
import { FilterInput } from '../../ui/fields.tsx';
import { plural } from '../../ui/format.ts';
import { ImportIcon, LabIcon, PlayIcon, PlusIcon, SearchIcon } from '../../ui/icons.ts';
import { anyText, useKept } from '../../ui/kept.ts';
import { Empty, ErrorNotice, Loading } from '../../ui/notice.tsx';
import { PageHead, Toolbar } from '../../ui/page.tsx';
import { RateCell } from '../../ui/rate.tsx';
import { runSigns, StatusSign } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { type Exported, ExportRollouts, ofRun } from '../exchange/export-rollouts.tsx';
import { ImportRollouts } from '../exchange/import-rollouts.tsx';
import { newDraft } from './launch-draft.ts';
import { endedCount } from './progress.ts';
import { runActions } from './run-actions.ts';
import { CancelDialog, CompareDialog } from './run-dialogs.tsx';
import { startDemo } from './start.ts';
import './runs.css';

const columns: readonly Column<RunRow>[] = [
  { id: 'status', title: 'Status', width: '118px', cell: (run) => <StatusSign sign={runSigns[run.status]} />, by: (run) => run.status },
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(150px, 2fr)',
    cell: (run) => <strong className="cut run-name">{run.name}</strong>,
    by: (run) => run.name,
  },
  {
    id: 'agents',
    title: 'Agents',
    width: 'minmax(90px, 1fr)',
    cell: (run) => <span className="cut">{run.config.agents.join(', ')}</span>,
    by: (run) => run.config.agents.join(),
  },
  {
    id: 'model',
    title: 'Model',
    width: 'minmax(80px, 1fr)',
    from: 1040,
    cell: (run) => <span className="cut">{run.config.model ?? <span className="faint">none</span>}</span>,
    by: (run) => run.config.model,
  },
  {
    id: 'tasks',
    title: 'Tasks',
    width: 'minmax(80px, 1fr)',
    from: 1130,
    cell: (run) => <span className="cut">{run.config.tasks.join(', ')}</span>,
    by: (run) => run.config.tasks.join(),
  },
  {
    id: 'progress',
    title: 'Progress',
    width: '150px',
    cell: (run) => <Progress run={run} />,
    by: (run) => endedCount(run.counts) / Math.max(1, run.counts.total),
  },
  {
    id: 'all',
    title: 'Pass, all',
    width: '156px',
    align: 'end',
    cell: (run) => <RateCell rate={run.overAll} />,
    by: (run) => run.overAll.value,
  },
  {
    id: 'verdict',
    title: 'Pass, with verdict',
    width: '156px',
    align: 'end',
    from: 940,
    cell: (run) => <RateCell rate={run.overVerdict} />,
    by: (run) => run.overVerdict.value,
  },
  { id: 'when', title: 'Started', width: '106px', align: 'end', cell: (run) => <Ago at={run.createdAt} />, by: (run) => run.createdAt },
];

function Progress({ run }: { run: RunRow }) {
  const ended = endedCount(run.counts);
  const share = run.counts.total === 0 ? 0 : ended / run.counts.total;
  return (
    <span className="run-progress figures">
      <span className="meter">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span>
        {ended}/{run.counts.total}
      </span>
    </span>
  );
}

export function Runs() {
  const lab = useLab();
  const [, navigate] = useLocation();
  const runs = useFeed(lab.runs, (rows) => rows);
  const [wanted, setWanted] = useKept('runs.words', '', anyText);
  const [cancelling, setCancelling] = useState<RunRow | null>(null);
  const [comparing, setComparing] = useState<RunRow | null>(null);
  const [importing, setImporting] = useState(false);
  const [exporting, setExporting] = useState<Exported | null>(null);
  const shown = useMemo(() => {
    const lower = wanted.trim().toLowerCase();
    const newestFirst = [...runs.list].reverse();
    if (lower === '') return newestFirst;
    return newestFirst.filter((run) =>
      [run.name, run.status, run.config.model ?? '', ...run.config.agents, ...run.config.tasks].join(' ').toLowerCase().includes(lower),
    );
  }, [runs.list, wanted]);
  useActions([
    {
      id: 'runs.new',
      title: 'Start a run',
      section: 'Runs',
      icon: PlusIcon,
      keys: ['n', 'g n'],
      words: 'new launch evaluate',
      run: () => navigate('/runs/new'),
    },
    {
      id: 'runs.import',
      title: 'Import rollouts…',
      section: 'Runs',
      icon: ImportIcon,
      words: 'harbor job atif trajectory recorded trials parquet jsonl',
      run: () => setImporting(true),
    },
    {
      id: 'list.filter',
      title: 'Filter the list',
      section: 'Lists',
      icon: SearchIcon,
      keys: ['/'],
      run: () => document.getElementById('runs-filter')?.focus(),
    },
  ]);
  return (
    <>
      <PageHead title="Runs">
        <ActionButton action="runs.import" />
        <ActionButton action="runs.new" kind="primary" />
      </PageHead>
      {runs.error && runs.list.length === 0 ? (
        <ErrorNotice error={runs.error} />
      ) : !runs.loaded ? (
        <Loading what="runs" />
      ) : runs.list.length === 0 ? (
        <NoRuns onImport={() => setImporting(true)} />
      ) : (
        <>
          <Toolbar label="Filter runs">
            <FilterInput id="runs-filter" value={wanted} onChange={setWanted} label="Filter by name, agent, status" />
            <span className="faint figures">
              {wanted === '' ? plural(runs.list.length, 'run') : `${shown.length} of ${runs.list.length}`}
            </span>
          </Toolbar>
          <Table
            label="Runs"
            rows={shown}
            columns={columns}
            onOpen={(run) => navigate(`/runs/${run.id}`)}
            menu={(run) =>
              runActions(run, {
                client: lab.client,
                navigate,
                askCancel: setCancelling,
                compare: setComparing,
                askExport: (one) => setExporting(ofRun(one)),
              })
            }
            empty={<Empty icon={SearchIcon} title="No run fits" words={`Nothing matches “${wanted}”.`} />}
          />
        </>
      )}
      <CancelDialog run={cancelling} onClose={() => setCancelling(null)} />
      <CompareDialog run={comparing} onClose={() => setComparing(null)} />
      <ImportRollouts open={importing} onClose={() => setImporting(false)} onShow={(runId) => navigate(`/runs/${runId}`)} />
      <ExportRollouts what={exporting} onClose={() => setExporting(null)} />
    </>
  );
}

function NoRuns({ onImport }: { onImport: () => void }) {
  const lab = useLab();
  const [, navigate] = useLocation();
  const sets = useFeed(lab.taskSets, (rows) => rows.list);
  const bundled = sets.find((set) => set.origin === 'bundled');
  return (
    <Empty
      icon={LabIcon}
      title="Nothing has been run yet"
      words={
        <>
          A run plays tasks with agents in real containers and grades what they leave behind. The demo plays the
          {bundled ? ` ${bundled.taskCount} ` : ' '}
          bundled tasks with an oracle, an agent that does nothing, and a scripted agent: no network, no key.
        </>
      }
    >
      <Button kind="primary" icon={PlayIcon} disabled={!bundled} onClick={() => void startDemo(lab.client, sets, navigate)}>
        Start the demo run
      </Button>
      <Button
        icon={PlusIcon}
        onClick={() => {
          newDraft();
          navigate('/runs/new');
        }}
      >
        Set up your own
      </Button>
      <Button icon={ImportIcon} onClick={onImport}>
        Import recorded ones
      </Button>
    </Empty>
  );
}
