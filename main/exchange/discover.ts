// Finds what can be imported below a path: trial folders, and files of the formats that the lab reads. Walks in order of names, so that an
// import which is started again meets the same records in the same order.
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../lib/errors.ts';
import { isTrialFolder } from './trial-files.ts';

export type Source =
  | { kind: 'trial'; folder: string }
  /** `asked`: the user named this very file, so that it must hold something. */
  | { kind: 'file'; path: string; companions: string[]; asked: boolean };

/** Folders below folders; deeper trees are no collections of trials. */
const DEEPEST = 8;

const readable = /\.(json|jsonl|parquet)$|\.(json|jsonl)\.gz$/;
/** Files that describe what lies beside them and are no records. */
const beside = new Set([
  'config.json',
  'lock.json',
  'result.json',
  'manifest.json',
  'package.json',
  'package-lock.json',
  'run_metadata.json',
]);
const companion = /^(.*?)trajectory\.[\w-]+\.json$/;

/** Sources at and below `path`. Throws `request.not_found` where there is nothing at the path. Links are not followed. */
export function* discover(path: string): Generator<Source> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found)
    throw new AppError('request.not_found', `there is no ${path}`, {
      hint: 'Give a folder or a file that exists on the machine of the lab.',
    });
  if (!found.isDirectory()) {
    const names = new Set(readdirSync(dirname(path)));
    yield { kind: 'file', path, companions: companionsOf(path, names), asked: true };
    return;
  }
  yield* below(path, DEEPEST);
}

function* below(folder: string, depth: number): Generator<Source> {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  const names = new Set(entries.map((entry) => entry.name));
  if (isTrialFolder(names)) {
    yield { kind: 'trial', folder };
    return;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    if (entry.isDirectory() && depth > 1) yield* below(path, depth - 1);
    else if (entry.isFile() && readable.test(entry.name) && !beside.has(entry.name) && !belongsToAnother(entry.name, names)) {
      yield { kind: 'file', path, companions: companionsOf(path, names), asked: false };
    }
  }
}

/** `x.trajectory.summarization-1-summary.json` belongs to `x.trajectory.json`, where that lies beside it. */
function belongsToAnother(name: string, names: ReadonlySet<string>): boolean {
  const prefix = companion.exec(name)?.[1];
  return prefix !== undefined && names.has(`${prefix}trajectory.json`);
}

function companionsOf(path: string, names: ReadonlySet<string>): string[] {
  const name = basename(path);
  if (!name.endsWith('trajectory.json')) return [];
  const prefix = name.slice(0, -'json'.length);
  return [...names]
    .filter((other) => other !== name && other.startsWith(prefix) && companion.test(other))
    .sort()
    .map((other) => join(dirname(path), other));
}
