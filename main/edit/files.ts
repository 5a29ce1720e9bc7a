// The files of one task as an editor handles them: read with the digest of every byte, written only where nobody else wrote meanwhile,
// removed into a trash from which they can be put back.
import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { delay } from '../lib/abort.ts';
import { AppError, boundary } from '../lib/errors.ts';
import { insideOrNull, listTaskFiles, placeInside, readTaskFile, type TaskFile, walk } from '../task/files.ts';

/** A larger file is shown from its beginning and not edited. */
const EDITED_BYTES = 1_000_000;
/** How often a watched folder is looked at, in ms. */
const LOOK_EVERY_MS = 700;
/** How often a folder that changes while it is listed is listed again. */
const MOST_TRIES = 4;

export interface EditableFile {
  /** Exactly the file's content, byte order mark and line ends included; null for what is no UTF-8 text. */
  text: string | null;
  bytes: number;
  /** The text is only the beginning of the file. */
  cut: boolean;
  /** SHA-256 of the file, what a save must name to say what it replaces. */
  digest: string;
}

export interface FolderState {
  /** Changes whenever a file is added, removed, written or made executable. */
  version: string;
  files: (TaskFile & {
    /** Changes with the file. */
    stamp: string;
  })[];
  /** Folders, so that empty ones show too. */
  folders: string[];
}

/** Reads one file. Fails with `request.invalid` for a path that leaves the folder and `request.not_found` where there is none. */
export async function readEditable(folder: string, path: string): Promise<EditableFile> {
  const place = await placeInside(folder, path);
  const { bytes, cut, text } = await readTaskFile(folder, path, EDITED_BYTES);
  if (cut) return { text, bytes, cut, digest: '' };
  const content = await readFile(place);
  return {
    text: text === null ? null : new TextDecoder('utf-8', { ignoreBOM: true }).decode(content),
    bytes,
    cut,
    digest: digestOf(content),
  };
}

/**
 * Writes `text` to a file whose content still has the digest `base` (null: a file that does not exist yet), all of it or nothing, and
 * leaves its mode and whatever link leads to it alone. Answers the new digest. Fails with `request.conflict` where the file is another.
 */
export async function saveFile(folder: string, path: string, text: string, base: string | null): Promise<string> {
  const place = await placeInside(folder, path);
  const target = (await insideOrNull(folder, path)) ?? place;
  const current = await readFile(target).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  const found = current === null ? null : digestOf(current);
  if (found !== base) {
    throw new AppError('request.conflict', found === null ? `${path} is gone from the disk` : `${path} was changed on the disk meanwhile`, {
      hint: 'Nothing was written. Compare both versions in the editor, then save again.',
    });
  }
  const content = Buffer.from(text, 'utf8');
  if (current?.equals(content)) return digestOf(content);
  await mkdir(dirname(target), { recursive: true });
  // Under a name that digests of tasks leave out, should the lab be killed between the two steps.
  const unfinished = `${target}.termarium~`;
  await writeFile(unfinished, content);
  if (current !== null) await chmod(unfinished, (await stat(target)).mode & 0o7777);
  else if (/^#!/.test(text)) await chmod(unfinished, 0o755);
  await rename(unfinished, target);
  return digestOf(content);
}

/** Gives a file or folder another name. Fails with `request.conflict` where that name is taken. */
export async function renamePath(folder: string, from: string, to: string): Promise<void> {
  const source = await existing(folder, from);
  const target = await placeInside(folder, to);
  if (`${to}/`.startsWith(`${from}/`)) throw new AppError('request.invalid', `${from} cannot be moved into itself`);
  await refuseTaken(target, to);
  await mkdir(dirname(target), { recursive: true });
  await rename(source, target);
}

/** Absolute place of something that exists below the task, itself not followed where it is a link. */
export async function existing(folder: string, path: string): Promise<string> {
  const place = await placeInside(folder, path);
  if (path === '' || (await lstat(place).catch(() => null)) === null) throw new AppError('request.not_found', `there is no ${path}`);
  return place;
}

export async function refuseTaken(place: string, name: string): Promise<void> {
  if ((await lstat(place).catch(() => null)) === null) return;
  throw new AppError('request.conflict', `${name} exists already`, { hint: 'Choose another name.' });
}

/**
 * What the folder holds, as soon as that is not `after` any more; at the latest after `parkMs`. The disk is looked at by name, size and
 * time: that works on every file system and for every program that writes there.
 */
export async function watchFolder(folder: string, after: string | undefined, parkMs: number, signal: AbortSignal): Promise<FolderState> {
  const until = performance.now() + parkMs;
  const see = () => boundary('task.not_found', `${folder} cannot be read`, () => look(folder, signal));
  for (let seen = await see(), tries = 0; ; ) {
    if (seen.version === after && performance.now() < until) {
      await delay(LOOK_EVERY_MS, signal);
      seen = await see();
      continue;
    }
    const described = await describe(folder, seen.stamps, signal);
    const again = await see();
    if (again.version === seen.version) return { ...described, version: seen.version };
    // Somebody wrote while the files were listed. A folder that never rests is told as it is, under a version that no look will give.
    tries += 1;
    if (tries === MOST_TRIES) return { ...described, version: `${seen.version}~` };
    seen = again;
  }
}

async function look(folder: string, signal: AbortSignal): Promise<{ version: string; stamps: Map<string, string> }> {
  const stamps = new Map<string, string>();
  const sum = createHash('sha256');
  for (const entry of await walk(folder, signal)) {
    // A link counts as what it leads to; one that leads nowhere has a stamp all the same.
    const info = await stat(join(folder, entry.path), { bigint: true }).catch(() => null);
    const stamp = entry.kind === 'folder' ? 'folder' : info === null ? 'none' : `${info.size}.${info.mtimeNs}.${info.ino}.${info.mode}`;
    stamps.set(entry.path, stamp);
    sum.update(`${entry.path}\0${stamp}\n`);
  }
  return { version: sum.digest('hex').slice(0, 32), stamps };
}

async function describe(folder: string, stamps: Map<string, string>, signal: AbortSignal): Promise<Omit<FolderState, 'version'>> {
  const files = (await listTaskFiles(folder, signal)).filter((file) => !file.path.endsWith('.termarium~'));
  return {
    files: files.map((file) => ({ ...file, stamp: stamps.get(file.path) ?? '' })),
    folders: [...stamps].filter(([, stamp]) => stamp === 'folder').map(([path]) => path),
  };
}

function digestOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
