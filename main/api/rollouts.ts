import type { RolloutRow } from '../contract/schema/rollout.ts';
import { AppError } from '../lib/errors.ts';
import { recordedChanges } from '../rollout/changes.ts';
import type { LiveRollout } from '../rollout/live.ts';
import { createTimelines } from '../terminal/timeline.ts';
import type { ApiDeps } from './deps.ts';
import { findInRollout } from './find.ts';
import { os } from './os.ts';
import { recordingIndexes } from './recordings.ts';
import { requestOf } from './request.ts';
import { signalOf } from './system.ts';
import { readRecordingSlice, readSampling, readTerminal, readTimeline, seekRecording } from './tails.ts';
import { watchOne, watchRows } from './watch.ts';

/** Longer message content is cut in lists; `node` gives it whole. */
const CUT_BYTES = 65_536;

/** States of a rollout in which its human is heard. */
const typable = new Set<RolloutRow['status']>(['starting', 'running']);

/** Events that tell a reader something the messages do not. */
const noteKinds = ['note', 'model_retry', 'agent_end', 'requeued'];

export function rolloutsApi({ lab, scheduler }: ApiDeps) {
  const { store, live, paths } = lab;
  const timelines = createTimelines();
  const indexes = recordingIndexes(store, paths.recordings);
  const require = (rolloutId: string): RolloutRow => {
    const row = store.rollouts.get(rolloutId);
    if (!row) throw new AppError('request.not_found', `there is no rollout ${rolloutId}`);
    return row;
  };
  const requireHuman = (rolloutId: string): LiveRollout & { human: NonNullable<LiveRollout['human']> } => {
    const playing = live.get(rolloutId);
    // While it is graded, and for a moment after, it is live still, but nobody reads what is typed.
    if (!playing || !typable.has(require(rolloutId).status))
      throw new AppError('request.conflict', 'this rollout does not play now', {
        hint: 'Only a running rollout has a terminal to type into.',
      });
    if (!playing.human)
      throw new AppError('request.conflict', 'an agent plays this rollout', { hint: 'Take the task as human to type into its terminal.' });
    return { ...playing, human: playing.human };
  };

  return os.rollouts.router({
    watch: os.rollouts.watch.handler(({ input, signal }) => {
      const filter = input.runId === undefined ? {} : { runId: input.runId };
      return watchRows(store, ['rollout'], (after) => store.rollouts.read(filter, after), input.after, signalOf(signal), input.runId);
    }),
    watchOne: os.rollouts.watchOne.handler(async ({ input, signal }) => {
      await watchOne(store, ['rollout'], input.after, () => require(input.rolloutId).rev, signalOf(signal), input.rolloutId);
      const rollout = require(input.rolloutId);
      const graded = store.rollouts.verdict(rollout.id);
      return {
        rollout,
        verdict: graded?.verdict ?? null,
        verifierOutput: graded?.verifierOutput ?? null,
        notes: store.events.ofKinds(rollout.id, noteKinds).map((event) => noteOf(event.kind, event.data, event.at)),
        cursor: rollout.rev,
      };
    }),
    watchNodes: os.rollouts.watchNodes.handler(({ input, signal }) =>
      watchRows(
        store,
        ['node'],
        (after) => store.nodes.read(input.rolloutId, after, { cut: CUT_BYTES, tokens: false }),
        input.after,
        signalOf(signal),
        input.rolloutId,
      ),
    ),
    find: os.rollouts.find.handler(({ input, signal }) =>
      findInRollout(store, require(input.rolloutId).id, { text: input.text, matchCase: input.matchCase }, signalOf(signal)),
    ),
    files: os.rollouts.files.handler(({ input }) => recordedChanges(store, require(input.rolloutId).id)),
    node: os.rollouts.node.handler(({ input }) => {
      const node = store.nodes.get(input.nodeId);
      if (!node) throw new AppError('request.not_found', `there is no message ${input.nodeId}`);
      return node;
    }),
    request: os.rollouts.request.handler(({ input }) => requestOf(store, input.nodeId)),
    watchTerminal: os.rollouts.watchTerminal.handler(async ({ input, signal }) => {
      const rollout = require(input.rolloutId);
      await indexes.ensure(rollout.id);
      return await readTerminal(lab, rollout, input.cursor, signalOf(signal));
    }),
    watchSampling: os.rollouts.watchSampling.handler(({ input, signal }) =>
      readSampling(lab, require(input.rolloutId), input.cursor, signalOf(signal)),
    ),
    recording: os.rollouts.recording.handler(({ input }) =>
      readRecordingSlice(paths.recordings, require(input.rolloutId).id, input.offset, input.limit, live.get(input.rolloutId) !== undefined),
    ),
    watchTimeline: os.rollouts.watchTimeline.handler(async ({ input, signal }) => {
      const { id } = require(input.rolloutId);
      await indexes.ensure(id);
      return await readTimeline(lab, timelines, id, input.after, signalOf(signal));
    }),
    seek: os.rollouts.seek.handler(async ({ input }) => {
      const { id } = require(input.rolloutId);
      await indexes.ensure(id);
      return await seekRecording(paths.recordings, timelines, id, input.at);
    }),
    cancel: os.rollouts.cancel.handler(({ input }) => {
      scheduler.cancelRollout(input.rolloutId);
      return {};
    }),
    type: os.rollouts.type.handler(({ input }) => {
      requireHuman(input.rolloutId).human.push({ action: 'type', data: input.data });
      return {};
    }),
    resize: os.rollouts.resize.handler(async ({ input }) => {
      await requireHuman(input.rolloutId).terminal?.resize(input.cols, input.rows);
      return {};
    }),
    human: os.rollouts.human.handler(({ input }) => {
      const { human, clock } = requireHuman(input.rolloutId);
      if (input.action === 'pause') clock.stop();
      if (input.action === 'continue') clock.start();
      human.push(input.action === 'note' ? { action: 'note', text: input.text ?? '' } : { action: input.action });
      return {};
    }),
  });
}

function noteOf(kind: string, data: unknown, at: number) {
  const fields = typeof data === 'object' && data !== null ? data : {};
  const turn = 'turn' in fields && typeof fields.turn === 'number' ? fields.turn : null;
  const text = 'text' in fields ? String(fields.text) : 'retry' in fields ? String(fields.retry) : '';
  return { kind, turn, text, at };
}
