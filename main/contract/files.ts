import * as z from 'zod';
import { procedure } from './base.ts';
import { configIssue } from './schema/task.ts';

const taskId = z.string();
/** Below the task's folder, with forward slashes. */
const path = z.string().min(1).max(4096);
/** Editors take files up to 1 MB. */
const text = z.string().max(2_000_000);
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const fieldValue = z.union([scalar, z.array(scalar)]);
/** SHA-256 of a file's bytes. */
const digest = z.string();

const fileEntry = z.object({
  path: z.string(),
  bytes: z.number().int(),
  executable: z.boolean(),
  text: z.boolean(),
  /** Changes whenever the file does. */
  stamp: z.string(),
});
export type TaskFileEntry = z.infer<typeof fileEntry>;

const draft = z.object({ path: z.string(), text: z.string(), base: digest.nullable(), at: z.number().int() });
export type FileDraft = z.infer<typeof draft>;

/** The files of a task, as an editor needs them. Writing is refused for tasks that are shipped with the lab. */
export const files = {
  /** Parks until a file was added, removed or changed by anybody since the answer with version `after`. The task's row follows. */
  watch: procedure.input(z.object({ taskId, after: z.string().optional() })).output(
    z.object({
      version: z.string(),
      /** Why nothing can be changed here; null where it can. */
      readOnly: z.string().nullable(),
      files: z.array(fileEntry),
      folders: z.array(z.string()),
    }),
  ),
  /** Exactly the file's text; null where it is none. `cut` beyond 1 MB, which can be read but not edited. */
  read: procedure
    .input(z.object({ taskId, path }))
    .output(z.object({ text: z.string().nullable(), bytes: z.number().int(), cut: z.boolean(), digest })),
  /** Writes a file that still has the digest `base` (null: that does not exist yet), and removes its draft. `request.conflict` otherwise. */
  save: procedure.input(z.object({ taskId, path, text, base: digest.nullable() })).output(z.object({ digest })),
  rename: procedure.input(z.object({ taskId, from: path, to: path })).output(z.object({})),
  /** Moves a file or folder into the trash; `restore` with the answered token puts it back. */
  remove: procedure.input(z.object({ taskId, path })).output(z.object({ token: z.string() })),
  restore: procedure.input(z.object({ taskId, token: z.string() })).output(z.object({})),
  /** What was typed and not saved, by whichever window. */
  drafts: procedure.input(z.object({ taskId })).output(z.object({ drafts: z.array(draft) })),
  /** Journals what is being typed: answered means kept, whatever happens to page and backend. */
  keepDraft: procedure.input(z.object({ taskId, path, text, base: digest.nullable() })).output(z.object({})),
  dropDraft: procedure.input(z.object({ taskId, path })).output(z.object({})),
  /** What the reader of tasks would say of this text as task.toml, and its single values by dotted key (null where it is no TOML). */
  examine: procedure
    .input(z.object({ taskId, text }))
    .output(z.object({ issues: z.array(configIssue), values: z.record(z.string(), fieldValue).nullable() })),
  /** Sets or removes (null) single keys of a TOML text by splices; every other byte stays. Writes nothing. */
  editToml: procedure
    .input(z.object({ text, edits: z.array(z.object({ path: z.array(z.string()).min(1), value: fieldValue.nullable() })) }))
    .output(z.object({ text: z.string() })),
};
