// Real records for tests: the fixture pack beside the project, and stores to import them into.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import type { ImportReport } from '../contract/schema/exchange.ts';
import type { Verdict } from '../contract/schema/rollout.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { importPath } from './import.ts';

/** Folder of the fixture pack, and a note for the title of a suite that is skipped without it. */
export const pack = resolve(import.meta.dirname, '../../../shared/data');
export const hasPack = existsSync(join(pack, 'README.md'));
export const packNote = hasPack ? '' : ' (fixture pack not found at ../shared/data, skipping)';

export interface Desk extends AsyncDisposable {
  folder: string;
  store: Store;
  recordings: string;
  import(path: string): Promise<ImportReport>;
  /** Unpacks the archives of a folder of the pack, each into a folder of its own name where `apart`; answers where they are. */
  unpack(below: string, apart: boolean): Promise<string>;
  verdicts(runId: string): Verdict[];
}

/** A store in a temporary folder. */
export async function openDesk(): Promise<Desk> {
  const folder = await mkdtemp(join(tmpdir(), 'termarium-exchange-'));
  const store = openStore(join(folder, 'data'));
  const recordings = join(folder, 'data', 'recordings');
  return {
    folder,
    store,
    recordings,
    import: (path) => importPath(path, { store, recordings }, { signal: new AbortController().signal }),
    async unpack(below, apart) {
      const target = join(folder, 'unpacked', below.split('/').at(-1) ?? '');
      for (const name of readdirSync(join(pack, below)).filter((file) => file.endsWith('.tar.gz'))) {
        const into = apart ? join(target, name.replace('.tar.gz', '')) : target;
        mkdirSync(into, { recursive: true });
        await execa('tar', ['-xzf', join(pack, below, name), '-C', into]);
      }
      return target;
    },
    verdicts: (runId) => store.rollouts.ofRun(runId).map((row) => store.rollouts.verdict(row.id)?.verdict ?? unknownVerdict(row.id)),
    async [Symbol.asyncDispose]() {
      store[Symbol.dispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function unknownVerdict(rolloutId: string): never {
  throw new Error(`rollout ${rolloutId} has no verdict`);
}
