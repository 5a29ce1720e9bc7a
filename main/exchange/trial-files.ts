// The files of one trial folder of Harbor that say something about it, read once: for its content hash and for its reader.
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../lib/errors.ts';

/** A larger file is no trajectory that anybody could read. */
export const MOST_BYTES = 256 * 1024 * 1024;

export interface TrialFiles {
  folder: string;
  /** Content by path below the folder, with forward slashes. */
  content: Map<string, Buffer>;
  bytes: number;
  hash: string;
  cast: string | null;
}

const trialFile = /^(result|config)\.json$|^exception\.txt$/;
const agentFile = /^(trajectory(\.[\w.-]+)?|usage|timing)\.json$/;
const verifierFile = /^(reward\.(txt|json)|test-stdout\.txt|ctrf\.json)$/;
const episode = /^episode-(\d+)$/;

/** True for the names in a folder where they are those of a trial. A job has the first two as well, but none of the others. */
export function isTrialFolder(names: ReadonlySet<string>): boolean {
  const record = names.has('result.json') || names.has('config.json');
  const parts = ['agent', 'verifier', 'steps', 'exception.txt', 'trial.log'].some((name) => names.has(name));
  return record ? parts : names.has('agent') && (names.has('verifier') || names.has('artifacts'));
}

/** Reads a trial folder. Blocks for as long as that takes, which for many small files is far shorter than asking for each. */
export function readTrialFiles(folder: string): TrialFiles {
  const content = new Map<string, Buffer>();
  let cast: string | null = null;
  const take = (path: string) => content.set(path, readWhole(join(folder, path)));
  const takeParts = (below: string) => {
    for (const name of namesIn(join(folder, below, 'agent'))) {
      if (agentFile.test(name)) take(`${below}agent/${name}`);
      if (name === 'recording.cast') cast ??= join(folder, below, 'agent', name);
      if (episode.test(name)) takeEpisode(`${below}agent/${name}`);
    }
    for (const name of namesIn(join(folder, below, 'verifier'))) if (verifierFile.test(name)) take(`${below}verifier/${name}`);
  };
  const takeEpisode = (path: string) => {
    for (const name of namesIn(join(folder, path))) if (name === 'response.txt' || name === 'prompt.txt') take(`${path}/${name}`);
  };
  for (const name of namesIn(folder)) if (trialFile.test(name)) take(name);
  takeParts('');
  for (const step of namesIn(join(folder, 'steps'))) takeParts(`steps/${step}/`);

  const hash = createHash('sha256');
  let bytes = 0;
  for (const path of [...content.keys()].sort()) {
    const data = content.get(path) ?? Buffer.alloc(0);
    hash.update(`${path}\0${data.length}\0`).update(data);
    bytes += data.length;
  }
  if (cast) hash.update(`cast\0${statSync(cast).size}`);
  return { folder, content, bytes, hash: hash.digest('hex'), cast };
}

/** Reads a regular file. Throws `request.invalid` for one that is too large to be a record. */
export function readWhole(path: string): Buffer {
  const handle = openSync(path, 'r');
  try {
    const { size } = fstatSync(handle);
    if (size > MOST_BYTES) {
      throw new AppError('request.invalid', `has ${Math.round(size / 2 ** 20)} MiB; a record has at most ${MOST_BYTES / 2 ** 20}`, {
        where: `${path}:1`,
      });
    }
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Names of the regular files and folders in a folder, in order; none where there is no such folder. Links are not followed. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() || entry.isDirectory())
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return [];
    throw error;
  }
}
