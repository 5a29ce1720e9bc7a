// From what a run configuration says about tasks to the stored tasks it means.
import { stat } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import type { ConfigIssue, TaskRow } from '../contract/schema/task.ts';
import { AppError } from '../lib/errors.ts';
import type { Store } from '../store/store.ts';
import { loadTasks } from '../task/load.ts';
import { taskRowOf } from '../task/row.ts';
import { rejectionOf, unreadableRow } from '../task/unreadable.ts';

export interface Selection {
  tasks: TaskRow[];
  /** Folders that were no readable task, and remarks about those that were. */
  issues: ConfigIssue[];
}

/** Name as people say it: without `org/`. */
export function shortName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/**
 * Resolves each pattern as a task set's name, a folder (of a task or of tasks, added as a set), or a task's name, in that order; then
 * keeps those that `only` names (`*` matches any text). Throws `task.not_found` for a pattern that means nothing or keeps nothing.
 */
export async function selectTasks(patterns: string[], only: string[], store: Store, signal?: AbortSignal): Promise<Selection> {
  const chosen = new Map<string, TaskRow>();
  const issues: ConfigIssue[] = [];
  for (const pattern of patterns) {
    if (pattern.trim() === '')
      throw new AppError('task.not_found', 'an empty name means no task', { hint: 'Name a task set, a folder or a task.' });
    const found = await tasksOf(pattern, store, issues, signal);
    for (const task of found) chosen.set(task.id, task);
  }
  const kept =
    only.length === 0 ? [...chosen.values()] : [...chosen.values()].filter((task) => only.some((glob) => matches(glob, task.name)));
  if (kept.length === 0) {
    throw new AppError(
      'task.not_found',
      only.length > 0 ? `none of the ${chosen.size} tasks is called ${only.join(' or ')}` : `no task in ${patterns.join(', ')}`,
      {
        hint:
          only.length > 0
            ? `They are called ${[...chosen.values()]
                .slice(0, 5)
                .map((task) => shortName(task.name))
                .join(', ')}…`
            : 'Give a task set, a task folder, or a folder of tasks.',
      },
    );
  }
  return { tasks: kept, issues };
}

async function tasksOf(pattern: string, store: Store, issues: ConfigIssue[], signal?: AbortSignal): Promise<TaskRow[]> {
  const set = store.tasks.setByName(pattern);
  if (set?.origin === 'bundled') return allTasks(store, set.id);
  const folder = set?.path ?? resolve(pattern);
  if (await isFolder(folder)) {
    const found: ConfigIssue[] = [];
    const { readable } = await importFolder(folder, store, found, undefined, signal);
    // A run may name several folders, so a file below one of them is named by its whole path.
    issues.push(...found.map((issue) => ({ ...issue, file: resolve(folder, issue.file) })));
    return readable;
  }
  if (set) return allTasks(store, set.id);
  const named = allTasks(store).filter((task) => task.name === pattern || shortName(task.name) === pattern);
  if (named.length > 0) return named;
  throw new AppError('task.not_found', `'${pattern}' is no task set, no folder and no task's name`, {
    hint: `Known sets: ${
      store.tasks
        .readSets()
        .rows.map((row) => row.name)
        .join(', ') || 'none'
    }. A folder is given by its path.`,
  });
}

/** A stored set, and those of its tasks that could be read now. */
interface Imported {
  setId: string;
  readable: TaskRow[];
}

/**
 * Reads a folder of tasks and stores it as a set. A task of the set that cannot be read any more stays listed, with the reason. Throws
 * `task.not_found` where no task can be read. What is to be said of the tasks is added to `issues`.
 */
export async function importFolder(
  folder: string,
  store: Store,
  issues: ConfigIssue[],
  name?: string,
  signal?: AbortSignal,
): Promise<Imported> {
  const loaded = await loadTasks(folder, signal);
  const { tasks } = loaded;
  const rejected = loaded.rejected.map((one) => rejectionOf(one.folder, one.error));
  issues.push(...rejected);
  if (tasks.length === 0) {
    const first = rejected[0];
    throw new AppError('task.not_found', first ? `${folder}: no readable task: ${first.message}` : `${folder} holds no task`, {
      hint: 'A Harbor task folder has task.toml, instruction.md, environment/ and tests/; a Terminal-Bench 1 folder has task.yaml.',
      ...(first ? { where: `${first.file}${first.line === undefined ? '' : `:${first.line}`}` } : {}),
    });
  }
  for (const task of tasks)
    issues.push(...task.issues.map((issue) => ({ ...issue, file: join(relative(folder, task.folder), issue.file) })));
  const set = store.tasks.setByName(folder);
  const known = new Map((set?.path === folder ? allTasks(store, set.id) : []).map((row) => [row.path, row]));
  const rows = tasks.map(taskRowOf);
  for (const { folder: path, error } of loaded.rejected) {
    const row = known.get(path);
    if (row) rows.push(await unreadableRow(row, error, signal));
  }
  const setId = store.tasks.putSet({ name: name ?? basename(folder), path: folder, origin: 'imported' }, rows);
  const read = new Set(tasks.map((task) => task.folder));
  return { setId, readable: allTasks(store, setId).filter((row) => read.has(row.path)) };
}

export function allTasks(store: Store, setId?: string): TaskRow[] {
  const rows: TaskRow[] = [];
  for (let after: number | undefined; ; ) {
    const read = store.tasks.read(setId === undefined ? {} : { setId }, after);
    rows.push(...read.rows);
    after = read.cursor;
    if (!read.more) return rows;
  }
}

function matches(glob: string, name: string): boolean {
  const pattern = new RegExp(
    `^${glob
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  );
  return pattern.test(name) || pattern.test(shortName(name));
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
