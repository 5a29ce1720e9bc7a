// What the CLI writes: JSON lines for programs, a progress line and tables for people.
import cliProgress from 'cli-progress';
import pc from 'picocolors';
import type { RolloutRow } from '../contract/schema/rollout.ts';
import type { Rate, RunRow } from '../contract/schema/run.ts';
import { AppError, messageOf } from '../lib/errors.ts';
import { fromWire } from '../transport/errors.ts';

export interface OutputMode {
  json: boolean;
}

/** Exit codes that scripts can use. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, infrastructure: 3, interrupted: 130 } as const;

export function printJson(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Untrusted text for a terminal: control characters are shown, not obeyed. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** Says what failed, where, and what to do; answers the exit code. */
export function printError(thrown: unknown, mode: OutputMode): number {
  const error = fromWire(thrown);
  const known = error instanceof AppError ? error : null;
  if (mode.json) printJson({ error: known ? known.toData() : { code: 'internal', message: messageOf(error), retryable: false } });
  else {
    process.stderr.write(`${pc.red('error')} ${known?.where ? `${plain(known.where)}: ` : ''}${plain(messageOf(error))}\n`);
    if (known?.hint) process.stderr.write(`      ${plain(known.hint)}\n`);
    if (!known && process.env.TERMARIUM_LOG === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  }
  const code = known?.code ?? 'internal';
  return /^(config|request|task|model\.unknown)/.test(code) ? exitCodes.usage : exitCodes.infrastructure;
}

/** One line a rollout, for programs. */
export function rolloutLine(row: RolloutRow) {
  return {
    task: row.taskName,
    agent: row.agent,
    model: row.model,
    attempt: row.attempt,
    reward: row.reward,
    outcome: row.outcome,
    verdict: row.verdictState,
    status: row.status,
    turns: row.turns,
    seconds: row.startedAt !== null && row.endedAt !== null ? (row.endedAt - row.startedAt) / 1000 : null,
    error: row.error,
    rollout: row.id,
    run: row.runId,
  };
}

/** `67 % (8 of 12, 95 % interval 39–86 %)` */
export function rateWords(rate: Rate): string {
  if (rate.value === null) return 'none yet';
  const percent = (value: number | null) => (value === null ? '?' : String(Math.round(value * 100)));
  return `${percent(rate.value)} % (${rate.passed} of ${rate.total}, 95 % interval ${percent(rate.low)}–${percent(rate.high)} %)`;
}

/** Rows of cells in columns that fit their content. */
export function table(header: string[], rows: string[][]): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes take no room on the screen
  const width = (text: string) => text.replaceAll(/\u001b\[[0-9;]*m/g, '').length;
  const widths = header.map((title, column) => Math.max(width(title), ...rows.map((row) => width(row[column] ?? ''))));
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - width(cell))))
      .join('  ')
      .trimEnd();
  return [pc.bold(line(header)), ...rows.map(line)].join('\n');
}

/** Word and colour for how a rollout ended; the word alone says it too. */
export function endWord(row: RolloutRow): string {
  if (row.status === 'finished') {
    if (row.outcome === 'solved') return pc.green('solved');
    const word = row.outcome ?? 'ended';
    return row.verdictState === 'tests_ran' ? pc.yellow(word) : pc.magenta(`${word} (${row.verdictState})`);
  }
  if (row.status === 'error') return pc.red(`error: ${row.error?.code ?? 'unknown'}`);
  return pc.dim(row.status);
}

/** A progress bar on a terminal, nothing elsewhere. */
export function progressBar(total: number, mode: OutputMode): { update(run: RunRow): void; stop(): void } {
  if (mode.json || !process.stderr.isTTY) return { update: () => {}, stop: () => {} };
  const bar = new cliProgress.SingleBar(
    {
      format: '{bar} {value}/{total}  {running} playing  {passed} solved  {errors} errors  {duration_formatted}',
      hideCursor: true,
      stream: process.stderr,
    },
    cliProgress.Presets.shades_grey,
  );
  bar.start(total, 0, { running: 0, passed: 0, errors: 0 });
  return {
    update: ({ counts, overAll }) =>
      bar.update(counts.finished + counts.errors + counts.cancelled + counts.interrupted, {
        running: counts.active,
        passed: overAll.passed,
        errors: counts.errors,
      }),
    stop: () => bar.stop(),
  };
}
