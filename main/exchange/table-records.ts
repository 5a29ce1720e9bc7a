// The records of tables: JSON lines, Parquet files, and JSON files that hold several trials. Row after row, in bounded memory.
import { basename, dirname } from 'node:path';
import type { ConfigIssue } from '../contract/schema/task.ts';
import { invalid, type JsonObject, objectOf, parseJson, textOf } from './json.ts';
import { type Line, linesOf } from './lines.ts';
import { parquetRows } from './parquet.ts';
import { isEndlessSummary, readEndlessSample } from './read-endless.ts';
import { continues, readRow, rowKind } from './read-rows.ts';
import { isSeedRow, readSeedRow, seedSurroundings } from './read-seed.ts';
import { readTb1Trial, tb1Results } from './read-tb1.ts';
import { isTrialRow, readTrialRow, runOfRow } from './read-trial-table.ts';
import { type Found, type Group, hashOf, type ImportRecord, issueOf } from './record.ts';
import type { Trial } from './trial.ts';
import { stepsBeside, type TrialStep, type TrialSteps } from './trial-steps.ts';

/** Lines of a file that are looked at to say what kind of table it is: one of them must be whole. */
const LOOKED_AT = 50;

/** A file of rows is a run of its own. */
function tableGroup(path: string): Group {
  return { name: basename(path).replace(/\.(json|jsonl|parquet)(\.gz)?$/, ''), path };
}

/** Records of a file of JSON lines. Every damaged or doubtful line is told by its number. */
export async function* lineRecords(path: string, asked: boolean): AsyncGenerator<Found> {
  const kind = await lineKind(path);
  if (kind === null) {
    if (asked) throw invalid('holds no rows of a kind that can be imported', path);
    yield { kind: 'other', file: path };
    return;
  }
  const surroundings = seedSurroundings(path);
  const steps = kind === 'trials' ? stepsBeside(path) : null;
  const seen = new Map<string, number>();
  const missing = new Set<string>();
  const rows = new Collapsed(path, tableGroup(path));
  for await (const line of linesOf(path)) {
    const issue = (level: ConfigIssue['level'], message: string): Found => ({
      kind: 'issue',
      issue: { level, message, file: path, line: line.number },
      bytes: 0,
    });
    for (const remark of line.remarks) yield issue('note', remark);
    let value: unknown;
    try {
      value = rowOf(line, path);
    } catch (error) {
      yield { kind: 'issue', issue: issueOf(error, path, line.number), bytes: line.bytes };
      continue;
    }
    if (value === undefined) {
      yield issue('note', 'is blank');
      continue;
    }
    if (kind === 'rows') {
      yield* rows.next(value, line.number, line.bytes);
      continue;
    }
    const hash = hashOf(kind, JSON.stringify(value));
    const first = seen.get(hash);
    if (first !== undefined) {
      yield issue('warning', `is an exact copy of line ${first} and is left out`);
      continue;
    }
    seen.set(hash, line.number);
    if (kind === 'trials') {
      yield* trialRow(value, { hash, path, line, group: rows.group }, steps);
      continue;
    }
    const remarks: string[] = [];
    let trial: Trial;
    try {
      trial = readSeedRow(value, path, line.number, surroundings, remarks);
    } catch (error) {
      yield { kind: 'issue', issue: issueOf(error, path, line.number), bytes: line.bytes };
      continue;
    }
    for (const remark of remarks) yield issue('warning', remark);
    const task = trial.rollout.taskName;
    if (surroundings.instruction(task) === null && !missing.has(task)) {
      missing.add(task);
      const message = `there is no rl_tasks/${task}/instruction.md: the rollouts of this task have no prompt`;
      yield { kind: 'issue', issue: { level: 'note', message, file: path }, bytes: 0 };
    }
    yield { kind: 'record', hash, file: path, line: line.number, bytes: line.bytes, group: rows.group, read: () => trial };
  }
  yield* rows.end();
}

/** The record of a row of a table of trials. */
async function* trialRow(
  value: unknown,
  { hash, path, line, group }: { hash: string; path: string; line: Line; group: Group },
  steps: TrialSteps | null,
): AsyncGenerator<Found> {
  if (!isTrialRow(value)) {
    yield { kind: 'issue', issue: issueOf(invalid('is no row of trials', path, line.number), path, line.number), bytes: line.bytes };
    return;
  }
  const row = objectOf(value) ?? {};
  let played: TrialStep[] = [];
  try {
    played = (await steps?.of(textOf(row.model), textOf(row.trial) ?? '')) ?? [];
  } catch (error) {
    // The trials count without their steps too.
    yield { kind: 'issue', issue: { ...issueOf(error, path, line.number), level: 'warning' }, bytes: 0 };
  }
  const run = runOfRow(row);
  yield {
    kind: 'record',
    hash,
    file: path,
    line: line.number,
    bytes: line.bytes,
    group: run === null ? group : { name: run, path, part: run },
    read: () => readTrialRow(row, path, line.number, played),
  };
}

