// The track of a recording: where one is in it, where turns begin, and how fast it plays.
import { type KeyboardEvent, type PointerEvent, useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import { type Action, useActions } from '../../ui/actions.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Select } from '../../ui/fields.tsx';
import { clock } from '../../ui/format.ts';
import { DownIcon, PauseIcon, PlayIcon, SkipIcon } from '../../ui/icons.ts';
import { turnAt } from './cast.ts';
import { speeds } from './replay.ts';
import type { Recording } from './use-replay.ts';
import './scrubber.css';

/** Seconds that an arrow key moves; with Shift ten times as many. */
const STEP = 1;

export function Scrubber({ recording, live, failed }: { recording: Recording; live: boolean; failed: ReadonlySet<number> }) {
  const { replay } = recording;
  const { at, playing, speed, trim, seconds, problem } = useStore(replay.store);
  const shown = at ?? seconds;
  const toggle = () => (playing ? replay.pause() : replay.play());
  const faster = (by: number) => {
    const place = speeds.findIndex((each) => each >= speed) + by;
    const next = speeds[Math.max(0, Math.min(speeds.length - 1, place))];
    if (next !== undefined) replay.setSpeed(next);
  };
  const actions: Action[] = [
    {
      id: 'replay.toggle',
      title: playing ? 'Pause the recording' : 'Play the recording',
      section: 'Recording',
      icon: playing ? PauseIcon : PlayIcon,
      keys: ['p'],
      words: 'scrub replay',
      run: toggle,
    },
    { id: 'replay.faster', title: 'Play faster', section: 'Recording', keys: ['>'], run: () => faster(1) },
    { id: 'replay.slower', title: 'Play slower', section: 'Recording', keys: ['<'], run: () => faster(-1) },
    {
      id: 'replay.trim',
      title: trim ? 'Keep pauses while playing' : 'Skip pauses while playing',
      section: 'Recording',
      icon: SkipIcon,
      run: () => replay.setTrim(!trim),
    },
  ];
  if (at !== null)
    actions.push({
      id: 'replay.leave',
      title: live ? 'Back to the live terminal' : 'Back to the final screen',
      section: 'Recording',
      icon: DownIcon,
      keys: ['e'],
      run: () => replay.leave(),
    });
  useActions(actions);
  return (
    <div className="scrubber" role="toolbar" aria-label="Recording">
      <IconButton
        icon={playing ? PauseIcon : PlayIcon}
        label={playing ? 'Pause the recording' : 'Play the recording'}
        keys="p"
        onClick={toggle}
      />
      <span className="scrubber-time figures">{clock(shown * 1000)}</span>
      <Track recording={recording} at={shown} seconds={seconds} failed={failed} onToggle={toggle} />
      <span className="scrubber-time figures faint">{clock(seconds * 1000)}</span>
      <span className="scrubber-speed">
        <Select
          label="Speed"
          value={String(speed)}
          onChange={(next) => replay.setSpeed(Number(next))}
          choices={speeds.map((each) => ({ value: String(each), label: `${each}×` }))}
        />
      </span>
      <IconButton icon={SkipIcon} label="Skip pauses" pressed={trim} onClick={() => replay.setTrim(!trim)} />
      <Button
        kind="ghost"
        className="scrubber-end"
        aria-pressed={at === null}
        title={live ? 'Show the terminal as it is now (E)' : 'Show the final screen (E)'}
        onClick={() => replay.leave()}
      >
        {live ? 'Live' : 'End'}
      </Button>
      {problem !== null && (
        <span className="sign" data-tone="bad" role="status">
          The recording could not be read.
        </span>
      )}
    </div>
  );
}

interface TrackProps {
  recording: Recording;
  at: number;
  seconds: number;
  /** Turns whose marks stand out: something went wrong in them. */
  failed: ReadonlySet<number>;
  onToggle: () => void;
}

function Track({ recording: { replay, turns }, at, seconds, failed, onToggle }: TrackProps) {
  const bar = useRef<HTMLDivElement>(null);
  const share = seconds === 0 ? 0 : Math.min(1, at / seconds);
  const turn = turnAt(turns, at);
  const place = (event: PointerEvent) => {
    const box = bar.current?.getBoundingClientRect();
    if (box && box.width > 0) replay.seek(((event.clientX - box.left) / box.width) * seconds);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = targetOf(event.key, event.shiftKey, at, seconds, turns);
    if (target === null && event.key !== ' ') return;
    event.preventDefault();
    if (target === null) onToggle();
    else replay.seek(target);
  };
  return (
    <div
      ref={bar}
      className="track"
      role="slider"
      tabIndex={0}
      aria-label="Moment of the recording"
      aria-valuemin={0}
      aria-valuemax={Math.round(seconds)}
      aria-valuenow={Math.round(at)}
      aria-valuetext={`${clock(at * 1000)} of ${clock(seconds * 1000)}, turn ${turn + 1}`}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        place(event);
      }}
      onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && place(event)}
    >
      <span className="track-rail" />
      <span className="track-done" style={{ width: `${share * 100}%` }} />
      <Marks turns={turns} seconds={seconds} failed={failed} />
      <span className="track-thumb" style={{ left: `${share * 100}%` }} />
    </div>
  );
}

/** Where a key moves the moment to; null for keys that do not move it. */
function targetOf(key: string, far: boolean, at: number, seconds: number, turns: Recording['turns']): number | null {
  const step = far ? STEP * 10 : STEP;
  switch (key) {
    case 'ArrowRight':
    case 'ArrowUp':
      return at + step;
    case 'ArrowLeft':
    case 'ArrowDown':
      return at - step;
    case 'PageDown':
      return turns.find(({ time }) => time > at + 0.001)?.time ?? seconds;
    case 'PageUp':
      return turns.findLast(({ time }) => time < at - 0.001)?.time ?? 0;
    case 'Home':
      return 0;
    case 'End':
      return seconds;
    default:
      return null;
  }
}

/** A line at the beginning of each turn. Two paths, however many turns there are. */
function Marks({ turns, seconds, failed }: { turns: Recording['turns']; seconds: number; failed: ReadonlySet<number> }) {
  const [plain, wrong] = useMemo(() => {
    const path = (wanted: boolean) =>
      turns
        .filter(({ turn }) => failed.has(turn) === wanted)
        .map(({ time }) => `M${((time / seconds) * 1000).toFixed(2)} 0V10`)
        .join('');
    return [path(false), path(true)];
  }, [turns, seconds, failed]);
  return (
    <svg className="track-marks" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden>
      <path d={plain} />
      <path d={wrong} className="track-wrong" />
    </svg>
  );
}
