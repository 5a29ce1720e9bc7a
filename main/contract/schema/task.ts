// Tasks as the lab lists them.
import * as z from 'zod';

export const taskFormat = z.enum(['harbor', 'terminal-bench-1']);

/** Something worth telling about an input file: an unknown key, a legacy spelling, a field the lab cannot honour. */
export const configIssue = z.object({
  level: z.enum(['note', 'warning', 'error']),
  message: z.string(),
  /** Path as the reader would type it, relative to the task or as given. */
  file: z.string(),
  line: z.number().int().positive().optional(),
});
export type ConfigIssue = z.infer<typeof configIssue>;

export const gateName = z.enum(['build', 'initial', 'nop', 'oracle', 'fresh', 'flaky', 'band']);
export type GateName = z.infer<typeof gateName>;

/** Result of one gate of `check`. `missing`: the task lacks what the gate needs (no oracle, no initial tests), which is not a failure. */
export const gateResult = z.object({
  gate: gateName,
  state: z.enum(['passed', 'failed', 'missing', 'skipped']),
  detail: z.string(),
  seconds: z.number(),
});
export type GateResult = z.infer<typeof gateResult>;

export const taskSetRow = z.object({
  id: z.string(),
  name: z.string(),
  /** Folder it was read from. */
  path: z.string(),
  origin: z.enum(['bundled', 'imported']),
  taskCount: z.number().int(),
  rev: z.number().int(),
});
export type TaskSetRow = z.infer<typeof taskSetRow>;

export const taskRow = z.object({
  id: z.string(),
  setId: z.string(),
  name: z.string(),
  path: z.string(),
  format: taskFormat,
  /** Harbor's content digest, 64 hex digits. */
  digest: z.string(),
  instruction: z.string(),
  difficulty: z.string().nullable(),
  category: z.string().nullable(),
  tags: z.array(z.string()),
  hasSolution: z.boolean(),
  issues: z.array(configIssue),
  gates: z.array(gateResult),
  rev: z.number().int(),
});
export type TaskRow = z.infer<typeof taskRow>;
