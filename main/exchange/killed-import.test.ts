// kill -9 at any moment of an import, and an import that is cancelled: what is there is whole, and the next import adds just the rest.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { delay } from '../lib/abort.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { importPath } from './import.ts';
import { hasPack, openDesk, pack, packNote } from './pack.testing.ts';

const never = new AbortController().signal;

/** Every payload of every rollout is read: one that is missing or damaged throws. Answers the rollouts. */
function readAll(store: Store): string[] {
  const rows = store.runs.read().rows.flatMap((run) => store.rollouts.ofRun(run.id));
  for (const row of rows) {
    expect(store.rollouts.verdict(row.id)).not.toBeNull();
    expect(store.imports.rest(row.id)).not.toBeNull();
    const imported = store.events.ofKinds(row.id, ['imported'])[0];
    let nodes = 0;
    for (let after: number | undefined; ; ) {
      const read = store.nodes.read(row.id, after);
      nodes += read.rows.length;
      after = read.cursor;
      if (!read.more) break;
    }
    expect(imported?.data).toMatchObject({ nodes });
  }
  return rows.map((row) => row.id);
}

it.skipIf(!hasPack)(
  `an import killed at any moment leaves whole rollouts, and is completed by the next${packNote}`,
  { timeout: 120_000 },
  async () => {
    await using desk = await openDesk();
    const trials = await desk.unpack('endless_playground/solution_sonnet', false);
    const script = new URL('./killed-import.testing.ts', import.meta.url).pathname;
    const seen: number[] = [];
    for (let kill = 0; kill < 8; kill += 1) {
      const data = join(desk.folder, `killed-${kill}`);
      const child = spawn(process.execPath, [script, trials, data], { stdio: ['ignore', 'pipe', 'inherit'] });
      const ended = once(child, 'exit');
      await once(child.stdout, 'data');
      await delay(kill * 60); // not a wait for a state: the moment of the kill is what is being varied
      child.kill('SIGKILL');
      await ended;
      using store = openStore(data);
      const there = readAll(store);
      seen.push(there.length);
      const recordings = join(data, 'recordings');
      const report = await importPath(trials, { store, recordings }, { signal: never });
      expect(report.progress).toMatchObject({ records: 64, known: there.length, imported: 64 - there.length, rejected: 0 });
      const all = new Set(readAll(store));
      expect(all.size).toBe(64);
      // Recordings of rollouts that did not come to be are the only leavings of a kill; every other one has its rollout.
      const casts = readdirSync(recordings).map((name) => name.replace('.cast', ''));
      expect(casts.filter((id) => all.has(id))).toHaveLength(61);
    }
    expect(Math.min(...seen)).toBeLessThan(64);
  },
);

it.skipIf(!hasPack)(`a cancelled import keeps every record that was read${packNote}`, async () => {
  await using desk = await openDesk();
  const controller = new AbortController();
  let read = 0;
  const importing = importPath(join(pack, 'tb2_tmax/trajectories'), desk, {
    signal: controller.signal,
    onProgress: ({ progress }) => {
      read = progress.records;
      if (read === 20) controller.abort();
    },
  });
  await expect(importing).rejects.toMatchObject({ name: 'AbortError' });
  expect(readAll(desk.store)).toHaveLength(20);
});
