// What can be done with a run, wherever it is shown: the head of its page, and the menu of its row in the list.
import type { RunRow } from '../../../main/contract/schema/run.ts';
import type { LabClient } from '../../client/index.ts';
import type { Action } from '../../ui/actions.ts';
import { BanIcon, CompareIcon, ExportIcon, PauseIcon, PlayIcon, RetryIcon } from '../../ui/icons.ts';
import { command } from '../../ui/toasts.tsx';
import { exportRollouts } from './export.ts';
import { newDraft } from './launch-draft.ts';
import { canResume, isLive } from './progress.ts';

export interface RunDoing {
  client: LabClient;
  navigate: (path: string) => void;
  /** Asks before the run is cancelled. */
  askCancel: (run: RunRow) => void;
  /** Shows the run's configuration beside another's. */
  compare: (run: RunRow) => void;
  /** Asks in which format its rollouts are written, and where to. */
  askExport: (run: RunRow) => void;
}

/** The actions that this run can take now, the usual one first. */
export function runActions(run: RunRow, { client, navigate, askCancel, compare, askExport }: RunDoing): Action[] {
  const section = 'Run';
  const runId = run.id;
  const actions: Action[] = [];
  if (run.status === 'running')
    actions.push({
      id: 'run.pause',
      title: 'Pause the run',
      section,
      icon: PauseIcon,
      keys: ['p'],
      run: () => void command('The run could not be paused', () => client.runs.pause({ runId })),
    });
  if (canResume(run))
    actions.push({
      id: 'run.resume',
      title: run.status === 'paused' ? 'Resume the run' : 'Play what is left',
      section,
      icon: PlayIcon,
      keys: ['p'],
      run: () => void command('The run could not be resumed', () => client.runs.resume({ runId })),
    });
  if (isLive(run)) actions.push({ id: 'run.cancel', title: 'Cancel the run', section, icon: BanIcon, run: () => askCancel(run) });
  actions.push(
    {
      id: 'run.again',
      title: 'Run again with changes',
      section,
      icon: RetryIcon,
      words: 'repeat copy duplicate',
      run: () => {
        newDraft(run.config);
        navigate('/runs/new');
      },
    },
    {
      id: 'run.compare',
      title: 'Compare its configuration',
      section,
      icon: CompareIcon,
      words: 'diff difference',
      run: () => compare(run),
    },
    {
      id: 'run.export',
      title: 'Export the run…',
      section,
      icon: ExportIcon,
      words: 'save write harbor atif messages sharegpt asciicast trajectory',
      run: () => askExport(run),
    },
    {
      id: 'run.csv',
      title: 'Download its table as CSV',
      section,
      icon: ExportIcon,
      words: 'export rollouts save spreadsheet',
      run: () => void exportRollouts(client, run, 'csv'),
    },
    {
      id: 'run.jsonl',
      title: 'Download its table as JSON lines',
      section,
      icon: ExportIcon,
      words: 'export rollouts save',
      run: () => void exportRollouts(client, run, 'jsonl'),
    },
  );
  return actions;
}
