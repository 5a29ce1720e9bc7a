// A model that says again what a recording says: for playing a trajectory back and for forking one behind a recorded beginning.
import { AppError } from '../lib/errors.ts';
import type { Model } from './model.ts';
import { say } from './scripted.ts';

/** A model that gives the recorded answer of the session's turn. Asked past the end of the recording, it fails with `model.rejected`. */
export function createReplayModel(turns: readonly string[]): Model {
  return {
    name: 'replay',
    contextLimit: async () => null,
    sample: async (request, signal) => {
      signal.throwIfAborted();
      const text = turns[request.session.turn];
      if (text === undefined) {
        throw new AppError(
          'model.rejected',
          `the recording ends after ${turns.length} turns; turn ${request.session.turn + 1} was asked for`,
          {
            hint: 'Set the turn limit to the length of the recording, or go on with another model.',
          },
        );
      }
      return await say({ text, reasoning: null, finish: 'stop' }, request, 0, signal);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
