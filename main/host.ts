// Entry of the backend inside the desktop app: an Electron utilityProcess (or, in tests, a worker thread) that serves pages over ports.
import { renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort as workerPort } from 'node:worker_threads';
import { pino } from 'pino';
import { type App, createApp } from './app.ts';
import { resolvePaths } from './config/paths.ts';
import { AppError, assertNever, messageOf } from './lib/errors.ts';
import { makeFolder } from './lib/folder.ts';
import { closeMs, type FromHost, type ToHost } from './lib/host-messages.ts';
import type { Log } from './lib/log.ts';
import { type EmitterPort, type EventPort, servePort } from './transport/port.ts';
import { createRpc, type Rpc } from './transport/rpc.ts';

type Port = EmitterPort | EventPort;

/** The process that started this one. */
interface Parent {
  post(message: FromHost): void;
  onMessage(listener: (message: ToHost, ports: Port[]) => void): void;
}

/** What Electron puts on `process` in a utility process. */
interface UtilityParentPort {
  on(event: 'message', listener: (event: { data: ToHost; ports: Port[] }) => void): void;
  postMessage(message: FromHost): void;
}

/** Megabytes of a log file above which the next start begins a new one; the one before is kept. */
const LOG_MB = 20;

function main(): void {
  const parent = findParent();
  let log: Log = pino({ base: null }, pino.destination({ dest: 2, sync: true }));
  // A backend that no longer knows its own state must not go on; the shell starts another.
  const die = (error: unknown) => {
    log.error({ err: error }, 'the backend ends because of a bug');
    process.exit(1);
  };
  process.on('unhandledRejection', die);
  process.on('uncaughtException', die);

  /** Ports of pages that came before the lab was open; what they said waits inside them. */
  const waiting: Port[] = [];
  let rpc: Rpc | null = null;
  let failed = false;
  let app: App | null = null;

  const start = async (message: Extract<ToHost, { kind: 'start' }>) => {
    try {
      const paths = resolvePaths({ root: message.root, ...(message.data === undefined ? {} : { data: message.data }) });
      const logs = join(paths.data, 'logs');
      const logFile = join(logs, 'lab.log');
      parent.post({ kind: 'opening', data: paths.data, logs, logFile });
      log = fileLog(logs, logFile);
      app = await createApp({ paths, log });
      rpc = createRpc({ router: app.router, log });
      for (const port of waiting.splice(0)) servePort(rpc, port);
      parent.post({ kind: 'ready' });
    } catch (error) {
      log.error({ err: error }, 'the lab cannot be opened');
      failed = true;
      for (const port of waiting.splice(0)) port.close();
      const known = error instanceof AppError ? error : new AppError('internal', `The lab cannot be opened: ${messageOf(error)}`);
      parent.post({ kind: 'failed', error: known.toData() });
    }
  };

  const close = async () => {
    const tooLate = setTimeout(() => {
      log.error({}, `closing took longer than ${closeMs} ms; ending anyway`);
      process.exit(1);
    }, closeMs);
    await app?.close();
    clearTimeout(tooLate);
    parent.post({ kind: 'closed' });
    process.exit(0);
  };

  let started: Promise<void> | null = null;
  parent.onMessage((message, ports) => {
    switch (message.kind) {
      case 'start':
        started ??= start(message);
        break;
      case 'window':
        for (const port of ports) {
          if (failed) port.close();
          else if (rpc) servePort(rpc, port);
          else waiting.push(port);
        }
        break;
      case 'close':
        // What is still being opened is opened first: closing it half open would leave its lock behind.
        void (started ?? Promise.resolve()).then(close);
        break;
      default:
        assertNever(message);
    }
  });
}

function findParent(): Parent {
  const utility = (process as { parentPort?: UtilityParentPort }).parentPort; // Electron adds it; Node's types do not know it.
  if (utility) {
    return {
      post: (message) => utility.postMessage(message),
      onMessage: (listener) => utility.on('message', (event) => listener(event.data, event.ports)),
    };
  }
  if (workerPort) {
    const worker = workerPort;
    return {
      post: (message) => worker.postMessage(message),
      // Worker threads receive transferred ports inside the message.
      onMessage: (listener) => worker.on('message', (event: { data: ToHost; ports?: Port[] }) => listener(event.data, event.ports ?? [])),
    };
  }
  throw new Error('host.ts is started by the desktop app; use "termarium serve" to start a lab for a browser.');
}

/** Log of the backend; the one before it is kept as lab.old.log. */
function fileLog(folder: string, file: string): Log {
  try {
    makeFolder(folder);
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LOG_MB * 2 ** 20) renameSync(file, join(folder, 'lab.old.log'));
    return pino({ base: null }, pino.destination({ dest: file, sync: true }));
  } catch (error) {
    throw new AppError('data.read_only', `Cannot write the log ${file}: ${messageOf(error)}`, {
      hint: 'The data folder must be writable: set TERMARIUM_HOME to one that is.',
      cause: error,
    });
  }
}

main();
