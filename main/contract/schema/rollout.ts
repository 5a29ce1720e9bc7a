// What one play of one task is, and how it can end.
import * as z from 'zod';
import { errorData } from '../errors.ts';

/** Ends that the agent or its limits cause. All are scored. */
export const outcome = z.enum([
  'solved',
  'unsolved',
  'gave_up',
  'turn_limit',
  'token_limit',
  'time_limit',
  'format_limit',
  'context_full',
  'killed_sandbox',
  'verify_timeout',
]);
export type Outcome = z.infer<typeof outcome>;

/** Where a reward comes from. Only `tests_ran` (and a task-declared reward written by the test run) is evidence about the agent. */
export const verdictState = z.enum(['tests_ran', 'verifier_failed', 'no_verdict', 'infra_error', 'cancelled']);
export type VerdictState = z.infer<typeof verdictState>;

export const rolloutStatus = z.enum(['queued', 'starting', 'running', 'verifying', 'finished', 'error', 'cancelled', 'interrupted']);
export type RolloutStatus = z.infer<typeof rolloutStatus>;

export const testResult = z.object({
  name: z.string(),
  status: z.enum(['passed', 'failed', 'skipped', 'error', 'other']),
  message: z.string().optional(),
  seconds: z.number().optional(),
});
export type TestResult = z.infer<typeof testResult>;

export const verdict = z.object({
  state: verdictState,
  /** The scored reward; null where the verdict state excludes the rollout or nothing gave a number. */
  reward: z.number().nullable(),
  /** Every number the verifier reported, by name. */
  rewards: z.record(z.string(), z.number()),
  /** passed / total of the tests, where tests were counted. */
  partial: z.number().nullable(),
  tests: z.array(testResult),
  /** `fresh`: graded in a new container from a snapshot of the agent's. `same`: in the agent's, its processes ended. `live`: as it was left. */
  box: z.enum(['fresh', 'same', 'live', 'none']),
  /** Signs of tampering that were found and neutralised (planted reward files, planted tests, leftover processes). */
  tampering: z.array(z.string()),
  /** Why the state is what it is, in one sentence. */
  reason: z.string(),
  seconds: z.number(),
});
export type Verdict = z.infer<typeof verdict>;

/** A file that an agent added, modified or deleted. `tests`: it belongs to tests, which an agent is not asked to change. */
export const fileChange = z.object({ path: z.string(), kind: z.enum(['A', 'M', 'D']), tests: z.boolean() });
export type FileChange = z.infer<typeof fileChange>;

/** Milliseconds spent in each phase. */
export const rolloutTimings = z.object({
  startMs: z.number().optional(),
  agentMs: z.number().optional(),
  modelMs: z.number().optional(),
  commandMs: z.number().optional(),
  verifyMs: z.number().optional(),
});

export const rolloutRow = z.object({
  id: z.string(),
  runId: z.string(),
  taskId: z.string(),
  taskName: z.string(),
  taskDigest: z.string(),
  attempt: z.number().int(),
  agent: z.string(),
  model: z.string().nullable(),
  status: rolloutStatus,
  outcome: outcome.nullable(),
  verdictState: verdictState.nullable(),
  reward: z.number().nullable(),
  error: errorData.nullable(),
  turns: z.number().int(),
  promptTokens: z.number().int(),
  completionTokens: z.number().int(),
  timings: rolloutTimings,
  /** Milliseconds since the epoch. */
  queuedAt: z.number().int(),
  startedAt: z.number().int().nullable(),
  endedAt: z.number().int().nullable(),
  rev: z.number().int(),
});
export type RolloutRow = z.infer<typeof rolloutRow>;

export const nodeAuthor = z.enum(['sampled', 'human', 'edited', 'environment', 'template']);
export type NodeAuthor = z.infer<typeof nodeAuthor>;

export const commandRow = z.object({
  nodeId: z.string(),
  index: z.number().int(),
  keystrokes: z.string(),
  /** Seconds the agent asked to wait. */
  duration: z.number(),
  startedAt: z.number().int(),
  endedAt: z.number().int().nullable(),
  /** From the shell's own marks; null where the shell gives none or the command had not ended. */
  exitCode: z.number().int().nullable(),
  /** Why the wait ended. */
  settled: z.enum(['idle', 'elapsed', 'exited', 'interrupted']).nullable(),
  /** Byte offsets of this command's output in the terminal recording. */
  from: z.number().int(),
  to: z.number().int().nullable(),
});
export type CommandRow = z.infer<typeof commandRow>;

/** One message of the conversation tree. A turn is the assistant node, its commands, and the environment node that answers it. */
export const nodeRow = z.object({
  id: z.string(),
  rolloutId: z.string(),
  parentId: z.string().nullable(),
  turn: z.number().int(),
  role: z.enum(['system', 'user', 'assistant']),
  author: nodeAuthor,
  content: z.string(),
  reasoning: z.string().nullable(),
  /** Parser's verdicts on an assistant message; null on others. */
  format: z.object({ strict: z.boolean(), robust: z.boolean(), problems: z.array(z.string()) }).nullable(),
  promptTokens: z.number().int().nullable(),
  completionTokens: z.number().int().nullable(),
  stopReason: z.string().nullable(),
  /** Token ids and their log-probabilities as sampled, where the server gave them. */
  tokenIds: z.array(z.number().int()).nullable(),
  logprobs: z.array(z.number()).nullable(),
  tokens: z.array(z.string()).nullable(),
  /** True where the token or message was sampled by the policy and may carry loss. */
  sampled: z.boolean(),
  timings: z.object({ firstTokenMs: z.number().optional(), totalMs: z.number().optional() }),
  createdAt: z.number().int(),
  commands: z.array(commandRow),
  rev: z.number().int(),
});
export type NodeRow = z.infer<typeof nodeRow>;
