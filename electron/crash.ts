// What is left behind when something dies: local crash dumps (nothing is uploaded) and a line in the desktop log.
import { app, crashReporter } from 'electron';
import { pino } from 'pino';
import type { Log } from '../main/lib/log.ts';

/** Must run before anything else can crash. */
export function keepCrashDumps(): void {
  crashReporter.start({ uploadToServer: false });
}

/** Log of the desktop shell. The backend keeps its own in the data folder. */
export function desktopLog(file: string): Log {
  return pino({ base: null }, pino.destination({ dest: file, mkdir: true, sync: true }));
}

/** A page that crashes again within this many ms is left alone: loading it once more would only repeat it. */
const crashLoopMs = 10_000;

/** Notes every process of the app that ends unexpectedly, and has a page that crashed loaded again. */
export function logCrashes(log: Log, reloadPages: () => void): void {
  let last = Number.NEGATIVE_INFINITY;
  app.on('render-process-gone', (_event, _contents, details) => {
    log.error({ reason: details.reason, exitCode: details.exitCode }, 'the page crashed');
    if (details.reason === 'clean-exit' || details.reason === 'killed') return;
    if (Date.now() - last > crashLoopMs) reloadPages();
    last = Date.now();
  });
  app.on('child-process-gone', (_event, details) => {
    if (details.reason !== 'clean-exit') log.error({ ...details }, 'a process of the app ended unexpectedly');
  });
}
