// Digests that identify the content of a task folder, equal to those that Harbor writes into its lock files and results.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import ignore from 'ignore';
import { hasFile, hasFolder, insideOrNull, readText, walk } from './files.ts';

const FILES = ['task.toml', 'instruction.md', 'README.md'];
const FOLDERS = ['environment', 'tests', 'solution', 'steps'];
/** What Harbor leaves out of a task that has no .gitignore. */
const IGNORED = ['__pycache__/', '*.pyc', '.DS_Store', '*.swp', '*.swo', '*~'];

/**
 * Harbor's content digest: SHA-256 over `path NUL sha256(file) LF` of task.toml, instruction.md, README.md and all files of
 * environment/, tests/, solution/ and steps/, sorted by path, without what .gitignore (or, absent that, the default list) matches.
 * A link counts as the file it leads to; one that leaves the folder or leads nowhere is left out.
 */
export async function contentDigest(folder: string, signal?: AbortSignal): Promise<string> {
  const rules = await readText(folder, '.gitignore');
  const ignored = ignore().add(rules ?? IGNORED);
  const paths: string[] = [];
  for (const file of FILES) if (await hasFile(folder, file)) paths.push(file);
  for (const top of FOLDERS) if (await hasFolder(folder, top)) paths.push(...(await filesBelow(folder, top, signal)));
  return digestOf(
    folder,
    paths.filter((path) => !ignored.ignores(path)),
    signal,
  );
}

/** The same sum over every file of the folder, for formats that Harbor's list of folders does not fit. */
export async function wholeDigest(folder: string, signal?: AbortSignal): Promise<string> {
  return digestOf(folder, await filesBelow(folder, '', signal), signal);
}

/**
 * The digest that Harbor up to 0.6 wrote as `task_checksum`: the dirhash standard over names and data of everything in the
 * folder, empty folders left out.
 */
export async function legacyDigest(folder: string, signal?: AbortSignal): Promise<string> {
  return (await dirhash(folder, folder, signal)) ?? sha256('');
}

async function digestOf(folder: string, paths: string[], signal: AbortSignal | undefined): Promise<string> {
  const outer = createHash('sha256');
  for (const path of paths.sort(byCodePoint)) {
    const target = await insideOrNull(folder, path);
    if (target !== null) outer.update(`${path}\0${await hashFile(target, signal)}\n`);
  }
  return outer.digest('hex');
}

async function filesBelow(folder: string, top: string, signal: AbortSignal | undefined): Promise<string[]> {
  const entries = await walk(join(folder, top), signal);
  const prefix = top === '' ? '' : `${top}/`;
  const files: string[] = [];
  for (const entry of entries) {
    const path = prefix + entry.path;
    if (entry.kind === 'file' || (entry.kind === 'link' && (await hasFile(folder, path)))) files.push(path);
  }
  return files;
}

async function dirhash(root: string, folder: string, signal: AbortSignal | undefined): Promise<string | null> {
  const described: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const data = entry.isDirectory() ? await dirhash(root, path, signal) : await hashLinked(root, path, signal);
    if (data === null) continue;
    described.push([`${entry.isDirectory() ? 'dirhash' : 'data'}:${data}`, `name:${entry.name}`].sort(byCodePoint).join('\0'));
  }
  return described.length === 0 ? null : sha256(described.sort(byCodePoint).join('\0\0'));
}

/** Null for a link that leads to a folder (it may lead in a circle), to nothing, or out of the task. */
async function hashLinked(root: string, path: string, signal: AbortSignal | undefined): Promise<string | null> {
  const inside = relative(root, path);
  const target = await insideOrNull(root, inside);
  return target !== null && (await hasFile(root, inside)) ? hashFile(target, signal) : null;
}

async function hashFile(path: string, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, signal ? { signal } : {})) hash.update(chunk);
  return hash.digest('hex');
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** As Python sorts: by code point, where JavaScript's own order differs beyond the basic plane. */
function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
