// Where the lab's own files and the user's data lie. Nothing else computes such a path.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export interface Paths {
  /** Folder that holds configs/ and resources/ as shipped. */
  root: string;
  configs: string;
  resources: string;
  /** The user's data folder. */
  data: string;
  database: string;
  blobs: string;
  recordings: string;
  /** Models and configurations of the user's own. */
  userConfigs: string;
  /** Tasks that were written in the lab. */
  tasks: string;
  /** Task sets that were fetched with Git, a folder each. */
  checkouts: string;
  /** What was removed from tasks, kept for a while so that it can be put back. */
  trash: string;
}

/** Walks up from this file to the folder of package.json: right both in the source tree and in dist/. */
function installRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`no package.json above ${import.meta.dirname}`);
    folder = parent;
  }
  return folder;
}

/** Data folder: the argument, else TERMARIUM_HOME, else XDG_DATA_HOME/termarium, else ~/.local/share/termarium. */
export function resolvePaths(options: { data?: string; root?: string } = {}): Paths {
  const root = options.root ?? installRoot();
  const data = resolve(
    options.data ?? process.env.TERMARIUM_HOME ?? join(process.env.XDG_DATA_HOME ?? join(homedir(), '.local', 'share'), 'termarium'),
  );
  return {
    root,
    configs: join(root, 'configs'),
    resources: join(root, 'resources'),
    data,
    database: join(data, 'lab.sqlite'),
    blobs: join(data, 'blobs'),
    recordings: join(data, 'recordings'),
    userConfigs: join(data, 'configs'),
    tasks: join(data, 'tasks'),
    checkouts: join(data, 'checkouts'),
    trash: join(data, 'trash'),
  };
}
