// A run: one configuration played over a list of tasks.
import * as z from 'zod';
import { errorData } from '../errors.ts';
import { runConfig } from './config.ts';
import { runOrigin } from './exchange.ts';

export const runStatus = z.enum(['running', 'paused', 'finished', 'cancelled', 'stopped', 'interrupted']);
export type RunStatus = z.infer<typeof runStatus>;

/** An observed rate with its Wilson 95 % interval. */
export const rate = z.object({
  passed: z.number().int(),
  total: z.number().int(),
  value: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});
export type Rate = z.infer<typeof rate>;

export const runRow = z.object({
  id: z.string(),
  name: z.string(),
  status: runStatus,
  config: runConfig,
  /** Only of an imported run: nothing of it was played here, and its configuration only says where it lies. */
  origin: runOrigin.optional(),
  /** Why the lab itself stopped the run, where it did. */
  error: errorData.nullable(),
  counts: z.object({
    total: z.number().int(),
    queued: z.number().int(),
    active: z.number().int(),
    finished: z.number().int(),
    errors: z.number().int(),
    cancelled: z.number().int(),
    interrupted: z.number().int(),
  }),
  /** Passed over all trials that ended (an excluded trial counts as not passed). */
  overAll: rate,
  /** Passed over trials with a verdict. */
  overVerdict: rate,
  createdAt: z.number().int(),
  endedAt: z.number().int().nullable(),
  rev: z.number().int(),
});
export type RunRow = z.infer<typeof runRow>;
