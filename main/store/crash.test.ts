// kill -9 at any moment: what was told is there, what was not is absent, and nothing is there by half.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposableSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { delay } from '../lib/abort.ts';
import { openStore } from './open.ts';
import { recount } from './recount.testing.ts';
import type { Store } from './store.ts';

const kills = 20;

let folder: ReturnType<typeof mkdtempDisposableSync>;
beforeEach(() => {
  folder = mkdtempDisposableSync(join(tmpdir(), 'termarium-crash-'));
});
afterEach(() => folder.remove());

/** Lets another process play and write for `ms`, then kills it. */
async function playUntilKilled(attempt: number, ms: number): Promise<void> {
  const script = new URL('./crash.testing.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, folder.path, String(attempt)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  await delay(ms); // not a wait for a state: the moment of the kill is what is being varied
  child.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
}

test(`${kills} kills at random moments leave a whole store each time`, { timeout: 120_000 }, async () => {
  let facts = 0;
  let midway = 0;
  for (let attempt = 0; attempt < kills; attempt += 1) {
    await playUntilKilled(attempt, 5 + Math.random() * 150);
    expect(integrity()).toEqual({ integrity: 'ok', foreignKeys: [], notIndexed: [], strayWords: [], strayOwners: [] });
    using store = openStore(folder.path);
    for (const run of store.runs.read().rows) {
      const rows = store.rollouts.ofRun(run.id);
      expect({ counts: run.counts, overAll: run.overAll, overVerdict: run.overVerdict }).toEqual(recount(rows));
      if (run.name !== `try ${attempt}`) continue;
      for (const { id } of rows) expectWholeRollout(store, id);
      midway += run.counts.active;
    }
    expect(store.rev).toBeGreaterThan(facts);
    facts = store.rev;
    expect(readdirSync(join(folder.path, 'blobs', 'unfinished'))).toEqual([]);
  }
  expect(midway).toBeGreaterThan(0);
});

function integrity() {
  const db = new Database(join(folder.path, 'lab.sqlite'));
  const ids = (sql: string) => db.prepare(sql).pluck().all();
  try {
    return {
      integrity: db.pragma('integrity_check', { simple: true }),
      foreignKeys: db.pragma('foreign_key_check'),
      notIndexed: ids(`SELECT id FROM node WHERE author = 'environment' AND id NOT IN (SELECT owner FROM search_entry)`),
      strayWords: ids('SELECT id FROM search_docsize EXCEPT SELECT id FROM search_entry'),
      strayOwners: ids('SELECT owner FROM search_entry EXCEPT SELECT id FROM node'),
    };
  } finally {
    db.close();
  }
}

function expectWholeRollout(store: Store, rolloutId: string): void {
  const rollout = store.rollouts.get(rolloutId);
  const nodes = store.nodes.read(rolloutId).rows;
  const events = readAllEvents(store, rolloutId);
  // The row says no more and no less than the log does: each was written with the other or not at all.
  const sinceRequeue = events.slice(events.findLastIndex((event) => event.kind === 'requeued') + 1);
  const count = (kind: string) => sinceRequeue.filter((event) => event.kind === kind).length;
  expect(nodes).toHaveLength(count('node'));
  expect(nodes.flatMap((node) => node.commands)).toHaveLength(count('command.began'));
  expect(nodes.flatMap((node) => node.commands).filter((command) => command.endedAt !== null)).toHaveLength(count('command.ended'));
  expect(store.rollouts.verdict(rolloutId) === null).toBe(count('verdict') === 0);
  for (const node of nodes) {
    const { turn } = node;
    if (node.role === 'assistant') expect(node).toMatchObject({ content: `answer ${turn}`, tokenIds: [turn] });
    else expect(node.content).toBe(`observation ${turn} of ${rolloutId} ${'.'.repeat(6000)}`);
  }
  if (rollout?.status === 'finished') {
    expect(store.rollouts.verdict(rolloutId)).toMatchObject({
      verifierOutput: `turn ${rollout.turns}`,
      verdict: { reward: rollout.reward },
    });
  }
}

function readAllEvents(store: Store, rolloutId: string) {
  const events = store.events.read(rolloutId);
  for (;;) {
    const more = store.events.read(rolloutId, events.at(-1)?.id);
    if (more.length === 0) return events;
    events.push(...more);
  }
}
