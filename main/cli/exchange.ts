// `termarium import` and `termarium export`: what flows in from and out to other programs.
import { resolve } from 'node:path';
import pc from 'picocolors';
import type { ExportFormat, ImportReport } from '../contract/schema/exchange.ts';
import { AppError } from '../lib/errors.ts';
import { fromWire } from '../transport/errors.ts';
import type { Common } from './commands.ts';
import { cliLog, openLab } from './connection.ts';
import { exitCodes, plain, printJson } from './print.ts';
import { issueLines } from './report.ts';

/** `termarium import PATH…`. Exit code 1 where something was rejected: what could be read is imported nevertheless. */
export async function importCommand(paths: string[], options: { name?: string }, common: Common): Promise<number> {
  await using lab = await openLab(common.paths, cliLog());
  let rejected = 0;
  for (const path of paths) {
    const report = await followImport(lab.client, resolve(path), options.name, common);
    rejected += report.progress.rejected;
    if (common.json) printJson({ import: resolve(path), ...report });
    else tell(path, report);
  }
  return rejected === 0 ? exitCodes.ok : exitCodes.failed;
}

export interface ExportOptions {
  format: ExportFormat;
  to: string;
  overwrite: boolean;
}

/** `termarium export ID…`: a run, or rollouts. Exit code 1 where a rollout could not be written in the format. */
export async function exportCommand(ids: string[], options: ExportOptions, common: Common): Promise<number> {
  await using lab = await openLab(common.paths, cliLog());
  const [first = '', ...others] = ids;
  const isRun = others.length === 0 && (await isRunId(lab.client, first));
  const report = await lab.client.exchange.export(
    {
      of: isRun ? { runId: first } : { rolloutIds: ids },
      format: options.format,
      path: resolve(options.to),
      overwrite: options.overwrite,
    },
    { signal: common.signal },
  );
  if (common.json) printJson({ export: options.format, ...report });
  else {
    process.stderr.write(issueLines(report.issues));
    process.stdout.write(
      `${report.rollouts} rollouts in ${report.files} files, ${(report.bytes / 1e6).toFixed(1)} MB: ${plain(report.path)}\n`,
    );
  }
  return report.issues.length === 0 ? exitCodes.ok : exitCodes.failed;
}

async function isRunId(client: Awaited<ReturnType<typeof openLab>>['client'], id: string): Promise<boolean> {
  return await client.runs.watchOne({ runId: id }).then(
    () => true,
    (error: unknown) => {
      const known = fromWire(error);
      if (known instanceof AppError && known.code === 'request.not_found') return false;
      throw error;
    },
  );
}

async function followImport(
  client: Awaited<ReturnType<typeof openLab>>['client'],
  path: string,
  name: string | undefined,
  common: Common,
): Promise<ImportReport> {
  const { importId } = await client.exchange.import({ path, ...(name === undefined ? {} : { name }) });
  const cancel = () => void client.exchange.cancelImport({ importId }).catch(() => {});
  common.signal.addEventListener('abort', cancel, { once: true });
  try {
    for (let after: number | undefined; ; ) {
      const { state, report, error, hint, cursor } = await client.exchange.watchImport({
        importId,
        ...(after === undefined ? {} : { after }),
      });
      if (!common.json && process.stderr.isTTY) process.stderr.write(`\r${progressLine(report)}\u001b[K${state === 'running' ? '' : '\n'}`);
      if (state === 'finished') return report;
      if (state === 'cancelled') throw new DOMException('the import was cancelled; what was imported stays', 'AbortError');
      if (state === 'failed') throw new AppError('request.invalid', error ?? 'the import failed', hint === null ? {} : { hint });
      after = cursor;
    }
  } finally {
    common.signal.removeEventListener('abort', cancel);
  }
}

function progressLine({ progress }: ImportReport): string {
  return `${progress.records} records, ${(progress.bytes / 1e6).toFixed(1)} MB: ${progress.imported} imported, ${progress.known} known, ${progress.rejected} rejected`;
}

function tell(path: string, report: ImportReport): void {
  process.stderr.write(issueLines(report.issues));
  const { imported, known, rejected, passedOver } = report.progress;
  for (const run of report.runs)
    process.stdout.write(`run ${run.runId}  ${plain(run.name)}  ${pc.dim(`${run.imported} rollouts added`)}\n`);
  const others = [known > 0 ? `${known} were there already` : '', passedOver > 0 ? `${passedOver} files are of another kind` : ''];
  process.stdout.write(
    `${plain(path)}: ${[`${imported} imported`, `${rejected} rejected`, ...others].filter((part) => part !== '').join(', ')}\n`,
  );
}
