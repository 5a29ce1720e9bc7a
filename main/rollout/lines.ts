// Rollouts as lines of a file that other programs read: CSV for spreadsheets and pandas, JSON lines for everything else. Pure.
import type { RolloutRow } from '../contract/schema/rollout.ts';

type Cell = string | number | null;

const columns: readonly (readonly [name: string, of: (row: RolloutRow) => Cell])[] = [
  ['rollout', (row) => row.id],
  ['task', (row) => row.taskName],
  ['task_digest', (row) => row.taskDigest],
  ['agent', (row) => row.agent],
  ['model', (row) => row.model],
  ['attempt', (row) => row.attempt],
  ['status', (row) => row.status],
  ['outcome', (row) => row.outcome],
  ['verdict', (row) => row.verdictState],
  ['reward', (row) => row.reward],
  ['error', (row) => row.error?.code ?? null],
  ['turns', (row) => row.turns],
  ['prompt_tokens', (row) => row.promptTokens],
  ['completion_tokens', (row) => row.completionTokens],
  ['seconds', (row) => (row.startedAt === null || row.endedAt === null ? null : (row.endedAt - row.startedAt) / 1000)],
  ['started_at', (row) => time(row.startedAt)],
  ['ended_at', (row) => time(row.endedAt)],
];

/** First line of a CSV file of rollouts. Attempts count from 0, times are ISO 8601 in UTC, what is missing is empty. */
export const csvHeader = columns.map(([name]) => name).join(',');

/** One rollout as one line without its end: CSV after RFC 4180, or the whole row as JSON. */
export function rolloutLine(row: RolloutRow, format: 'csv' | 'jsonl'): string {
  return format === 'jsonl' ? JSON.stringify(row) : columns.map(([, of]) => cell(of(row))).join(',');
}

function cell(value: Cell): string {
  if (value === null) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function time(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
