// Imports that run now or ended lately, for whoever watches them: a window, a second window, the command line.
import { uuidv7 } from 'uuidv7';
import type { ImportReport } from '../contract/schema/exchange.ts';
import { isAbort } from '../lib/abort.ts';
import { AppError, messageOf } from '../lib/errors.ts';
import { type ImportInto, importPath } from './import.ts';

export interface ImportState {
  state: 'running' | 'finished' | 'failed' | 'cancelled';
  report: ImportReport;
  /** Why it failed as a whole, and what to do. */
  error: string | null;
  hint: string | null;
  /** Grows with every record. */
  cursor: number;
}

/** Ended imports whose reports are kept. */
const KEPT = 16;

interface Job {
  now: ImportState;
  controller: AbortController;
  wakes: Set<() => void>;
  settled: Promise<void>;
}

export class ImportJobs implements AsyncDisposable {
  readonly #into: ImportInto;
  readonly #jobs = new Map<string, Job>();

  constructor(into: ImportInto) {
    this.#into = into;
  }

  /** Begins an import; answers its id. */
  start(path: string, name?: string): string {
    const id = uuidv7();
    const report = { progress: { records: 0, bytes: 0, imported: 0, known: 0, rejected: 0, passedOver: 0 }, runs: [], issues: [] };
    const job: Job = {
      now: { state: 'running', report, error: null, hint: null, cursor: 0 },
      controller: new AbortController(),
      wakes: new Set(),
      settled: Promise.resolve(),
    };
    job.settled = this.#run(job, path, name);
    this.#jobs.set(id, job);
    const ended = [...this.#jobs].filter(([, { now }]) => now.state !== 'running');
    for (const [oldest] of ended.slice(0, Math.max(0, ended.length - KEPT))) this.#jobs.delete(oldest);
    return id;
  }

  /** The state of an import, at once where it got on since `after` or has ended, else when it does, at the latest after `maxMs`. */
  async read(id: string, after: number | undefined, maxMs: number, signal: AbortSignal): Promise<ImportState> {
    const job = this.#require(id);
    if (after !== undefined && job.now.state === 'running' && job.now.cursor <= after) {
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', abort);
          job.wakes.delete(wake);
        };
        const wake = () => {
          leave();
          resolve();
        };
        const abort = () => {
          leave();
          reject(signal.reason);
        };
        const timer = setTimeout(wake, maxMs);
        job.wakes.add(wake);
        signal.addEventListener('abort', abort, { once: true });
        if (signal.aborted) abort();
      });
    }
    return job.now;
  }

  /** Ends an import after the record in hand. */
  async cancel(id: string): Promise<void> {
    const job = this.#require(id);
    job.controller.abort();
    await job.settled;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { controller } of this.#jobs.values()) controller.abort();
    await Promise.all([...this.#jobs.values()].map(({ settled }) => settled));
  }

  async #run(job: Job, path: string, name: string | undefined): Promise<void> {
    const tell = (change: Partial<ImportState>) => {
      job.now = { ...job.now, ...change, cursor: job.now.cursor + 1 };
      for (const wake of job.wakes) wake();
    };
    const { signal } = job.controller;
    try {
      // The report that grows is not handed out: an answer must not change while it is written.
      const onProgress = (report: ImportReport) => tell({ report: copy(report) });
      const report = await importPath(path, this.#into, { name, onProgress, signal });
      tell({ state: 'finished', report });
    } catch (error) {
      if (isAbort(error)) tell({ state: 'cancelled' });
      else tell({ state: 'failed', error: messageOf(error), hint: (error instanceof AppError ? error.hint : undefined) ?? null });
    }
  }

  #require(id: string): Job {
    const job = this.#jobs.get(id);
    if (job) return job;
    throw new AppError('request.not_found', 'there is no such import', {
      hint: 'Reports of imports are kept until the lab ends; start the import again, nothing is imported twice.',
    });
  }
}

function copy(report: ImportReport): ImportReport {
  return { progress: { ...report.progress }, runs: report.runs.map((run) => ({ ...run })), issues: report.issues.slice() };
}
