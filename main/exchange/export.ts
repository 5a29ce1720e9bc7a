// Writes stored rollouts in the formats of other programs, one rollout after the other. What is there already is never written over unless
// the caller says so, and nothing is ever removed.
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { ExportFormat, ExportReport } from '../contract/schema/exchange.ts';
import type { RolloutRow, Verdict } from '../contract/schema/rollout.ts';
import { AppError, assertNever } from '../lib/errors.ts';
import { csvHeader, rolloutLine } from '../rollout/lines.ts';
import type { Store } from '../store/store.ts';
import { issueOf } from './record.ts';
import { type Recorded, readRecorded } from './recorded.ts';
import { writeAtif } from './write-atif.ts';
import { freeName, harborJob, harborTrial, type OutputFile } from './write-harbor.ts';
import { messageRows, shareGptRows } from './write-rows.ts';

export interface ExportFrom {
  store: Store;
  recordings: string;
  /** Version of the lab, which becomes that of its agents. */
  version: string;
}

export interface ExportOptions {
  format: ExportFormat;
  /** File for `csv`, `messages` and `sharegpt`; folder for the others. */
  path: string;
  overwrite: boolean;
  signal: AbortSignal;
}

/** Rollouts of a run, or single ones, in their order. Throws `request.not_found` for one that there is none of. */
export function rolloutsOf(store: Store, of: { runId: string } | { rolloutIds: string[] }): RolloutRow[] {
  if ('runId' in of) {
    if (!store.runs.get(of.runId)) throw new AppError('request.not_found', `there is no run ${of.runId}`);
    return store.rollouts.ofRun(of.runId);
  }
  return of.rolloutIds.map((id) => {
    const row = store.rollouts.get(id);
    if (!row) throw new AppError('request.not_found', `there is no rollout ${id}`);
    return row;
  });
}

/** Writes the rollouts. A rollout that cannot be written in the format is an issue of the report; the others are written. */
export async function exportRollouts(rollouts: RolloutRow[], from: ExportFrom, options: ExportOptions): Promise<ExportReport> {
  const { format, path, overwrite } = options;
  if (rollouts.length === 0) throw new AppError('request.invalid', 'there is no rollout to export');
  await refuseTaken(path, overwrite);
  const report: ExportReport = { path, rollouts: 0, files: 0, bytes: 0, issues: [] };
  switch (format) {
    case 'csv':
      await writeLines(rollouts, from, options, report, ({ rollout }) => [rolloutLine(rollout, 'csv')], csvHeader);
      break;
    case 'messages':
      await writeLines(rollouts, from, options, report, (recorded) => messageRows(recorded).map((row) => JSON.stringify(row)));
      break;
    case 'sharegpt':
      await writeLines(rollouts, from, options, report, (recorded) => shareGptRows(recorded).map((row) => JSON.stringify(row)));
      break;
    case 'atif':
      await writeFolders(rollouts, from, options, report, (recorded) =>
        writeAtif(recorded, from.version).map(({ path: name, document }) => ({
          path: name.replace(/^.*\//, '').replaceAll(/[^\w.-]/g, '_'),
          text: `${JSON.stringify(document, null, 2)}\n`,
        })),
      );
      break;
    case 'harbor':
      await writeJob(rollouts, from, options, report);
      break;
    case 'asciicast':
      await writeCasts(rollouts, from, options, report);
      break;
    default:
      assertNever(format);
  }
  return report;
}

async function refuseTaken(path: string, overwrite: boolean): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null || overwrite) return;
  if (found.isDirectory() && (await readdir(path)).length === 0) return;
  throw new AppError('request.conflict', `${path} is there already`, { hint: 'Choose another place, or ask for overwriting.' });
}

