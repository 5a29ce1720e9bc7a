// What the CLI says of a run that ended: its rollouts, what went wrong and what to do about it, and the exit code.
import pc from 'picocolors';
import type { ErrorData } from '../contract/errors.ts';
import type { RolloutRow } from '../contract/schema/rollout.ts';
import type { RunRow } from '../contract/schema/run.ts';
import type { ConfigIssue } from '../contract/schema/task.ts';
import { shortName } from '../rollout/select.ts';
import { endWord, exitCodes, plain, table } from './print.ts';

/** Different failures, and issues, that are told in full; a hundred more would bury the first. */
const TOLD = 20;

export function rolloutTable(rollouts: RolloutRow[]): string {
  const seconds = (row: RolloutRow) =>
    row.startedAt !== null && row.endedAt !== null ? `${((row.endedAt - row.startedAt) / 1000).toFixed(1)} s` : '';
  const rows = [...rollouts]
    .sort((a, b) => a.taskName.localeCompare(b.taskName) || a.agent.localeCompare(b.agent) || a.attempt - b.attempt)
    .map((row) => [
      plain(shortName(row.taskName)),
      row.agent,
      String(row.attempt + 1),
      endWord(row),
      row.reward === null ? '–' : String(Number(row.reward.toFixed(3))),
      String(row.turns),
      seconds(row),
    ]);
  return table(['task', 'agent', 'try', 'end', 'reward', 'turns', 'time'], rows);
}

/** One error with its place and what to do, as `printError` writes it; `of` says whose it is. */
function errorText(error: ErrorData, of: string): string {
  const where = error.where === undefined ? '' : `${plain(error.where)}: `;
  const hint = error.hint === undefined ? '' : `\n      ${plain(error.hint)}`;
  return `${pc.red('error')} ${where}${plain(error.message)}${of}${hint}\n`;
}

/** Those whose agent played to its end, and whose tests gave no number all the same. */
function ungraded(rollouts: RolloutRow[]): string {
  const rows = rollouts.filter((row) => row.status === 'finished' && row.reward === null);
  if (rows.length === 0) return '';
  const message = `${rows.length} ${rows.length === 1 ? 'rollout' : 'rollouts'} ended without a reward: ${tasksOf(rows.map(({ taskName }) => shortName(taskName)))}`;
  return errorText(
    {
      code: 'verifier.failed',
      message,
      hint: 'Their tests broke, or reported nothing: termarium serve shows what they printed.',
      retryable: false,
    },
    '',
  );
}

function tasksOf(names: string[]): string {
  const different = [...new Set(names)];
  return `${different.slice(0, 3).map(plain).join(', ')}${different.length > 3 ? '…' : ''}`;
}

/** Each different failure among the rollouts once, with the tasks that it struck; the run's own failure last. Empty where all went well. */
export function failures(run: RunRow, rollouts: RolloutRow[]): string {
  const groups = new Map<string, { error: ErrorData; tasks: string[] }>();
  for (const { error, taskName } of rollouts) {
    if (error === null) continue;
    const key = `${error.code} ${error.where} ${error.message}`;
    const group = groups.get(key) ?? { error, tasks: [] };
    group.tasks.push(shortName(taskName));
    groups.set(key, group);
  }
  const texts = [...groups.values()].slice(0, TOLD).map(({ error, tasks }) => {
    return errorText(error, pc.dim(` (${tasks.length === 1 ? '' : `${tasks.length} rollouts: `}${tasksOf(tasks)})`));
  });
  if (groups.size > TOLD) texts.push(`      and ${groups.size - TOLD} more; termarium serve shows all\n`);
  texts.push(ungraded(rollouts));
  if (run.error) texts.push(errorText(run.error, ''));
  return texts.join('');
}

/** What is wrong in the files of tasks, one line each: those that cannot be read and are left out, and keys that nobody knows. */
export function issueLines(issues: ConfigIssue[]): string {
  const word = { error: pc.red('left out'), warning: pc.yellow('warning '), note: pc.dim('note    ') };
  const lines = issues
    .slice(0, TOLD)
    .map(({ level, file, line, message }) => `${word[level]} ${plain(file)}${line === undefined ? '' : `:${line}`}: ${plain(message)}\n`);
  if (issues.length > TOLD) lines.push(`         and ${issues.length - TOLD} more; termarium check shows all\n`);
  return lines.join('');
}

const infrastructure = /^(docker|model|data|server|internal)/;

/** 0: every rollout has a verdict. 3: none has, and what the lab stands on failed. 1: anything in between, or a task that was left out. */
export function exitCodeOf(run: RunRow, rollouts: RolloutRow[], issues: ConfigIssue[] = []): number {
  const graded = rollouts.filter((row) => row.status === 'finished' && row.reward !== null);
  const leftOut = issues.some(({ level }) => level === 'error');
  if (run.status === 'finished' && graded.length === rollouts.length && !leftOut) return exitCodes.ok;
  const broken = rollouts.filter(({ error }) => error !== null && infrastructure.test(error.code));
  const others = rollouts.filter((row) => row.status === 'error' && !broken.includes(row));
  return graded.length === 0 && broken.length > 0 && others.length === 0 ? exitCodes.infrastructure : exitCodes.failed;
}
