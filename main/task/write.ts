// Writes a task folder out again: every byte, link and executable bit as it was, but for the edits that are asked for.
import { chmod, copyFile, lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { AppError } from '../lib/errors.ts';
import { insideOrNull, placeInside, walk } from './files.ts';
import { editToml, type TomlEdit } from './toml-edit.ts';

const EXECUTABLE = 0o111;

export interface TaskEdits {
  /** Single fields of task.toml; comments and unknown keys stay. */
  toml?: TomlEdit[];
  /** Whole texts by path below the task, replaced or added. */
  files?: Record<string, string>;
}

/**
 * Copies the task in `folder` to `target`, which must not exist or be empty, with `edits` applied to the copy. Git's own data is left
 * behind; links are copied as links and never followed. Fails with `request.conflict` where the target is in use.
 */
export async function exportTask(folder: string, target: string, edits: TaskEdits = {}, signal?: AbortSignal): Promise<void> {
  const [from, to] = [resolve(folder), resolve(target)];
  if (from === to || !relative(from, to).startsWith('..')) {
    throw new AppError('request.conflict', `cannot export ${folder} into itself`, { hint: 'Choose a folder outside the task.' });
  }
  await mkdir(to, { recursive: true });
  if ((await readdir(to)).length > 0) {
    throw new AppError('request.conflict', `${target} is not empty`, { hint: 'Choose a new or an empty folder.' });
  }
  for (const entry of await walk(from, signal)) {
    signal?.throwIfAborted();
    const [source, copy] = [join(from, entry.path), join(to, entry.path)];
    switch (entry.kind) {
      case 'folder':
        await mkdir(copy, { recursive: true });
        break;
      case 'link':
        await symlink(await readlink(source), copy);
        break;
      case 'file': {
        const isExecutable = ((await lstat(source)).mode & EXECUTABLE) !== 0;
        await copyFile(source, copy);
        // The copy must be writable even where the original is not; of the mode only the executable bit is part of a task.
        await chmod(copy, isExecutable ? 0o755 : 0o644);
        break;
      }
    }
  }
  await editTask(to, edits);
}

/** Applies edits to the task in `folder` itself. Fails with `request.invalid` for a path that leaves it. */
export async function editTask(folder: string, edits: TaskEdits): Promise<void> {
  for (const [path, text] of Object.entries(edits.files ?? {})) {
    const place = await placeInside(folder, path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, text);
  }
  if (edits.toml && edits.toml.length > 0) {
    const place = await insideOrNull(folder, 'task.toml');
    if (place === null) throw new AppError('task.invalid', 'has no task.toml', { where: join(folder, 'task.toml') });
    await writeFile(place, editToml(await readFile(place, 'utf8'), edits.toml));
  }
}
