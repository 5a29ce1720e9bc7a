// Files into and out of a container through the engine's archive calls, which run outside the container and need nothing of the image.
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import tar from 'tar-stream';
import { AppError } from '../lib/errors.ts';
import type { Box } from './box.ts';
import { containerFailure, statusOf } from './failure.ts';
import type { UploadEntry } from './sandbox.ts';

const defaultReadLimit = 8 * 1024 * 1024;

/** One entry of the archive, by its absolute path in the container. */
type Item = { path: string; mode: number; uid?: number | undefined; gid?: number | undefined } & (
  | { type: 'file'; size: number; open: () => Readable }
  | { type: 'link'; linkname: string }
  | { type: 'folder' }
);

/**
 * Puts files below `target` as root, in one archive. A folder that is missing, or in whose place there is a link or a file, is sent as
 * a folder entry, which makes the engine replace what is there: so a planted link cannot redirect the write. A folder that exists is
 * left as it is, with its owner and mode.
 */
export async function uploadFiles(box: Box, target: string, entries: UploadEntry[]): Promise<void> {
  const root = absolute(target);
  const items = (await Promise.all(entries.map((entry) => toItems(root, entry)))).flat();
  const asked = new Set(items.filter((item) => item.type === 'folder').map((item) => item.path));
  const needed = new Set(asked.add(root));
  for (const item of items)
    for (let at = posix.dirname(item.path); at.startsWith(root) && at !== '/'; at = posix.dirname(at)) needed.add(at);
  const missing = await notFolders(box, [...needed]);
  const pack = tar.pack();
  const writing = write(pack, [
    ...missing.map(
      (path): Item => items.find((item) => item.type === 'folder' && item.path === path) ?? { type: 'folder', path, mode: 0o755 },
    ),
    ...items.filter((item) => item.type !== 'folder'),
  ]).catch((error: Error) => pack.destroy(error));
  try {
    // tar-stream's pack is a readable of the streamx kind; piping it is all that the client does with it.
    await box.container.putArchive(pack as unknown as Readable, { path: '/' });
    await writing;
  } catch (error) {
    throw containerFailure(`upload to ${target}`, box.container.id, error);
  }
}

/** Content of one regular file, null where there is none (also for a link, which could lead anywhere, a folder, a device). */
export async function readRegularFile(box: Box, path: string, limit: number = defaultReadLimit): Promise<Buffer | null> {
  const stream = await archive(box, path);
  if (stream === null) return null;
  const extract = tar.extract();
  const copying = pipeline(stream, extract).catch(() => {});
  try {
    for await (const entry of extract) {
      const { type, size = 0 } = entry.header;
      if (type !== 'file') return null;
      if (size > limit) {
        throw new AppError('request.invalid', `${path} in the sandbox has ${size} bytes; at most ${limit} are read`);
      }
      const chunks: Uint8Array[] = [];
      // A tar entry yields buffers; the library's types leave that open.
      for await (const chunk of entry as AsyncIterable<Uint8Array>) chunks.push(chunk);
      return Buffer.concat(chunks);
    }
    return null;
  } finally {
    extract.destroy();
    stream.destroy();
    await copying;
  }
}

/** Tar stream of a path. */
export async function downloadPath(box: Box, path: string): Promise<Readable> {
  const stream = await archive(box, path);
  if (stream === null) throw new AppError('request.not_found', `${path} does not exist in the sandbox`);
  return stream;
}

async function archive(box: Box, path: string): Promise<Readable | null> {
  try {
    // The answer to an archive request is the HTTP response, a Readable, typed more loosely by the client.
    return (await box.container.getArchive({ path: absolute(path) })) as Readable;
  } catch (error) {
    if (statusOf(error) === 404 && (await exists(box))) return null;
    throw containerFailure(`read ${path}`, box.container.id, error);
  }
}

async function exists(box: Box): Promise<boolean> {
  try {
    await box.container.inspect();
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw containerFailure('look at a container', box.container.id, error);
  }
}

/** Of these paths, in order from the top, those that are not real folders in the container. What is below a missing one is not looked up. */
async function notFolders(box: Box, paths: string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const path of paths.toSorted((a, b) => a.length - b.length)) {
    const below = missing.some((parent) => path.startsWith(`${parent}/`));
    if (below || !(await isFolder(box, path))) missing.push(path);
  }
  return missing;
}

