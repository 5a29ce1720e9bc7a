// Where removed files and tasks wait, each in a folder of its own with a note of where it came from, so that removing can be undone.
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { uuidv7 } from 'uuidv7';
import * as z from 'zod';
import { AppError } from '../lib/errors.ts';
import { refuseTaken } from './files.ts';

/** Time after which removed things are really removed, in ms: looked at when the next thing comes. */
const KEPT_MS = 30 * 24 * 3600 * 1000;

const note = z.object({ from: z.string() });

/** Moves a file or folder into the trash. Answers the name to put it back by. */
export async function discard(trash: string, path: string): Promise<string> {
  await forgetOld(trash);
  const id = uuidv7();
  const place = join(trash, id);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'note.json'), JSON.stringify({ from: path }));
  await move(path, join(place, 'content', basename(path)));
  return id;
}

/** Puts back what `discard` took, to where it was. Fails with `request.conflict` where something else is there by now. Answers the path. */
export async function putBack(trash: string, id: string): Promise<string> {
  if (!/^[0-9a-f-]{36}$/.test(id)) throw new AppError('request.invalid', 'no name of anything in the trash');
  const place = join(trash, id);
  const text = await readFile(join(place, 'note.json'), 'utf8').catch(() => null);
  if (text === null) throw new AppError('request.not_found', 'it is not in the trash any more');
  const { from } = note.parse(JSON.parse(text));
  await refuseTaken(from, from);
  await move(join(place, 'content', basename(from)), from);
  await rm(place, { recursive: true, force: true });
  return from;
}

/** A rename, or a copy where the target lies on another disk. Links are moved as links. */
async function move(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  try {
    await rename(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error;
    await cp(from, to, { recursive: true, verbatimSymlinks: true, errorOnExist: true, force: false, preserveTimestamps: true });
    await rm(from, { recursive: true, force: true });
  }
}

async function forgetOld(trash: string): Promise<void> {
  for (const name of await readdir(trash).catch(() => [])) {
    const place = join(trash, name);
    const info = await stat(place).catch(() => null);
    if (info && Date.now() - info.mtimeMs > KEPT_MS) await rm(place, { recursive: true, force: true });
  }
}
