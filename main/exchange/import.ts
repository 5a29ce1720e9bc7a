// Imports what lies at a path, record after record. A broken record is reported and left out, one that is already there is passed over; so
// an import can be ended, killed and started again at any time.
import { closeSync, constants, copyFileSync, mkdirSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { uuidv7 } from 'uuidv7';
import type { ImportReport, RunOrigin } from '../contract/schema/exchange.ts';
import type { ConfigIssue, TaskRow } from '../contract/schema/task.ts';
import { AppError } from '../lib/errors.ts';
import { allTasks, shortName } from '../rollout/select.ts';
import type { NewImport } from '../store/imports.ts';
import type { Store } from '../store/store.ts';
import { discover } from './discover.ts';
import { objectOf, textOf } from './json.ts';
import { type ImportRecord, issueOf } from './record.ts';
import { recordsOf } from './records.ts';
import type { Trial } from './trial.ts';

export interface ImportInto {
  store: Store;
  /** Folder of the terminal recordings. */
  recordings: string;
}

export interface ImportOptions {
  /** Name for the run, where the path holds one; left out, the name of its folder or file. */
  name?: string | undefined;
  /** Told after every record; the report is the one that grows. */
  onProgress?: (report: ImportReport) => void;
  signal: AbortSignal;
}

/** Issues that a report holds; a folder of broken files is told by its first thousand. */
const MOST_ISSUES = 1000;
/** The backend answers others in between, at least this often (ms). */
const MOST_BUSY_MS = 20;
/**
 * Records that share a transaction. Each transaction costs a commit and a piece of the text index however small it is; a large one keeps the
 * backend from answering. A killed import loses the records of one batch, and reads them again when it is started again.
 */
const BATCH_RECORDS = 32;
const BATCH_BYTES = 1024 * 1024;

/**
 * Imports everything at and below `path`. Rejects with `request.not_found` where there is nothing, with `request.invalid` where nothing of
 * it is of a kind the lab reads, with the signal's reason when aborted, and with `data.*` where the store cannot be written.
 */
export async function importPath(path: string, into: ImportInto, options: ImportOptions): Promise<ImportReport> {
  const { signal, onProgress = () => {} } = options;
  const report: ImportReport = {
    progress: { records: 0, bytes: 0, imported: 0, known: 0, rejected: 0, passedOver: 0 },
    runs: [],
    issues: [],
  };
  const importer = importerOf(into, report, options.name);
  let breath = performance.now();
  for (const source of discover(path)) {
    for await (const found of recordsOf(source)) {
      if (signal.aborted) importer.flush();
      signal.throwIfAborted();
      switch (found.kind) {
        case 'issue':
          complain(report, found.issue);
          report.progress.bytes += found.bytes;
          break;
        case 'other':
          report.progress.passedOver += 1;
          break;
        case 'record':
          importer.take(found);
      }
      onProgress(report);
      if (performance.now() - breath > MOST_BUSY_MS) {
        await nextTick();
        breath = performance.now();
      }
    }
  }
  importer.flush();
  onProgress(report);
  if (report.progress.records === 0 && report.issues.length === 0) {
    throw new AppError('request.invalid', `${path} holds nothing that can be imported`, {
      hint: 'Harbor jobs and trials, ATIF and chat trajectories, Terminal-Bench results, Endless summaries, and tables of rollouts can be.',
    });
  }
  return report;
}

interface Importer {
  /** Reads a record; it is stored with others of its batch. */
  take(record: ImportRecord): void;
  /** Stores what was read. Throws `data.*`, and then nothing of the batch is there. */
  flush(): void;
}

function importerOf({ store, recordings }: ImportInto, report: ImportReport, name: string | undefined): Importer {
  const { progress } = report;
  const runs = runsOf(store, report, name);
  const tasks = tasksByName(allTasks(store));
  let batch: NewImport[] = [];
  let bytes = 0;
  let casts: string[] = [];
  const castFolder = once(() => mkdirSync(recordings, { recursive: true }));

  const takeCast = (from: string, id: string) => {
    castFolder();
    const path = join(recordings, `${id}.cast`);
    if (copyCast(from, path)) casts.push(path);
    else complain(report, { level: 'warning', message: 'is no asciicast v2 recording and was left out', file: from });
  };

  const flush = () => {
    if (batch.length === 0) return;
    const [records, copied] = [batch, casts];
    [batch, casts, bytes] = [[], [], 0];
    try {
      store.imports.add(records);
    } catch (error) {
      for (const path of copied) rmSync(path, { force: true });
      throw error;
    }
    progress.imported += records.length;
    for (const { rollout } of records) runs.added(rollout.runId);
  };

  return {
    flush,
    take(record) {
      progress.records += 1;
      progress.bytes += record.bytes;
      const waiting = batch.find(({ origin }) => origin.hash === record.hash);
      const known = waiting ? null : store.imports.known(record.hash);
      if (waiting || known !== null) {
        progress.known += 1;
        runs.met(waiting?.rollout.runId ?? store.rollouts.get(known ?? '')?.runId);
        return;
      }
      let trial: Trial;
      try {
        trial = record.read();
      } catch (error) {
        complain(report, issueOf(error, record.file, record.line));
        return;
      }
      const id = uuidv7();
      if (trial.cast !== null) takeCast(trial.cast, id);
      const runId = runs.of(record, trial);
      const { taskName, taskDigest, agent } = trial.rollout;
      batch.push({
        id,
        // When it was queued, a record without times does not say; the list of rollouts must show something.
        rollout: {
          ...trial.rollout,
          queuedAt: trial.rollout.queuedAt || Date.now(),
          runId,
          taskId: tasks(taskName, taskDigest),
          attempt: runs.nextAttempt(runId, taskName, agent),
        },
        nodes: trial.nodes,
        verdict: trial.verdict,
        verifierOutput: trial.verifierOutput,
        origin: { format: trial.format, file: record.file, line: record.line, hash: record.hash },
        rest: trial.rest,
        notes: trial.notes,
      });
      bytes += record.bytes;
      if (batch.length >= BATCH_RECORDS || bytes >= BATCH_BYTES) flush();
    },
  };
}

function once(call: () => void): () => void {
  let called = false;
  return () => {
    if (!called) call();
    called = true;
  };
}

function complain(report: ImportReport, issue: ConfigIssue): void {
  if (issue.level === 'error') report.progress.rejected += 1;
  if (report.issues.length < MOST_ISSUES) report.issues.push(issue);
}

/** Copies a recording; false where it is no asciicast v2, the only one that can be played. Shares the bytes where the file system can. */
function copyCast(from: string, path: string): boolean {
  const head = Buffer.alloc(64);
  const file = openSync(from, 'r');
  try {
    readSync(file, head, 0, head.length, 0);
  } finally {
    closeSync(file);
  }
  if (!/^\s*\{.*"version"\s*:\s*2\b/.test(head.toString('latin1'))) return false;
  copyFileSync(from, path, constants.COPYFILE_FICLONE);
  return true;
}

type TaskFinder = (name: string, digest: string) => string;

/** The lab's own row of a task: the one with these files, else one of this name. Without any, its name stands for it. */
function tasksByName(tasks: TaskRow[]): TaskFinder {
  const byDigest = new Map(tasks.map((task) => [task.digest, task.id]));
  const byName = new Map(tasks.map((task) => [shortName(task.name), task.id]));
  return (name, digest) => byDigest.get(digest) ?? byName.get(shortName(name)) ?? name;
}

interface Runs {
  of(record: ImportRecord, trial: Trial): string;
  /** A record that is already there belongs to this run. */
  met(runId: string | undefined): void;
  added(runId: string): void;
  nextAttempt(runId: string, taskName: string, agent: string): number;
}

function runsOf(store: Store, report: ImportReport, name: string | undefined): Runs {
  const attempts = new Map<string, Map<string, number>>();
  const bySource = new Map<string, string>();
  const entry = (runId: string) => {
    let found = report.runs.find((run) => run.runId === runId);
    if (!found) {
      found = { runId, name: store.runs.get(runId)?.name ?? runId, imported: 0 };
      report.runs.push(found);
    }
    return found;
  };
  return {
    of({ group }, { format, rest }) {
      const source = jobOf(rest) ?? (group.part === undefined ? group.path : `${group.path}#${group.part}`);
      let runId = bySource.get(source);
      if (runId === undefined) {
        const origin: RunOrigin = { format, path: group.path, source };
        runId = store.imports.runOf(origin, name ?? group.name);
        bySource.set(source, runId);
      }
      return runId;
    },
    met(runId) {
      if (runId !== undefined) entry(runId);
    },
    added(runId) {
      entry(runId).imported += 1;
    },
    nextAttempt(runId, taskName, agent) {
      let counts = attempts.get(runId);
      if (!counts) {
        counts = new Map(store.imports.counts(runId).map((row) => [`${row.taskName}\0${row.agent}`, row.count]));
        attempts.set(runId, counts);
      }
      const key = `${taskName}\0${agent}`;
      const next = counts.get(key) ?? 0;
      counts.set(key, next + 1);
      return next;
    },
  };
}

/** Harbor's id of the job that a trial belongs to: trials of one job are one run, wherever they lie. */
function jobOf(rest: Trial['rest']): string | null {
  const parts = rest.parts ?? {};
  const config = objectOf(objectOf(parts['result.json'])?.config) ?? objectOf(parts['config.json']);
  const id = textOf(config?.job_id);
  return id === null ? null : `harbor-job:${id}`;
}
