import * as z from 'zod';
import { procedure } from './base.ts';
import { configIssue, gateName, gateResult, taskRow, taskSetRow } from './schema/task.ts';
import { after, rowsOf } from './watch.ts';

/** A task's folder, and the last part of its name. */
const newName = z.string().min(1).max(100);

const fileEntry = z.object({ path: z.string(), bytes: z.number().int(), executable: z.boolean(), text: z.boolean() });

/** What came of an import: tasks that were taken, folders that were not and why, and what is worth knowing of those that were. */
const importReport = z.object({
  setId: z.string(),
  tasks: z.number().int(),
  rejected: z.array(configIssue),
  issues: z.array(configIssue),
});

export const tasks = {
  watchSets: procedure.input(z.object({ after })).output(rowsOf(taskSetRow)),
  watch: procedure.input(z.object({ setId: z.string().optional(), after })).output(rowsOf(taskRow)),
  get: procedure.input(z.object({ taskId: z.string() })).output(taskRow.extend({ files: z.array(fileEntry) })),
  /** Text of one file of a task; refused where the path leaves the task's folder. Cut at 1 MB. */
  readFile: procedure
    .input(z.object({ taskId: z.string(), path: z.string().max(4096) }))
    .output(z.object({ text: z.string().nullable(), bytes: z.number().int(), cut: z.boolean() })),
  /** Reads a folder of tasks (or one task) and adds it as a set. A task that cannot be read is reported and left out. */
  importFolder: procedure.input(z.object({ path: z.string().min(1).max(4096), name: z.string().max(200).optional() })).output(importReport),
  /** Fetches the newest commit with Git into the data folder, then reads it (or the folder of it) as `importFolder` does. */
  importGit: procedure
    .input(
      z.object({
        url: z.string().min(1).max(2048),
        ref: z.string().min(1).max(200).optional(),
        folder: z.string().min(1).max(4096).optional(),
        name: z.string().max(200).optional(),
      }),
    )
    .output(importReport.extend({ commit: z.string() })),
  /** Makes a task from a template, in the folder of a set or (null) among the lab's own tasks. */
  create: procedure
    .input(z.object({ setId: z.string().nullable(), name: newName, template: z.enum(['shell', 'pytest']) }))
    .output(z.object({ taskId: z.string() })),
  /** Copies a task beside itself, or among the lab's own tasks where it is shipped with the lab. Only its name in task.toml is changed. */
  duplicate: procedure.input(z.object({ taskId: z.string(), name: newName })).output(z.object({ taskId: z.string() })),
  /** Moves a task's folder into the trash. `restore` with the answered token puts it back. */
  remove: procedure.input(z.object({ taskId: z.string() })).output(z.object({ setId: z.string(), token: z.string() })),
  restore: procedure.input(z.object({ setId: z.string(), token: z.string() })).output(z.object({ taskId: z.string() })),
  /** Runs the gates. Answers when all are done; progress is in the task's row (`gates`) and the check log. */
  check: procedure
    .input(z.object({ taskId: z.string(), gates: z.array(gateName).optional(), repeats: z.int().min(1).max(20).default(1) }))
    .output(z.object({ passed: z.boolean(), gates: z.array(gateResult) })),
  /** Text log of the latest check of this task, as a tail. */
  watchCheckLog: procedure
    .input(z.object({ taskId: z.string(), after: z.number().int().min(0).default(0) }))
    .output(z.object({ text: z.string(), cursor: z.number().int(), ended: z.boolean() })),
};