/** Go's file mode bits, as the engine's path statistics give them: bit 31 says folder. */
const goModeFolder = 2 ** 31;

async function isFolder(box: Box, path: string): Promise<boolean> {
  if (path === '/') return true;
  try {
    const answer: unknown = await box.container.infoArchive({ path });
    const headers = answer instanceof Readable && 'headers' in answer ? (answer.headers as Record<string, unknown>) : {};
    if (answer instanceof Readable) answer.resume();
    const stat: unknown = JSON.parse(Buffer.from(String(headers['x-docker-container-path-stat']), 'base64').toString('utf8'));
    return typeof stat === 'object' && stat !== null && 'mode' in stat && Number(stat.mode) >= goModeFolder;
  } catch (error) {
    if (statusOf(error) === 404 && (await exists(box))) return false;
    throw containerFailure(`look at ${path}`, box.container.id, error);
  }
}

/** An absolute, normal path inside the container. */
function absolute(path: string): string {
  if (!path.startsWith('/') || path.includes('\0')) {
    throw new AppError('request.invalid', `not an absolute path in a sandbox: ${JSON.stringify(path)}`);
  }
  return posix.normalize(path).replace(/(.)\/$/, '$1');
}

/** Where an entry goes; fails when that is not below the target. */
function inside(root: string, path: string): string {
  const at = posix.join(root, path);
  const within = at === root || at.startsWith(root === '/' ? '/' : `${root}/`);
  if (path.startsWith('/') || path.includes('\0') || path.split('/').includes('..') || !within) {
    throw new AppError('request.invalid', `an upload may not leave its folder ${root}: ${JSON.stringify(path)}`);
  }
  return at.replace(/(.)\/$/, '$1');
}

async function toItems(root: string, entry: UploadEntry): Promise<Item[]> {
  const path = inside(root, entry.path);
  if ('from' in entry) return fromHost(path, entry.from, true);
  const content = typeof entry.content === 'string' ? Buffer.from(entry.content) : entry.content;
  const open = () => Readable.from([content], { objectMode: false });
  return [{ type: 'file', path, size: content.length, open, mode: entry.mode ?? 0o644, uid: entry.uid, gid: entry.gid }];
}

/** Links below an uploaded folder stay links: following one would hand files of this machine to whoever wrote the task. */
async function fromHost(path: string, from: string, top: boolean): Promise<Item[]> {
  const stat = await lstat(from).catch((error: Error) => {
    throw new AppError('request.invalid', `cannot upload ${from}: ${error.message}`, { cause: error });
  });
  const mode = stat.mode & 0o7777;
  if (stat.isFile())
    return [{ type: 'file', path, size: stat.size, open: () => createReadStream(from, { end: Math.max(0, stat.size - 1) }), mode }];
  if (stat.isSymbolicLink() && !top) return [{ type: 'link', path, linkname: await readlink(from), mode }];
  if (!stat.isDirectory()) {
    throw new AppError('request.invalid', `cannot upload ${from}: neither a file nor a folder`, {
      hint: 'Links, devices and sockets are not followed; give the path they lead to.',
    });
  }
  const names = (await readdir(from)).toSorted();
  const children = await Promise.all(names.map((name) => fromHost(posix.join(path, name), join(from, name), false)));
  return [{ type: 'folder', path, mode }, ...children.flat()];
}

async function write(pack: tar.Pack, items: Item[]): Promise<void> {
  for (const item of items) {
    const common = { name: item.path.slice(1), mode: item.mode, uid: item.uid ?? 0, gid: item.gid ?? 0 };
    if (item.type === 'file' && item.size > 0) {
      await pipeline(item.open(), pack.entry({ ...common, type: 'file', size: item.size }));
    } else {
      const header = {
        file: { type: 'file', size: 0 },
        link: { type: 'symlink', linkname: item.type === 'link' ? item.linkname : '' },
        folder: { type: 'directory' },
      } as const;
      await new Promise<void>((resolve, reject) => {
        pack.entry({ ...common, ...header[item.type] }, '', (error) => (error ? reject(error) : resolve()));
      });
    }
  }
  pack.finalize();
}