async function each(
  rollouts: RolloutRow[],
  from: ExportFrom,
  signal: AbortSignal,
  report: ExportReport,
  write: (recorded: Recorded) => Promise<void> | void,
): Promise<void> {
  for (const rollout of rollouts) {
    signal.throwIfAborted();
    try {
      await write(readRecorded(from.store, rollout));
      report.rollouts += 1;
    } catch (error) {
      // What the disk refuses one rollout it refuses all.
      if (!(error instanceof AppError) || error.code.startsWith('data.')) throw error;
      report.issues.push(issueOf(error, rollout.id, null));
    }
  }
}

/** One file of lines, whole or not at all. */
async function writeLines(
  rollouts: RolloutRow[],
  from: ExportFrom,
  { path, signal }: ExportOptions,
  report: ExportReport,
  lines: (recorded: Recorded) => string[],
  header?: string,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.unfinished`;
  const file = createWriteStream(draft);
  const written = finished(file);
  // Awaited below; a failure before that must not pass for an unhandled one.
  written.catch(() => {});
  try {
    if (header !== undefined) await write(file, `${header}\n`, report);
    await each(rollouts, from, signal, report, async (recorded) => {
      for (const line of lines(recorded)) await write(file, `${line}\n`, report);
    });
    file.end();
    await written;
    await rename(draft, path);
    report.files = 1;
  } catch (error) {
    file.destroy();
    await rm(draft, { force: true });
    throw error;
  }
}

async function write(file: WriteStream, text: string, report: ExportReport): Promise<void> {
  report.bytes += Buffer.byteLength(text);
  if (!file.write(text)) await once(file, 'drain');
}

/** A folder for each rollout. */
async function writeFolders(
  rollouts: RolloutRow[],
  from: ExportFrom,
  { path, signal }: ExportOptions,
  report: ExportReport,
  filesOf: (recorded: Recorded, name: string) => OutputFile[],
): Promise<void> {
  const taken = new Set<string>();
  await each(rollouts, from, signal, report, async (recorded) => {
    const name = freeName(recorded, taken);
    const files = filesOf(recorded, name);
    if (files.length === 0) throw new AppError('request.invalid', `${name} has no conversation to write`);
    for (const file of files) await put(join(path, name), file, report);
  });
}

async function writeJob(rollouts: RolloutRow[], from: ExportFrom, options: ExportOptions, report: ExportReport): Promise<void> {
  const job = basename(options.path);
  const trials: { name: string; rollout: RolloutRow; verdict: Verdict | null }[] = [];
  await writeFolders(rollouts, from, options, report, (recorded, name) => {
    trials.push({ name, rollout: recorded.rollout, verdict: recorded.verdict });
    return harborTrial(recorded, name, job, from.version);
  });
  for (const { name, rollout } of trials) {
    const cast = join(from.recordings, `${rollout.id}.cast`);
    if (await isFile(cast)) await copy(cast, join(options.path, name, 'agent', 'recording.cast'), report);
  }
  const run = from.store.runs.get(rollouts[0]?.runId ?? '');
  if (run) for (const file of harborJob(run, job, trials)) await put(options.path, file, report);
}

async function writeCasts(rollouts: RolloutRow[], from: ExportFrom, { path, signal }: ExportOptions, report: ExportReport): Promise<void> {
  const taken = new Set<string>();
  await each(rollouts, from, signal, report, async (recorded) => {
    const cast = join(from.recordings, `${recorded.rollout.id}.cast`);
    const name = freeName(recorded, taken);
    if (!(await isFile(cast))) throw new AppError('request.not_found', `${name} has no recording of its terminal`);
    await copy(cast, join(path, `${name}.cast`), report);
  });
}

async function put(folder: string, file: OutputFile, report: ExportReport): Promise<void> {
  const path = join(folder, file.path);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, file.text);
  report.files += 1;
  report.bytes += Buffer.byteLength(file.text);
}

async function copy(source: string, target: string, report: ExportReport): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  await copyFile(source, target);
  report.files += 1;
  report.bytes += (await stat(target)).size;
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
