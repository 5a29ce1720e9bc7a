// The line at the bottom: what the machine and the lab are doing, as facts that lead to where one can act on them.
import type { ConnectionState } from '../client/index.ts';
import { useFeed } from '../data/feed.ts';
import { useLab } from '../data/lab.tsx';
import { bytes, plural } from '../ui/format.ts';
import {
  BusyIcon,
  ConnectedIcon,
  ContainerIcon,
  DisconnectedIcon,
  DiskIcon,
  GaugeIcon,
  type Icon,
  MemoryIcon,
  PassIcon,
  WarnIcon,
} from '../ui/icons.ts';
import type { Tone } from '../ui/status.tsx';

/** Less than this much free disk is worth a colour, in bytes. */
const LITTLE_DISK = 5_000_000_000;

export function StatusBar({ state, onRetry }: { state: ConnectionState; onRetry: () => void }) {
  const lab = useLab();
  const status = useFeed(lab.status, (one) => one.value);
  const link = connectionWords(state);
  return (
    <footer className="status-bar figures">
      {status && (
        <>
          <a className="fact" href="#/doctor" data-tone={status.docker.ok ? undefined : 'bad'} title={status.docker.detail}>
            {status.docker.ok ? <PassIcon size={12} aria-hidden /> : <WarnIcon size={12} aria-hidden />}
            {status.docker.ok ? 'Docker' : 'Docker unreachable'}
          </a>
          <Fact icon={ContainerIcon} title="Containers of this lab">
            {plural(status.containers, 'container')}
          </Fact>
          <a className="fact" href="#/runs" title="Rollouts being played, and waiting">
            <BusyIcon size={12} className={status.running > 0 ? 'spin' : undefined} aria-hidden />
            {status.running} running · {status.queued} queued
          </a>
          <span className="grow" />
          {status.gpus.map((gpu, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: GPUs are numbered.
            <Fact key={index} icon={GaugeIcon} title={`${gpu.name}: ${gpu.usedMb} of ${gpu.memoryMb} MB, ${gpu.utilization} % busy`}>
              GPU {index}: {gpu.utilization} %
            </Fact>
          ))}
          <Fact icon={MemoryIcon} title="Memory that the lab itself uses">
            {bytes(status.memoryBytes)}
          </Fact>
          <Fact
            icon={DiskIcon}
            title={`Free where the lab keeps its data: ${status.dataFolder}`}
            tone={status.diskFreeBytes < LITTLE_DISK ? 'warn' : undefined}
          >
            {bytes(status.diskFreeBytes)} free
          </Fact>
          <span className="fact faint">{status.version}</span>
        </>
      )}
      {!status && <span className="grow" />}
      <button type="button" className="fact" data-tone={link.tone} onClick={onRetry} title={link.detail} data-testid="connection">
        {link.tone === undefined ? <ConnectedIcon size={12} aria-hidden /> : <DisconnectedIcon size={12} aria-hidden />}
        {link.word}
      </button>
    </footer>
  );
}

function Fact({ icon: Icon, title, tone, children }: { icon: Icon; title: string; tone?: Tone | undefined; children: React.ReactNode }) {
  return (
    <span className="fact" title={title} data-tone={tone}>
      <Icon size={12} aria-hidden />
      {children}
    </span>
  );
}

function connectionWords(state: ConnectionState): { word: string; detail: string; tone?: Tone } {
  switch (state.kind) {
    case 'connecting':
      return { word: 'Connecting', detail: 'Looking for the lab.', tone: 'calm' };
    case 'connected':
      return { word: 'Connected', detail: `Termarium ${state.peer.version} on ${state.peer.platform}` };
    case 'degraded':
      return { word: 'Slow', detail: 'The lab is slow to answer.', tone: 'warn' };
    case 'reconnecting':
      return { word: 'Reconnecting', detail: `${state.reason} Try ${state.attempt}. Click to try now.`, tone: 'warn' };
    case 'unauthorized':
      return { word: 'Not signed in', detail: 'A new link from the lab is needed.', tone: 'bad' };
    case 'failed':
      return { word: 'Failed', detail: state.error.message, tone: 'bad' };
  }
}
