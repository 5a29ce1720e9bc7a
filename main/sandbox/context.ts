// A build context: the files of a folder that its .dockerignore lets through, their digest, and their archive for the engine.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import dockerignore from '@balena/dockerignore';
import tar from 'tar-stream';

export interface ContextFile {
  /** Relative to the context, with `/`. */
  path: string;
  mode: number;
  kind: { type: 'file'; size: number; from: string } | { type: 'folder' } | { type: 'link'; to: string };
}

/**
 * Files of a context in a fixed order. Links stay links, as Docker's client does it. The Dockerfile and .dockerignore are sent
 * even where they are ignored, since the engine reads both; it leaves them out of COPY itself.
 */
export async function readContext(folder: string, dockerfile: string): Promise<ContextFile[]> {
  const patterns = await readFile(join(folder, '.dockerignore'), 'utf8').catch(() => '');
  const ignore = dockerignore({ ignorecase: false }).add(patterns);
  const always = new Set([dockerfile, '.dockerignore']);
  const files: ContextFile[] = [];
  const walk = async (path: string): Promise<void> => {
    for (const name of (await readdir(join(folder, path))).toSorted()) {
      const child = posix.join(path, name);
      const from = join(folder, child);
      const stat = await lstat(from);
      const mode = stat.mode & 0o7777;
      const kept = always.has(child) || !ignore.ignores(child);
      if (stat.isDirectory()) {
        if (kept) files.push({ path: child, mode, kind: { type: 'folder' } });
        // An exception like `!a/b` may let through something below an ignored folder.
        await walk(child);
      } else if (kept && stat.isSymbolicLink()) files.push({ path: child, mode: 0o777, kind: { type: 'link', to: await readlink(from) } });
      else if (kept && stat.isFile()) files.push({ path: child, mode, kind: { type: 'file', size: stat.size, from } });
    }
  };
  await walk('');
  return files;
}

/** SHA-256 over paths, modes and contents. Times and owners do not count: a fresh clone has the same digest. */
export async function digestOf(files: ContextFile[], extra: string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const text of extra) hash.update(`${Buffer.byteLength(text)}\0`).update(text);
  for (const { path, mode, kind } of files) {
    hash.update(`${path}\0${kind.type}\0${(mode & 0o111) === 0 ? 'plain' : 'executable'}\0`);
    if (kind.type === 'link') hash.update(`${kind.to}\0`);
    if (kind.type === 'file') {
      hash.update(`${kind.size}\0`);
      await pipeline(createReadStream(kind.from), async (source) => {
        for await (const chunk of source) hash.update(chunk);
      });
    }
  }
  return hash.digest('hex');
}

/** A Dockerfile of this name takes the place of the context's own without ending up in a `COPY .`. */
export const rewrittenName = '.termarium-dockerfile';

/**
 * The archive that the engine builds from. A rewritten Dockerfile travels beside the original, under a name that .dockerignore then
 * lists: the engine reads it and takes it out, so that the image gets the context as its author sees it.
 */
export function packContext(files: ContextFile[], rewritten: string | undefined): tar.Pack {
  const pack = tar.pack();
  // Equal times make equal archives, which lets the engine's own layer cache work from one clone to the next.
  const mtime = new Date(0);
  const write = async () => {
    if (rewritten !== undefined) {
      await entry(pack, { name: rewrittenName, mode: 0o644, mtime, type: 'file' }, rewritten);
      const own = files.find((file) => file.path === '.dockerignore' && file.kind.type === 'file');
      const patterns = own?.kind.type === 'file' ? await readFile(own.kind.from, 'utf8') : '.dockerignore';
      await entry(pack, { name: '.dockerignore', mode: own?.mode ?? 0o644, mtime, type: 'file' }, `${patterns}\n${rewrittenName}\n`);
    }
    for (const { path, mode, kind } of files) {
      const common = { name: path, mode, mtime };
      if (rewritten !== undefined && path === '.dockerignore') continue;
      if (kind.type === 'folder') await entry(pack, { ...common, type: 'directory' });
      else if (kind.type === 'link') await entry(pack, { ...common, type: 'symlink', linkname: kind.to });
      else if (kind.size === 0) await entry(pack, { ...common, type: 'file' }, '');
      else {
        const source = createReadStream(kind.from, { end: kind.size - 1 });
        await pipeline(source, pack.entry({ ...common, type: 'file', size: kind.size }));
      }
    }
    pack.finalize();
  };
  write().catch((error: Error) => pack.destroy(error));
  return pack;
}

function entry(pack: tar.Pack, headers: Partial<tar.Header> & { name: string }, content = ''): Promise<void> {
  return new Promise((resolve, reject) => {
    pack.entry(headers, content, (error) => (error ? reject(error) : resolve()));
  });
}
