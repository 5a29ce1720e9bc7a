// Every way in which the lab can fail, by the boundary where it happened. What an agent does is never an error (see schema/rollout.ts).
import * as z from 'zod';

export const errorCodes = [
  'config.invalid',
  'config.not_found',
  'data.read_only',
  'data.locked',
  'data.newer',
  'data.corrupt',
  'task.invalid',
  'task.not_found',
  'task.unsupported',
  'docker.unreachable',
  'docker.failed',
  'image.missing',
  'image.build_failed',
  'sandbox.start_failed',
  'sandbox.lost',
  'model.unknown',
  'model.refused',
  'model.unauthorized',
  'model.rate_limited',
  'model.unavailable',
  'model.bad_answer',
  'model.timeout',
  'model.rejected',
  'verifier.failed',
  'server.port_taken',
  'server.unreachable',
  'server.unauthorized',
  'request.invalid',
  'request.not_found',
  'request.conflict',
  'internal',
] as const;

export const errorCode = z.enum(errorCodes);
export type ErrorCode = z.infer<typeof errorCode>;

/** What crosses the wire for a failed call. `message` says what failed, `hint` what to do, `where` is `file:line` where there is one. */
export const errorData = z.object({
  code: errorCode,
  message: z.string(),
  hint: z.string().optional(),
  where: z.string().optional(),
  retryable: z.boolean(),
});
export type ErrorData = z.infer<typeof errorData>;
