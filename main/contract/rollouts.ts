import * as z from 'zod';
import { procedure } from './base.ts';
import { findHit } from './schema/find.ts';
import { fileChange, nodeRow, rolloutRow, verdict } from './schema/rollout.ts';
import { after, rowsOf, tailRead } from './watch.ts';

const rolloutId = z.string();

/** Something to know about a trajectory that is no message of it: a retry, a divergence of a replay, a human's remark. */
const note = z.object({ kind: z.string(), turn: z.number().int().nullable(), text: z.string(), at: z.number().int() });

export const rollouts = {
  /** Rows are in queue order; `limit` newest where given. */
  watch: procedure.input(z.object({ runId: z.string().optional(), after })).output(rowsOf(rolloutRow)),
  watchOne: procedure.input(z.object({ rolloutId, after })).output(
    z.object({
      rollout: rolloutRow,
      verdict: verdict.nullable(),
      verifierOutput: z.string().nullable(),
      notes: z.array(note),
      cursor: z.number().int(),
    }),
  ),
  /** Nodes of the rollout, oldest first, at most 500 an answer. Content over 64 KiB is cut and tokens are left out here; `node` gives all. */
  watchNodes: procedure.input(z.object({ rolloutId, after })).output(rowsOf(nodeRow)),
  /**
   * Every place in the messages and commands of a rollout that holds a text, in the order of reading; at most 1,000, then `more`. Searches
   * what is stored, whole, so also what lists show cut.
   */
  find: procedure
    .input(z.object({ rolloutId, text: z.string().min(1).max(1000), matchCase: z.boolean().default(false) }))
    .output(z.object({ hits: z.array(findHit), more: z.boolean() })),
  /**
   * Files that differ from the task's image when the agent had ended, without caches and system noise (`noise` counts those). `problem` says
   * why there is no list. Nothing is recorded before the agent has ended. At most 5,000 are listed of `total`.
   */
  files: procedure.input(z.object({ rolloutId })).output(
    z.object({
      recorded: z.boolean(),
      changes: z.array(fileChange),
      total: z.number().int(),
      noise: z.number().int(),
      problem: z.string().nullable(),
    }),
  ),
  node: procedure.input(z.object({ nodeId: z.string() })).output(nodeRow),
  /**
   * What the model was sent for an answer (the conversation word for word, as the agent gave it to the model) and what came back, with
   * its tokens and the tries that failed before. Refused for messages that no model sampled.
   */
  request: procedure.input(z.object({ nodeId: z.string() })).output(
    z.object({
      messages: z.array(z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() })),
      answer: nodeRow,
      retries: z.array(z.string()),
    }),
  ),
  /** The live terminal, or the final screen of a finished rollout. Start with cursor 0. */
  watchTerminal: procedure.input(z.object({ rolloutId, cursor: z.number().int().min(0) })).output(tailRead),
  /** The answer that is being sampled now, as it streams. */
  watchSampling: procedure
    .input(z.object({ rolloutId, cursor: z.number().int().min(0) }))
    .output(z.object({ turn: z.number().int().nullable(), text: z.string(), cursor: z.number().int(), ended: z.boolean() })),
  /** A stretch of the recording in asciicast v2 lines, by byte offset of the stored file. */
  recording: procedure
    .input(
      z.object({ rolloutId, offset: z.number().int().min(0).default(0), limit: z.number().int().min(1).max(1_048_576).default(262_144) }),
    )
    .output(z.object({ text: z.string(), next: z.number().int(), total: z.number().int(), live: z.boolean() })),
  /**
   * What a scrubber is drawn from: how long the recording is (seconds, bytes; 0 where there is none) and where its turns begin. Parks while
   * the rollout plays and nothing was added (cursor = bytes), or until it is played again.
   */
  watchTimeline: procedure.input(z.object({ rolloutId, after })).output(
    z.object({
      seconds: z.number(),
      bytes: z.number().int(),
      live: z.boolean(),
      turns: z.array(z.object({ turn: z.number().int(), time: z.number() })),
      cursor: z.number().int(),
    }),
  ),
  /**
   * The screen at or before a moment (seconds), and the events from there to the moment as asciicast v2 lines. `next` is the byte where
   * they end, to read on with `recording`; `reached` is false where the moment lies further than one answer goes.
   */
  seek: procedure.input(z.object({ rolloutId, at: z.number().min(0) })).output(
    z.object({
      cols: z.number().int(),
      rows: z.number().int(),
      screen: z.string(),
      events: z.string(),
      next: z.number().int(),
      reached: z.boolean(),
    }),
  ),
  cancel: procedure.input(z.object({ rolloutId })).output(z.object({})),
  /** Human agent: bytes typed into the terminal. Refused for rollouts that another agent plays. */
  type: procedure.input(z.object({ rolloutId, data: z.string().max(65_536) })).output(z.object({})),
  resize: procedure.input(z.object({ rolloutId, cols: z.int().min(20).max(400), rows: z.int().min(5).max(200) })).output(z.object({})),
  /** Human agent: hand in for grading, give up, stop or start the clock, or leave a note in the trajectory. */
  human: procedure
    .input(
      z.object({ rolloutId, action: z.enum(['submit', 'give_up', 'pause', 'continue', 'note']), text: z.string().max(20_000).optional() }),
    )
    .output(z.object({})),
};
