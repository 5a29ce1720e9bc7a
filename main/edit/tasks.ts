// Whole tasks: read again after an edit, duplicated, made from a template, removed and put back. Files first, then the lab's list of them.
import { mkdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Paths } from '../config/paths.ts';
import type { TaskRow, TaskSetRow } from '../contract/schema/task.ts';
import { AppError } from '../lib/errors.ts';
import type { Store } from '../store/store.ts';
import { hasFile } from '../task/files.ts';
import { loadTask } from '../task/load.ts';
import { taskRowOf } from '../task/row.ts';
import { unreadableRow } from '../task/unreadable.ts';
import { exportTask } from '../task/write.ts';
import { refuseTaken } from './files.ts';
import { discard, putBack } from './trash.ts';

/** Name of the set of tasks that were written in the lab. */
const OWN_SET = 'my-tasks';
/** A task's folder, and the last part of its name. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

interface Place {
  store: Store;
  paths: Paths;
}

/** A task of the lab by id. Fails with `request.not_found`. */
export function requireTask(store: Store, taskId: string): TaskRow {
  const row = store.tasks.get(taskId);
  if (!row) throw new AppError('request.not_found', 'this task is no longer in the lab', { hint: 'Import its folder again.' });
  return row;
}

/** The set of a task. */
export function setOf(store: Store, setId: string): TaskSetRow {
  const set = store.tasks.readSets(undefined, Number.MAX_SAFE_INTEGER).rows.find((row) => row.id === setId);
  if (!set) throw new AppError('request.not_found', 'this task set is no longer in the lab');
  return set;
}

/** Fails with `request.conflict` for tasks that are shipped with the lab: the next version replaces them, and all labs mean the same by them. */
export function refuseBundled(store: Store, row: TaskRow): void {
  if (setOf(store, row.setId).origin !== 'bundled') return;
  throw new AppError('request.conflict', `${row.name} is shipped with the lab and cannot be changed`, {
    hint: 'Duplicate it, and change the copy.',
  });
}

/**
 * Reads a task again after its files changed. One that cannot be read any more stays listed as it was, with the reason as its first
 * issue and without the results of its gates, so that it can be mended where it was broken.
 */
export async function refreshTask(store: Store, row: TaskRow, signal?: AbortSignal): Promise<void> {
  try {
    store.tasks.putTask(row.setId, taskRowOf(await loadTask(row.path, signal)));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'task.not_found' && !(await stat(row.path).catch(() => null))) return;
    store.tasks.putTask(row.setId, await unreadableRow(row, error, signal));
  }
}

/**
 * Copies a task beside the original, or among the lab's own tasks where the original is shipped with the lab, and gives the copy its
 * name in task.toml. Every other byte is as it was. Answers the new task's id.
 */
export async function duplicateTask({ store, paths }: Place, row: TaskRow, name: string, signal?: AbortSignal): Promise<string> {
  const set = setOf(store, row.setId);
  const isBeside = set.origin !== 'bundled' && row.path !== set.path;
  const folder = join(isBeside ? dirname(row.path) : paths.tasks, refuseBadName(name));
  return addTask({ store, paths }, isBeside ? set.id : null, row.path, folder, organisation(row.name), signal);
}

/** Makes a task from a template into a set's folder, or among the lab's own tasks. Answers its id. */
export async function createTask(
  { store, paths }: Place,
  options: { setId: string | null; name: string; template: string },
  signal?: AbortSignal,
): Promise<string> {
  const template = join(paths.resources, 'templates', refuseBadName(options.template));
  if (!(await hasFile(template, 'task.toml'))) throw new AppError('request.not_found', `there is no template ${options.template}`);
  const set = options.setId === null ? null : setOf(store, options.setId);
  if (set?.origin === 'bundled')
    throw new AppError('request.conflict', 'the bundled set takes no new tasks', { hint: 'Choose another set.' });
  const folder = join(set?.path ?? paths.tasks, refuseBadName(options.name));
  return addTask({ store, paths }, set?.id ?? null, template, folder, 'my-lab', signal);
}

/** Removes a task's folder into the trash and the task from its set. Answers the name to put it back by. */
export async function removeTask({ store, paths }: Place, row: TaskRow): Promise<string> {
  refuseBundled(store, row);
  const token = await discard(paths.trash, row.path);
  store.tasks.removeTask(row.id);
  return token;
}

/** Puts a removed task back into its folder and its set. Answers its id, which is a new one. */
export async function restoreTask({ store, paths }: Place, setId: string, token: string, signal?: AbortSignal): Promise<string> {
  const set = setOf(store, setId);
  const folder = await putBack(paths.trash, token);
  return store.tasks.putTask(set.id, taskRowOf(await loadTask(folder, signal)));
}

/** `null` for the set means the lab's own, which is made where it is not there yet. */
async function addTask(
  { store, paths }: Place,
  setId: string | null,
  from: string,
  folder: string,
  organisation: string,
  signal?: AbortSignal,
): Promise<string> {
  await refuseTaken(folder, basename(folder));
  await mkdir(dirname(folder), { recursive: true });
  const named = await hasFile(from, 'task.toml');
  const toml = named ? [{ path: ['task', 'name'], value: `${organisation}/${basename(folder)}` }] : [];
  await exportTask(from, folder, { toml }, signal);
  const row = taskRowOf(await loadTask(folder, signal));
  const set =
    setId ?? store.tasks.setByName(paths.tasks)?.id ?? store.tasks.putSet({ name: OWN_SET, path: paths.tasks, origin: 'imported' }, []);
  return store.tasks.putTask(set, row);
}

function organisation(name: string): string {
  const slash = name.indexOf('/');
  return slash > 0 ? name.slice(0, slash) : 'my-lab';
}

function refuseBadName(name: string): string {
  if (NAME.test(name)) return name;
  throw new AppError('request.invalid', `${JSON.stringify(name)} cannot be the name of a task`, {
    hint: 'Use letters, digits, dots, dashes and underscores, beginning with a letter or digit.',
  });
}
