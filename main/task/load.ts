// Finds tasks in folders and reads them, whatever format they are in.
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AppError, boundary } from '../lib/errors.ts';
import { hasFile } from './files.ts';
import { readHarborTask } from './harbor.ts';
import type { Task } from './task.ts';
import { readTerminalBench1Task } from './terminal-bench-1.ts';

/** Files by which a folder says that it means to be a task. */
const MARKERS = ['task.toml', 'task.yaml', 'solution.yaml', 'run-tests.sh', 'task.json'];

/**
 * Reads the task in `folder`. Fails with `task.not_found` where there is none, `task.unsupported` for a format that the lab cannot
 * read, and `task.invalid` (with `where` = `file:line`) where it contradicts its format.
 */
export async function loadTask(folder: string, signal?: AbortSignal): Promise<Task> {
  const root = await existingFolder(folder);
  // What the file system refuses (rights, a broken disk) is told as this task's fault, so that one folder cannot stop a whole set.
  return boundary('task.invalid', 'cannot be read', () => readTask(root, folder, signal));
}

async function readTask(root: string, folder: string, signal: AbortSignal | undefined): Promise<Task> {
  if (await hasFile(root, 'task.toml')) return readHarborTask(root, signal);
  if (await hasFile(root, 'task.yaml')) return readTerminalBench1Task(root, signal);
  if (await hasFile(root, 'solution.yaml')) {
    throw new AppError('task.invalid', 'has a solution.yaml but no task.yaml, so nothing says what the agent is to do', {
      where: root,
      hint: 'Add task.yaml with an instruction (Terminal-Bench 1), or convert the task to Harbor.',
    });
  }
  if (await hasFile(root, 'run-tests.sh')) {
    throw new AppError('task.invalid', 'has a run-tests.sh but no task.yaml', { where: root, hint: 'Add task.yaml with an instruction.' });
  }
  if (await hasFile(root, 'task.json')) {
    throw new AppError('task.unsupported', 'is a native Endless task (task.json), which has no Dockerfile', {
      where: root,
      hint: 'Convert it to a Harbor task directory first.',
    });
  }
  throw new AppError('task.not_found', `no task in ${folder}: it has neither task.toml nor task.yaml`, {
    where: root,
    hint: 'Give a Harbor or Terminal-Bench 1 task directory, or a folder of them.',
  });
}

/** A folder that means to be a task but cannot be read, and why. */
export interface Rejected {
  folder: string;
  error: AppError;
}

/**
 * Reads the task in `folder`, or every task directly below it and below its tasks/ folder, sorted by name. What means to be a task
 * but cannot be read is in `rejected` with the reason and left out.
 * Fails with `task.not_found` where nothing means to be a task.
 */
export async function loadTasks(folder: string, signal?: AbortSignal): Promise<{ tasks: Task[]; rejected: Rejected[] }> {
  const root = await existingFolder(folder);
  const candidates = await candidateFolders(root);
  if (candidates.length === 0) {
    throw new AppError('task.not_found', `no task in ${folder} or in the folders below it`, {
      where: root,
      hint: 'A task is a folder with a task.toml (Harbor) or a task.yaml (Terminal-Bench 1).',
    });
  }
  const tasks: Task[] = [];
  const rejected: Rejected[] = [];
  for (const candidate of candidates) {
    signal?.throwIfAborted();
    try {
      tasks.push(await loadTask(candidate, signal));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      rejected.push({ folder: candidate, error });
    }
  }
  return { tasks, rejected };
}

/** The folder itself where it is a task; else the tasks below it; else the folder again where it at least means to be one. */
async function candidateFolders(root: string): Promise<string[]> {
  if ((await hasFile(root, 'task.toml')) || (await hasFile(root, 'task.yaml'))) return [root];
  const below = await taskFolders(root);
  return below.length === 0 && (await isMarked(root)) ? [root] : below;
}

async function taskFolders(root: string): Promise<string[]> {
  const below = await markedBelow(root);
  const nested = join(root, 'tasks');
  return (await isFolder(nested)) && !(await isMarked(nested)) ? [...below, ...(await markedBelow(nested))] : below;
}

async function markedBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map((entry) => entry.name);
  const marked: string[] = [];
  for (const name of names.sort()) if (await isMarked(join(folder, name))) marked.push(join(folder, name));
  return marked;
}

async function isMarked(folder: string): Promise<boolean> {
  for (const name of MARKERS) if (await hasFile(folder, name)) return true;
  return false;
}

async function existingFolder(folder: string): Promise<string> {
  const root = resolve(folder);
  if (await isFolder(root)) return root;
  throw new AppError('task.not_found', `there is no folder ${folder}`, { where: root, hint: 'Check the path.' });
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}
