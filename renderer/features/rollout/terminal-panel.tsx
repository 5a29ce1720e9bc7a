// The terminal of a rollout: watched while an agent plays, typed into while a person does, and its last screen afterwards.
import { useState } from 'react';
import { useStore } from 'zustand';
import type { RolloutDetail } from '../../data/lab.tsx';
import { useLab } from '../../data/lab.tsx';
import { Segmented } from '../../ui/fields.tsx';
import { TerminalIcon } from '../../ui/icons.ts';
import { Empty } from '../../ui/notice.tsx';
import { TerminalView } from '../../ui/terminal/terminal.tsx';
import { command } from '../../ui/toasts.tsx';
import { HumanBar } from './human-bar.tsx';
import { ReplayTerminal } from './replay-terminal.tsx';
import { Scrubber } from './scrubber.tsx';
import { createTypist } from './typist.ts';
import type { Recording } from './use-replay.ts';

interface TerminalPanelProps {
  detail: RolloutDetail;
  screen: { cols: number; rows: number } | undefined;
  recording: Recording;
  /** Turns in which something went wrong. */
  failed: ReadonlySet<number>;
}

export function TerminalPanel({ detail, screen, recording, failed }: TerminalPanelProps) {
  const { rollout } = detail;
  const replays = useStore(recording.replay.store, ({ at }) => at !== null);
  const { client } = useLab();
  const [fit, setFit] = useState<'width' | 'readable'>('readable');
  const plays = rollout.agent === 'human' && rollout.status === 'running';
  const [typist] = useState(() =>
    createTypist((data) => command('What you typed did not arrive', () => client.rollouts.type({ rolloutId: rollout.id, data }))),
  );
  if (rollout.status === 'queued')
    return <Empty icon={TerminalIcon} title="No terminal yet" words="It opens when the container has started." />;
  return (
    <>
      {plays ? (
        <HumanBar detail={detail} />
      ) : (
        <div className="terminal-bar">
          <Segmented
            label="Size of the terminal"
            value={fit}
            onChange={setFit}
            choices={[
              { value: 'readable', label: 'Readable', detail: 'Your own text size; scroll to see every column' },
              { value: 'width', label: 'Fit width', detail: 'Every column, as small as it takes' },
            ]}
          />
          <span className="faint figures">{screen && rollout.agent !== 'human' ? `${screen.cols} × ${screen.rows}` : ''}</span>
        </div>
      )}
      <div className="terminal-stack">
        <div data-front={!replays || undefined} data-behind={replays || undefined}>
          <TerminalView
            rolloutId={rollout.id}
            cols={screen?.cols ?? 160}
            rows={screen?.rows ?? 40}
            fit={fit}
            {...(plays
              ? {
                  onType: typist,
                  onResize: (cols: number, rows: number) =>
                    void command('The terminal could not be resized', () => client.rollouts.resize({ rolloutId: rollout.id, cols, rows })),
                }
              : {})}
          />
        </div>
        {replays && (
          <div data-front>
            <ReplayTerminal replay={recording.replay} fit={fit} />
          </div>
        )}
      </div>
      {!plays && recording.seconds > 0 && <Scrubber recording={recording} live={rollout.endedAt === null} failed={failed} />}
    </>
  );
}
