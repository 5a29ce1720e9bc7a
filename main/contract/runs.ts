import * as z from 'zod';
import { procedure } from './base.ts';
import { runConfig } from './schema/config.ts';
import { runRow } from './schema/run.ts';
import { configIssue } from './schema/task.ts';
import { after, rowsOf } from './watch.ts';

const runId = z.object({ runId: z.string() });

export const runs = {
  watch: procedure.input(z.object({ after })).output(rowsOf(runRow)),
  watchOne: procedure.input(z.object({ runId: z.string(), after })).output(z.object({ run: runRow, cursor: z.number().int() })),
  /**
   * Checks a configuration and says what it resolves to, without starting anything. With `text` it is YAML as it stands in an editor, whose
   * issues carry lines; else `config` is what a form made.
   */
  resolve: procedure
    .input(z.object({ config: z.unknown().optional(), text: z.string().max(1_000_000).optional() }))
    .output(
      z.object({ config: runConfig.nullable(), tasks: z.array(z.string()), rollouts: z.number().int(), issues: z.array(configIssue) }),
    ),
  /** Answers when the run and its queued rollouts are stored. `issues`: tasks that cannot be read and were left out, and doubtful keys. */
  start: procedure.input(z.object({ config: runConfig })).output(runId.extend({ issues: z.array(configIssue) })),
  pause: procedure.input(runId).output(z.object({})),
  /** Continues a paused run, or plays what is left of an interrupted, stopped or cancelled one. Finished rollouts are kept. */
  resume: procedure.input(runId).output(z.object({})),
  cancel: procedure.input(runId).output(z.object({})),
  /** YAML of what differs from the defaults: what a file for `termarium run -c` would say. */
  toYaml: procedure.input(z.object({ config: runConfig })).output(z.object({ text: z.string() })),
  /**
   * The rollouts of a run as lines of a CSV (RFC 4180, `header` first) or JSON lines file, in pages: `after` is the `next` of the page before,
   * null at the end. A rollout that changes meanwhile comes again; its later line counts.
   */
  exportRollouts: procedure.input(runId.extend({ format: z.enum(['csv', 'jsonl']), after: z.number().int().optional() })).output(
    z.object({
      header: z.string().nullable(),
      lines: z.array(z.object({ id: z.string(), text: z.string() })),
      next: z.number().int().nullable(),
    }),
  ),
};
