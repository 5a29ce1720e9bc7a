// The rollouts of a run as a table: any number of them, filtered by words and by how they stand.
import { useDeferredValue, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { RolloutRow } from '../../../main/contract/schema/rollout.ts';
import { useActions } from '../../ui/actions.ts';
import { FilterInput, Select } from '../../ui/fields.tsx';
import { count, plural, reward } from '../../ui/format.ts';
import { ExportIcon, SearchIcon, TerminalIcon } from '../../ui/icons.ts';
import { anyText, useKept } from '../../ui/kept.ts';
import { Empty, Loading } from '../../ui/notice.tsx';
import { Toolbar } from '../../ui/page.tsx';
import { rolloutSign, StatusSign } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Took } from '../../ui/time.tsx';
import { type Exported, ExportRollouts } from '../exchange/export-rollouts.tsx';
import { filterRollouts, type Standing } from './rollout-filter.ts';

const columns: readonly Column<RolloutRow>[] = [
  {
    id: 'state',
    title: 'State',
    width: '138px',
    cell: (row) => <StatusSign sign={rolloutSign(row)} />,
    by: (row) => rolloutSign(row).word,
  },
  {
    id: 'task',
    title: 'Task',
    width: 'minmax(160px, 2fr)',
    cell: (row) => <span className="cut">{row.taskName}</span>,
    by: (row) => row.taskName,
  },
  {
    id: 'agent',
    title: 'Agent',
    width: 'minmax(80px, 110px)',
    cell: (row) => <span className="cut">{row.agent}</span>,
    by: (row) => row.agent,
  },
  {
    id: 'model',
    title: 'Model',
    width: 'minmax(80px, 1fr)',
    from: 900,
    cell: (row) => <span className="cut">{row.model ?? <span className="faint">none</span>}</span>,
    by: (row) => row.model,
  },
  { id: 'attempt', title: 'Attempt', width: '82px', align: 'end', cell: (row) => row.attempt + 1, by: (row) => row.attempt },
  { id: 'reward', title: 'Reward', width: '84px', align: 'end', cell: (row) => reward(row.reward), by: (row) => row.reward },
  { id: 'turns', title: 'Turns', width: '74px', align: 'end', cell: (row) => row.turns, by: (row) => row.turns },
  {
    id: 'tokens',
    title: 'Tokens out',
    width: '100px',
    align: 'end',
    from: 860,
    cell: (row) => count(row.completionTokens),
    by: (row) => row.completionTokens,
  },
  {
    id: 'time',
    title: 'Time',
    width: '88px',
    align: 'end',
    cell: (row) => <Took from={row.startedAt} to={row.endedAt} />,
    by: (row) => (row.startedAt === null ? null : (row.endedAt ?? Date.now()) - row.startedAt),
  },
];

const standings: readonly { value: Standing; label: string }[] = [
  { value: 'any', label: 'Any state' },
  { value: 'active', label: 'Playing' },
  { value: 'queued', label: 'Queued' },
  { value: 'solved', label: 'Solved' },
  { value: 'failed', label: 'Not solved' },
  { value: 'excluded', label: 'Excluded' },
];

export function RolloutTable({ runId, rollouts, loaded }: { runId: string; rollouts: readonly RolloutRow[]; loaded: boolean }) {
  const [, navigate] = useLocation();
  const [typed, setTyped] = useKept(`${runId}.words`, '', anyText);
  const [standing, setStanding] = useKept<Standing>(
    `${runId}.standing`,
    'any',
    (kept) => standings.find(({ value }) => value === kept)?.value ?? null,
  );
  const words = useDeferredValue(typed);
  const [exporting, setExporting] = useState<Exported | null>(null);
  const shown = useMemo(() => filterRollouts(rollouts, { words, standing }), [rollouts, words, standing]);
  useActions([
    {
      id: 'list.filter',
      title: 'Filter the list',
      section: 'Lists',
      icon: SearchIcon,
      keys: ['/'],
      run: () => document.getElementById('rollouts-filter')?.focus(),
    },
    {
      id: 'list.export',
      title: 'Export the rollouts that are shown…',
      section: 'Lists',
      icon: ExportIcon,
      words: 'save write harbor atif messages sharegpt',
      run: () =>
        shown.length > 0 &&
        setExporting({
          of: { rolloutIds: shown.map(({ id }) => id) },
          title: `The ${plural(shown.length, 'rollout')} that the filter leaves.`,
        }),
    },
  ]);
  if (!loaded) return <Loading what="rollouts" />;
  if (rollouts.length === 0) return <Empty icon={TerminalIcon} title="No rollouts" words="This run has nothing to play." />;
  return (
    <>
      <Toolbar label="Filter rollouts">
        <FilterInput id="rollouts-filter" value={typed} onChange={setTyped} label="Filter by task, agent, state" />
        <span style={{ width: 140 }}>
          <Select<Standing> label="State" value={standing} onChange={setStanding} choices={standings} />
        </span>
        <span className="faint figures">
          {shown.length === rollouts.length ? plural(rollouts.length, 'rollout') : `${count(shown.length)} of ${count(rollouts.length)}`}
        </span>
      </Toolbar>
      <Table
        label="Rollouts"
        rows={shown}
        columns={columns}
        onOpen={(row) => navigate(`/rollouts/${row.id}`)}
        empty={<Empty icon={SearchIcon} title="No rollout fits" words="Change the filter to see others." />}
      />
      <ExportRollouts what={exporting} onClose={() => setExporting(null)} />
    </>
  );
}
