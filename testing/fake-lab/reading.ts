// What a reader of a rollout gets besides its rows: the recording, made of the messages when somebody first asks and then read by the
// lab's own code, places of a text, changed files.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { implement } from '@orpc/server';
import { findInRollout } from '../../main/api/find.ts';
import { requestOf } from '../../main/api/request.ts';
import { readRecordingSlice, turnTimes } from '../../main/api/tails.ts';
import { contract } from '../../main/contract/index.ts';
import type { NodeRow } from '../../main/contract/schema/rollout.ts';
import { AppError } from '../../main/lib/errors.ts';
import type { Store } from '../../main/store/store.ts';
import { createTimelines } from '../../main/terminal/timeline.ts';
import { type RecordedTurn, writeRecording } from '../recording.ts';
import { prompt } from './script.ts';
import type { FakeState } from './state.ts';

const os = implement(contract);
const never = new AbortController().signal;

/** Handlers of all that. The folder of recordings goes when the lab ends. */
export function fakeReading(state: FakeState, ended: AbortSignal) {
  const folder = mkdtempSync(join(tmpdir(), 'termarium-fake-recordings-'));
  ended.addEventListener('abort', () => rmSync(folder, { recursive: true, force: true }), { once: true });
  const timelines = createTimelines();
  const made = new Map<string, Promise<void>>();
  const pathOf = async (rolloutId: string): Promise<string> => {
    const path = join(folder, `${rolloutId}.cast`);
    const turns = state.rollouts.get(rolloutId)?.endedAt ? recordedTurns(state, rolloutId) : [];
    if (turns.length > 0) {
      const making = made.get(rolloutId) ?? writeRecording(path, turns);
      made.set(rolloutId, making);
      await making;
    }
    return path;
  };
  return {
    files: os.rollouts.files.handler(({ input }) => {
      const { outcome, endedAt } = endOf(state, input.rolloutId);
      if (endedAt === null) return { recorded: false, changes: [], total: 0, noise: 0, problem: null };
      const changes = [
        { path: '/app/report.sh', kind: 'M' as const, tests: false },
        { path: '/app/summary.csv', kind: 'A' as const, tests: false },
        ...(outcome === 'solved' ? [] : [{ path: '/app/tests/test_outputs.py', kind: 'M' as const, tests: true }]),
        { path: '/app/old-summary.csv', kind: 'D' as const, tests: false },
      ];
      return { recorded: true, changes, total: changes.length, noise: 12, problem: null };
    }),
    request: os.rollouts.request.handler(({ input }) => {
      const nodes = [...state.nodes.values()].find((table) => table.get(input.nodeId))?.rows ?? new Map<string, NodeRow>();
      const all = [...nodes.values()];
      const place = all.findIndex(({ id }) => id === input.nodeId);
      // The fake lab keeps no tree: what was said before is what was sent.
      const linked = all.map((node, index) => ({ ...node, parentId: all[index - 1]?.id ?? null }));
      const get = () => linked[place] ?? null;
      const read = () => ({ kind: 'all' as const, rows: linked, removed: [], cursor: 1, more: false });
      return requestOf({ nodes: { get, read }, events: { ofKinds: () => [] } }, input.nodeId);
    }),
    find: os.rollouts.find.handler(({ input, signal = never }) => {
      const read: Store['nodes']['read'] = (rolloutId) => ({
        ...{ kind: 'all', removed: [], cursor: 1, more: false },
        rows: [...state.nodesOf(rolloutId).rows.values()],
      });
      return findInRollout({ nodes: { read } }, input.rolloutId, input, signal);
    }),
    watchTimeline: os.rollouts.watchTimeline.handler(async ({ input, signal = never }) => {
      const { seconds, bytes, marks } = await timelines.read(await pathOf(input.rolloutId));
      while (input.after === bytes && (await state.change(signal)));
      return { seconds, bytes, live: false, turns: turnTimes(marks), cursor: bytes };
    }),
    seek: os.rollouts.seek.handler(async ({ input }) => {
      const found = await timelines.seek(await pathOf(input.rolloutId), input.at);
      if (!found) throw new AppError('request.not_found', 'There is no recording of this rollout.');
      return found;
    }),
    recording: os.rollouts.recording.handler(async ({ input }) => {
      await pathOf(input.rolloutId);
      return await readRecordingSlice(folder, input.rolloutId, input.offset, input.limit, false);
    }),
  };
}

function endOf(state: FakeState, rolloutId: string) {
  const rollout = state.rollouts.get(rolloutId);
  if (!rollout) throw new AppError('request.not_found', 'There is no such rollout.');
  return rollout;
}

/** A turn thinks for two seconds; then its keys and outputs come in pieces, twenty a second. */
function recordedTurns(state: FakeState, rolloutId: string): RecordedTurn[] {
  return [...state.nodesOf(rolloutId).rows.values()]
    .filter((node) => node.author === 'environment')
    .map(({ content }) => {
      const printed = content.replace(/^New Terminal Output:\n\n/, '').slice(0, -prompt.length);
      const outputs = printed.match(/[^\n]{1,24}|\n/g) ?? [];
      return { thinks: 2, seconds: outputs.length / 20, outputs: outputs.map((piece) => piece.replace('\n', '\r\n')) };
    });
}