/** The row of a line; undefined for a blank one. */
function rowOf(line: Line, path: string): unknown {
  if (line.text === null) throw invalid('holds bytes that are no UTF-8', path, line.number);
  return line.text.trim() === '' ? undefined : parseJson(line.text, path, line.number);
}

async function lineKind(path: string): Promise<'seed' | 'rows' | 'trials' | null> {
  for await (const line of linesOf(path)) {
    if (line.number > LOOKED_AT) return null;
    let value: unknown;
    try {
      value = rowOf(line, path);
    } catch {
      continue;
    }
    if (isSeedRow(value)) return 'seed';
    if (rowKind(value) !== null) return 'rows';
    if (isTrialRow(value)) return 'trials';
  }
  return null;
}

/** Records of a Parquet file. */
export async function* parquetRecords(path: string, asked: boolean): AsyncGenerator<Found> {
  const rows = new Collapsed(path, tableGroup(path));
  for await (const { number, row, bytes } of parquetRows(path)) {
    if (number === 1 && rowKind(row) === null) {
      if ('task_binary' in row) throw invalid('holds tasks and no rollouts', path);
      if (asked) throw invalid(`holds no rows of a kind that can be imported; its columns are ${Object.keys(row).join(', ')}`, path);
      yield { kind: 'other', file: path };
      return;
    }
    yield* rows.next(row, number, Math.round(bytes));
  }
  yield* rows.end();
}

/** Records of a JSON file that holds several; null where it is no such file. */
export function listRecords(value: unknown, path: string, bytes: number): Iterable<Found> | null {
  const results = tb1Results(value);
  if (results) return trials('tb1', results, path, bytes, { name: basename(dirname(path)), path: dirname(path) }, readTb1Trial);
  if (isEndlessSummary(value)) {
    // Summaries of a folder of tasks are one run: <tasks>/<task>/solutions/<model>_summary.json.
    const folder = basename(dirname(path)) === 'solutions' ? dirname(dirname(dirname(path))) : dirname(path);
    // isEndlessSummary has seen that there is a list.
    const samples = objectOf(value)?.results as unknown[];
    return trials('endless', samples, path, bytes, { name: basename(folder), path: folder }, readEndlessSample);
  }
  if (Array.isArray(value) && rowKind(value[0]) !== null) return rowsOfList(value, path, bytes);
  return null;
}

/** Equal results of one file are several samples: their count makes the difference. */
function* trials(
  format: string,
  results: unknown[],
  path: string,
  bytes: number,
  group: Group,
  read: (result: unknown, path: string) => Trial,
): Generator<Found> {
  const times = new Map<string, number>();
  for (const result of results) {
    const text = JSON.stringify(sorted(result));
    const count = times.get(text) ?? 0;
    times.set(text, count + 1);
    const own = format === 'endless' ? `${basename(dirname(dirname(path)))}/${basename(path)}` : '';
    yield {
      kind: 'record',
      hash: hashOf(format, `${own}\0${count}\0${text}`),
      file: path,
      line: null,
      bytes: Math.round(bytes / results.length),
      group,
      read: () => read(result, path),
    };
  }
}

function* rowsOfList(list: unknown[], path: string, bytes: number): Generator<Found> {
  const rows = new Collapsed(path, tableGroup(path));
  for (const [index, row] of list.entries()) yield* rows.next(row, index + 1, Math.round(bytes / list.length));
  yield* rows.end();
}

/** Object with its keys in order, at its first level: the same trial is written by programs in different orders. */
function sorted(value: unknown): unknown {
  const object = objectOf(value);
  return object ? Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
}

/** Passes rows on, except those that the next one continues: a row an episode repeats everything that was said before. */
class Collapsed {
  readonly group: Group;
  readonly #path: string;
  #held: { row: JsonObject; number: number; bytes: number } | null = null;

  constructor(path: string, group: Group) {
    this.#path = path;
    this.group = group;
  }

  *next(value: unknown, number: number, bytes: number): Generator<Found> {
    const row = objectOf(value);
    if (!row || rowKind(row) === null) {
      const issue: ConfigIssue = { level: 'error', message: 'is no row of conversations', file: this.#path, line: number };
      yield { kind: 'issue', issue, bytes };
      return;
    }
    if (this.#held && !continues(this.#held.row, row)) yield* this.end();
    this.#held = { row, number, bytes: bytes + (this.#held?.bytes ?? 0) };
  }

  *end(): Generator<ImportRecord> {
    const held = this.#held;
    if (!held) return;
    this.#held = null;
    const { row, number, bytes } = held;
    const hash = hashOf('rows', JSON.stringify(row));
    yield { kind: 'record', hash, file: this.#path, line: number, bytes, group: this.group, read: () => readRow(row, this.#path, number) };
  }
}
