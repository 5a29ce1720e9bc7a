// The live wall: the terminals of the rollouts that are playing now, each in its place until another needs it.
import { type CSSProperties, useMemo, useRef, useState } from 'react';
import type { RolloutRow } from '../../../main/contract/schema/rollout.ts';
import type { RunRow } from '../../../main/contract/schema/run.ts';
import { IconButton } from '../../ui/button.tsx';
import { ChevronDownIcon, ChevronRightIcon } from '../../ui/icons.ts';
import { PanelBoundary } from '../../ui/notice.tsx';
import { rolloutSign, StatusSign } from '../../ui/status.tsx';
import { TerminalThumbnail } from '../../ui/terminal/terminal.tsx';
import { Took } from '../../ui/time.tsx';
import { assignPlaces } from './progress.ts';

/** Terminals on the wall at most. */
const MOST = 12;

export function TerminalWall({ run, active, rollouts }: { run: RunRow; active: readonly RolloutRow[]; rollouts: readonly RolloutRow[] }) {
  const [open, setOpen] = useState(true);
  const places = useRef<string[]>([]);
  const size = Math.min(MOST, Math.max(run.config.concurrency, 1));
  places.current = assignPlaces(
    places.current,
    active.map((rollout) => rollout.id),
    size,
  );
  const byId = useMemo(() => new Map(rollouts.map((rollout) => [rollout.id, rollout])), [rollouts]);
  const shown = places.current.flatMap((id) => byId.get(id) ?? []);
  return (
    <section className="wall-section" aria-label="Live terminals">
      <header className="wall-head">
        <IconButton
          icon={open ? ChevronDownIcon : ChevronRightIcon}
          label={open ? 'Hide the terminals' : 'Show the terminals'}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        />
        <h2 className="rate-title">Live terminals</h2>
        <span className="faint figures">
          {active.length} playing{active.length > MOST && `, ${MOST} shown`}
        </span>
      </header>
      {open && (
        <div className="wall" data-testid="wall" style={columns(size)}>
          {shown.map((rollout) => (
            <PanelBoundary key={rollout.id} name={rollout.taskName}>
              <WallTile rollout={rollout} screen={run.config.screen} />
            </PanelBoundary>
          ))}
          {shown.length === 0 && (
            <p className="wall-none faint">
              {run.status === 'paused' ? 'Paused. Nothing is playing.' : 'The first containers are starting.'}
            </p>
          )}
        </div>
      )}
    </section>
  );
}

/** Four to a row, more where there are many: a wall is seen at once or it is no wall. */
function columns(size: number): CSSProperties {
  return { '--columns': size > 8 ? 6 : 4 } as CSSProperties; // React's type knows no custom properties
}

function WallTile({ rollout, screen }: { rollout: RolloutRow; screen: { cols: number; rows: number } }) {
  return (
    <a
      className="tile"
      href={`#/rollouts/${rollout.id}`}
      aria-label={`${rollout.taskName}, ${rollout.agent}, attempt ${rollout.attempt + 1}`}
      data-ended={rollout.endedAt !== null || undefined}
    >
      <span className="tile-screen">
        <TerminalThumbnail rolloutId={rollout.id} cols={screen.cols} rows={screen.rows} />
      </span>
      <span className="tile-foot">
        <StatusSign sign={rolloutSign(rollout)} compact />
        <span className="cut grow tile-name">{rollout.taskName}</span>
        <span className="faint">{rollout.agent}</span>
        <span className="faint figures">
          <Took from={rollout.startedAt} to={rollout.endedAt} />
        </span>
      </span>
    </a>
  );
}
