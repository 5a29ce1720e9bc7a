// The backend's process: started, given the pages' ports, started again when it dies, and asked to end in order.
import { type IpcMainEvent, ipcMain, type MessagePortMain, type UtilityProcess, utilityProcess } from 'electron';
import { assertNever } from '../main/lib/errors.ts';
import { closeMs, type FromHost, type ToHost } from '../main/lib/host-messages.ts';
import type { Log } from '../main/lib/log.ts';
import { isAppUrl } from './permissions.ts';
import type { Failure } from './protocol.ts';

export interface BackendOptions {
  /** dist/main/host.js. */
  host: string;
  start: Extract<ToHost, { kind: 'start' }>;
  log: Log;
  /** Called when the backend gives up, with `failure()` set. */
  onFailed: () => void;
}

export interface Backend {
  /** Why there is no backend, where it gave up. */
  failure(): Failure | null;
  /** Folders of the data and of the logs, once the backend has said so. */
  folders(): { data: string; logs: string } | null;
  /** Hands a page's port over. */
  connect(port: MessagePortMain): void;
  /** Starts again after giving up; does nothing where the backend has not. */
  retry(): void;
  /** Asks for an orderly end, and insists after ten seconds. */
  close(): Promise<void>;
}

/** Deaths within this many ms that are one too many. */
const windowMs = 60_000;
const deathsAllowed = 3;

/** Starts the backend in a utilityProcess: a Node child that works with the `runAsNode` fuse off and cannot freeze the windows. */
export function startBackend(options: BackendOptions): Backend {
  const { host, start, log, onFailed } = options;
  let child: UtilityProcess | null = null;
  let failure: Failure | null = null;
  let places: Extract<FromHost, { kind: 'opening' }> | null = null;
  let closing = false;
  let deaths: number[] = [];
  let restart: NodeJS.Timeout | undefined;
  /** Ports that came while no process was there to take them. */
  const waiting: MessagePortMain[] = [];

  const giveUp = (told: Failure) => {
    failure = told;
    for (const port of waiting.splice(0)) port.close();
    onFailed();
  };

  const spawn = () => {
    restart = undefined;
    const started = utilityProcess.fork(host, [], { serviceName: 'Termarium lab', stdio: 'pipe' });
    child = started;
    // Only what is written before the backend has its own log arrives here, and what Node says as it dies.
    for (const stream of [started.stdout, started.stderr]) {
      stream?.on('data', (chunk: Buffer) => log.warn({ text: chunk.toString().slice(0, 10_000) }, 'the backend wrote'));
    }
    started.on('message', (message: FromHost) => heard(started, message));
    started.once('exit', (code) => {
      child = null;
      if (!closing && !failure) died(code);
    });
    say(started, start);
    for (const port of waiting.splice(0)) say(started, { kind: 'window' }, [port]);
  };

  const heard = (from: UtilityProcess, message: FromHost) => {
    switch (message.kind) {
      case 'opening':
        places = message;
        break;
      case 'failed':
        log.error({ error: message.error }, 'the backend cannot open the lab');
        giveUp({ title: 'The lab cannot be opened', text: message.error.message, hint: message.error.hint ?? whereToLook() });
        say(from, { kind: 'close' });
        break;
      case 'ready':
      case 'closed':
        break;
      default:
        assertNever(message);
    }
  };

  const died = (code: number) => {
    log.error({ code }, 'the backend ended unexpectedly');
    const now = Date.now();
    deaths = [...deaths.filter((at) => now - at < windowMs), now];
    if (deaths.length <= deathsAllowed) {
      restart = setTimeout(spawn, 500 * 2 ** (deaths.length - 1));
      return;
    }
    giveUp({
      title: 'The lab keeps stopping',
      text: `Its backend ended ${deaths.length} times within a minute, last with exit code ${code}. What was stored is kept.`,
      hint: whereToLook(),
    });
  };

  const whereToLook = () => (places ? `The reason is at the end of ${places.logFile}.` : 'The reason is in desktop.log of the log folder.');

  spawn();
  return {
    failure: () => failure,
    folders: () => places && { data: places.data, logs: places.logs },
    connect(port) {
      if (closing || failure) port.close();
      else if (child) say(child, { kind: 'window' }, [port]);
      else waiting.push(port);
    },
    retry() {
      if (!failure || closing) return;
      failure = null;
      deaths = [];
      // The one that gave up may still be ending; it holds the data folder until it has, and its exit starts the next.
      if (child === null) spawn();
    },
    async close() {
      closing = true;
      clearTimeout(restart);
      const last = child;
      if (!last) return;
      await new Promise<void>((resolve) => {
        const insist = setTimeout(() => {
          log.error({}, 'the backend did not end in time and is killed');
          last.kill();
        }, closeMs + 500);
        last.once('exit', () => {
          clearTimeout(insist);
          resolve();
        });
        say(last, { kind: 'close' });
      });
    },
  };
}

/** Takes the ports that pages send, from the main frame of our own page only. */
export function acceptPages(backend: Backend, log: Log): void {
  ipcMain.on('termarium:connect', (event) => {
    const [port] = event.ports;
    if (!port) return;
    if (isOwnPage(event)) backend.connect(port);
    else {
      log.warn({ url: event.senderFrame?.url }, 'refused a port from a foreign frame');
      port.close();
    }
  });
}

function isOwnPage({ senderFrame }: IpcMainEvent): boolean {
  // A frame that has navigated away in the meantime is null.
  return senderFrame !== null && senderFrame.parent === null && isAppUrl(senderFrame.url);
}

function say(child: UtilityProcess, message: ToHost, ports: MessagePortMain[] = []): void {
  child.postMessage(message, ports);
}
