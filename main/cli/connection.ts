// The CLI speaks the same contract as every other client: to the backend that owns the data folder where one runs, else to one that it
// starts in its own process.
import { pino } from 'pino';
import { type App, createApp } from '../app.ts';
import type { Paths } from '../config/paths.ts';
import type { Log } from '../lib/log.ts';
import { readLock } from '../store/lock.ts';
import { connect } from '../transport/connect.ts';
import { type LabClient, memoryClient } from '../transport/memory.ts';

export interface LabAccess extends AsyncDisposable {
  client: LabClient;
  /** The backend in this process; null where another process owns the folder. */
  app: App | null;
  /** URL of the other backend, null where this process is it. */
  url: string | null;
}

/** Where the log goes: standard error, at warnings unless TERMARIUM_LOG says otherwise. Standard output is for results. */
export function cliLog(): Log {
  return pino({ level: process.env.TERMARIUM_LOG ?? 'warn', base: null }, pino.destination({ dest: 2, sync: true }));
}

export async function openLab(paths: Paths, log: Log, options: { reap?: boolean } = {}): Promise<LabAccess> {
  const owner = readLock(paths.data);
  if (owner?.url && owner.token) {
    const connection = await connect(owner.url, owner.token);
    return { client: connection.client, app: null, url: owner.url, [Symbol.asyncDispose]: () => connection.close() };
  }
  const app = await createApp({ paths, log, ...options });
  return {
    client: memoryClient({ router: app.router, log }),
    app,
    url: null,
    [Symbol.asyncDispose]: () => app.close(),
  };
}
