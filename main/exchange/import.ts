// Imports what lies at a path: record after record, each in a transaction of its own. A broken record is reported and left out, one that is
// already there is passed over; so an import can be ended, killed and started again at any time.
import { copyFile, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { uuidv7 } from 'uuidv7';
import type { ImportReport, RunOrigin } from '../contract/schema/exchange.ts';
import type { ConfigIssue, TaskRow } from '../contract/schema/task.ts';
import { AppError } from '../lib/errors.ts';
import { allTasks, shortName } from '../rollout/select.ts';
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
  const runs = runsOf(into.store, report, options.name);
  const tasks = tasksByName(allTasks(into.store));
  let breath = performance.now();
  for (const source of discover(path)) {
    for await (const found of recordsOf(source)) {
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
          await importRecord(found, into, report, runs, tasks);
      }
      onProgress(report);
      if (performance.now() - breath > MOST_BUSY_MS) {
        await nextTick();
        breath = performance.now();
      }
    }
  }
  if (report.progress.records === 0 && report.issues.length === 0) {
    throw new AppError('request.invalid', `${path} holds nothing that can be imported`, {
      hint: 'Harbor jobs and trials, ATIF and chat trajectories, Terminal-Bench results, Endless summaries, and tables of rollouts can be.',
    });
  }
  return report;
}

async function importRecord(record: ImportRecord, into: ImportInto, report: ImportReport, runs: Runs, tasks: TaskFinder): Promise<void> {
  const { store } = into;
  const { progress } = report;
  progress.records += 1;
  progress.bytes += record.bytes;
  const known = store.imports.known(record.hash);
  if (known !== null) {
    progress.known += 1;
    runs.met(store.rollouts.get(known)?.runId);
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
  const cast = trial.cast === null ? null : await copyCast(trial.cast, into.recordings, id);
  if (cast?.problem) report.issues.push({ level: 'warning', message: cast.problem, file: trial.cast ?? record.file });
  const runId = runs.of(record, trial);
  const { taskName, taskDigest, agent } = trial.rollout;
  try {
    store.imports.add({
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
  } catch (error) {
    if (cast?.path) await rm(cast.path, { force: true });
    throw error;
  }
  progress.imported += 1;
  runs.added(runId);
}

function complain(report: ImportReport, issue: ConfigIssue): void {
  if (issue.level === 'error') report.progress.rejected += 1;
  if (report.issues.length < MOST_ISSUES) report.issues.push(issue);
}

/** Puts a recording where those of the lab's own rollouts lie. Only asciicast v2 can be played. */
async function copyCast(from: string, folder: string, rolloutId: string): Promise<{ path: string | null; problem: string | null }> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${rolloutId}.cast`);
  const head = Buffer.alloc(64);
  await using file = await open(from, 'r');
  await file.read(head, 0, head.length, 0);
  if (!/^\s*\{.*"version"\s*:\s*2\b/.test(head.toString('latin1'))) {
    return { path: null, problem: 'is no asciicast v2 recording and was left out' };
  }
  await copyFile(from, path);
  return { path, problem: null };
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
      const origin: RunOrigin = { format, path: group.path, source: jobOf(rest) ?? group.path };
      return store.imports.runOf(origin, name ?? group.name);
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
