import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runConfig } from '../contract/schema/config.ts';
import { openStore } from '../store/open.ts';
import type { NewNode, Store } from '../store/store.ts';
import { findInRollout } from './find.ts';

let folder: ReturnType<typeof mkdtempDisposableSync>;
let store: Store;
let rolloutId: string;
const signal = new AbortController().signal;

beforeEach(() => {
  folder = mkdtempDisposableSync(join(tmpdir(), 'termarium-find-'));
  store = openStore(folder.path);
  const queued = { taskId: 't', taskName: 't', taskDigest: 'd'.repeat(64), attempt: 0, agent: 'terminus', model: 'm' };
  const runId = store.runs.create(runConfig.parse({ tasks: ['samples'] }), 'run', [queued]);
  rolloutId = store.rollouts.ofRun(runId)[0]?.id ?? '';
});
afterEach(() => {
  store[Symbol.dispose]();
  folder.remove();
});

function say(content: string, more: Partial<NewNode> = {}): string {
  return store.nodes.append({
    ...{ rolloutId, parentId: null, turn: 0, role: 'user', author: 'environment', content, reasoning: null, format: null },
    ...{ promptTokens: null, completionTokens: null, stopReason: null, tokenIds: null, logprobs: null, tokens: null },
    ...{ sampled: false, timings: {} },
    ...more,
  });
}
const run = (nodeId: string, index: number, keystrokes: string) =>
  store.nodes.beginCommand({ nodeId, index, keystrokes, duration: 1, startedAt: 1, from: 0 });
const find = (text: string, matchCase = false) => findInRollout(store, rolloutId, { text, matchCase }, signal);

it('finds commands, outputs, reasoning and what was said, in the order of reading', async () => {
  say('Fix the needle.', { author: 'template' });
  const answer = say('{"analysis": "no\\nneedle here", "plan": "look", "commands": [{"keystrokes": "grep needle\\n"}]}', {
    role: 'assistant',
    author: 'sampled',
    reasoning: 'a NEEDLE?',
    turn: 0,
  });
  say('first line\nsecond with needle, needle\nlast', { turn: 0 });
  // Its row is changed last, which must not move it to the end.
  run(answer, 0, 'grep needle\n');

  const { hits, more } = await find('needle');
  expect(more).toBe(false);
  expect(hits.map(({ place, index, nth, line, match }) => [place, index, nth, line, match])).toEqual([
    ['content', 0, 0, 0, 'needle'],
    ['reasoning', 0, 0, 0, 'NEEDLE'],
    ['analysis', 0, 0, 1, 'needle'],
    ['command', 0, 0, 0, 'needle'],
    ['content', 0, 0, 1, 'needle'],
    ['content', 0, 1, 1, 'needle'],
  ]);
  expect(hits.at(-1)).toMatchObject({ before: 'first line\nsecond with needle, ', after: '\nlast', offset: 31 });
});

it('takes every character for itself, and the case only where that is wanted', async () => {
  say('cost is $5.00 (really?) [x] \\d C:\\a Straße');
  for (const text of ['$5.00', '(really?)', '[x]', '\\d', 'cost IS', 'STRAß', ' ']) {
    expect((await find(text)).hits.length, text).toBeGreaterThan(0);
  }
  expect((await find('5x00')).hits).toEqual([]);
  expect((await find('COST', true)).hits).toEqual([]);
  expect((await find('cost', true)).hits).toHaveLength(1);
});

it('finds what lies deep in an output that lists show cut, and stays quick', async () => {
  say(`${'noise\n'.repeat(1_500_000)}the end is here\n`);
  const started = performance.now();
  const { hits } = await find('end is');
  expect(hits).toMatchObject([{ line: 1_500_000, before: 'noise\nnoise\nthe ' }]);
  expect(performance.now() - started).toBeLessThan(1500);
});

it('lists the first thousand places and says that there are more', async () => {
  for (let turn = 0; turn < 120; turn += 1) say('x '.repeat(20), { turn });
  const { hits, more } = await find('x');
  expect([hits.length, more]).toEqual([1000, true]);
  expect(hits.at(-1)?.turn).toBe(49);
});

it('shows keys that were never run, and not twice those that were', async () => {
  const text = '{"analysis": "", "plan": "", "commands": [{"keystrokes": "ls -la\\n"}]}';
  const answer = say(text, { role: 'assistant', author: 'sampled' });
  expect((await find('ls -la')).hits.map(({ place }) => place)).toEqual(['keys']);
  run(answer, 0, 'ls -la\n');
  expect((await find('ls -la')).hits.map(({ place }) => place)).toEqual(['command']);
  expect((await find('keystrokes')).hits).toEqual([]);
});
