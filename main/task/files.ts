// The files of a task folder, which is untrusted: nothing outside it is ever read, whatever its links say.
import type { Dirent } from 'node:fs';
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { AppError, messageOf } from '../lib/errors.ts';

export interface TaskFile {
  /** Relative to the task's folder, with forward slashes. */
  path: string;
  bytes: number;
  executable: boolean;
  /** Valid UTF-8 without NUL in its first 8 KiB. */
  text: boolean;
}

export interface TaskEntry {
  /** Relative to the folder walked, with forward slashes. */
  path: string;
  kind: 'file' | 'folder' | 'link';
}

const SNIFFED_BYTES = 8192;
/** What the UI shows of one file. */
const SHOWN_BYTES = 1_000_000;
/** No instruction, task file or compose file is larger; a larger one is a mistake or an attack. */
const READ_BYTES = 4 * 1024 * 1024;
const EXECUTABLE = 0o111;

/** Everything below `folder` but Git's own data, sorted by path. Links are listed, not followed. */
export async function walk(folder: string, signal?: AbortSignal): Promise<TaskEntry[]> {
  const entries: TaskEntry[] = [];
  const visit = async (below: string): Promise<void> => {
    signal?.throwIfAborted();
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      const kind = kindOf(entry);
      if (kind === null || path === '.git') continue;
      entries.push({ path, kind });
      if (kind === 'folder') await visit(path);
    }
  };
  await visit('');
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function kindOf(entry: Dirent): TaskEntry['kind'] | null {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : null;
}

/** Lists the regular files of a task, with links to files inside the folder. A link that leads outside is left out. */
export async function listTaskFiles(folder: string, signal?: AbortSignal): Promise<TaskFile[]> {
  const files: TaskFile[] = [];
  for (const entry of await walk(folder, signal)) {
    if (entry.kind === 'folder') continue;
    const target = await insideOrNull(folder, entry.path);
    if (target === null) continue;
    const info = await stat(target);
    if (!info.isFile()) continue;
    const head = await readHead(target, SNIFFED_BYTES);
    files.push({ path: entry.path, bytes: info.size, executable: (info.mode & EXECUTABLE) !== 0, text: isText(head) });
  }
  return files;
}

/**
 * Text of one file, cut at `limit` bytes; `text` is null for a binary file.
 * Fails with `request.invalid` for a path that leaves the folder and `request.not_found` where there is no such file.
 */
export async function readTaskFile(
  folder: string,
  path: string,
  limit: number = SHOWN_BYTES,
): Promise<{ text: string | null; bytes: number; cut: boolean }> {
  const target = await inside(folder, path);
  const info = await stat(target);
  if (!info.isFile()) throw new AppError('request.not_found', `${path} is not a file`);
  const data = await readHead(target, limit);
  const cut = info.size > data.length;
  return { text: isText(data) ? new TextDecoder().decode(data, { stream: cut }) : null, bytes: info.size, cut };
}

/** Whole text of a file that a task is made of, or null where there is none. `task.invalid` where it is no text or leaves the folder. */
export async function readText(folder: string, path: string): Promise<string | null> {
  const where = join(folder, path);
  try {
    const { text, cut } = await readTaskFile(folder, path, READ_BYTES);
    if (cut) throw new AppError('task.invalid', `${path} is larger than ${READ_BYTES / 1024 / 1024} MiB`, { where });
    if (text === null) throw new AppError('task.invalid', `${path} is not UTF-8 text`, { where });
    return text;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'request.not_found') return null;
    if (error.code === 'request.invalid') throw new AppError('task.invalid', error.message, { where });
    throw error;
  }
}

/** True where `path` is a regular file (or a link to one) inside the folder. */
export async function hasFile(folder: string, path: string): Promise<boolean> {
  const target = await insideOrNull(folder, path);
  return target !== null && (await stat(target)).isFile();
}

/** True where `path` is a folder inside the folder. */
export async function hasFolder(folder: string, path: string): Promise<boolean> {
  const target = await insideOrNull(folder, path);
  return target !== null && (await stat(target)).isDirectory();
}

/** Absolute real path of `path`, or null where it does not exist or leads outside `folder`. */
export async function insideOrNull(folder: string, path: string): Promise<string | null> {
  try {
    return await inside(folder, path);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/**
 * Absolute path at which `path` may be written: it and every folder above it that exists lie inside `folder`, links followed.
 * Fails with `request.invalid` otherwise.
 */
export async function placeInside(folder: string, path: string): Promise<string> {
  refuseOutside(folder, path);
  const place = resolve(folder, path);
  let existing = place;
  while ((await lstat(existing).catch(() => null)) === null) existing = dirname(existing);
  const real = await realpath(existing).catch(() => null);
  if (real === null || !contains(await realpath(folder), real)) throw leavesFolder(path);
  return place;
}

async function inside(folder: string, path: string): Promise<string> {
  refuseOutside(folder, path);
  const target = await realpath(join(folder, path)).catch((error: unknown) => {
    throw new AppError('request.not_found', `there is no ${path}: ${messageOf(error)}`, { cause: error });
  });
  if (!contains(await realpath(folder), target)) throw leavesFolder(path);
  return target;
}

function refuseOutside(folder: string, path: string): void {
  if (path.includes('\0') || isAbsolute(path) || !contains(resolve(folder), resolve(folder, path))) throw leavesFolder(path);
}

function leavesFolder(path: string): AppError {
  return new AppError('request.invalid', `${JSON.stringify(path)} leads out of the task's folder`, {
    hint: 'Give a path below the task, with forward slashes.',
  });
}

function contains(root: string, target: string): boolean {
  const between = relative(root, target);
  return between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between);
}

async function readHead(path: string, limit: number): Promise<Buffer> {
  await using file = await open(path, 'r');
  const buffer = Buffer.alloc(Math.min(limit, (await file.stat()).size));
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** A cut in the middle of a character is still text: `stream` lets an unfinished last character pass. */
function isText(data: Uint8Array): boolean {
  if (data.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(data, { stream: true });
    return true;
  } catch {
    return false;
  }
}
