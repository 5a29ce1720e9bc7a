// The one place where failures become what crosses the wire, and where they become failures again on the other side.
import { ORPCError } from '@orpc/client';
import { ValidationError } from '@orpc/contract';
import * as z from 'zod';
import { errorData } from '../contract/errors.ts';
import { isAbort } from '../lib/abort.ts';
import { AppError, messageOf } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';

/** The part of an intercepted call that is needed here; oRPC's interceptors of handlers and of router clients both fit. */
interface Intercepted {
  next(): Promise<unknown>;
  path: readonly string[];
  signal?: AbortSignal;
}

/**
 * Interceptor that gives every failed call the contract's error `LAB`: an `AppError` as it is, input that does not fit the schema as
 * `request.invalid` in readable words, anything else as `internal` with its stack in the log only. An aborted call is nobody's fault
 * and stays quiet.
 */
export function labErrors(log: Log): (call: Intercepted) => Promise<unknown> {
  return async ({ next, path, signal }) => {
    try {
      return await next();
    } catch (error) {
      if (signal?.aborted && (isAbort(error) || error === signal.reason)) throw error;
      const procedure = path.join('.');
      const known = asAppError(error, procedure);
      if (known.code === 'internal') log.error({ err: error, procedure }, `${procedure} failed`);
      throw new ORPCError('LAB', { status: 500, message: known.message, data: known.toData(), cause: error });
    }
  };
}

function asAppError(error: unknown, procedure: string): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof ORPCError && error.cause instanceof ValidationError) {
    // Bad input is the caller's; an answer that does not fit its own schema is ours.
    if (error.code === 'BAD_REQUEST') {
      return new AppError('request.invalid', `${procedure}: ${z.prettifyError({ issues: error.cause.issues })}`);
    }
    return new AppError('internal', `${procedure} answered what its contract does not allow.`, { hint: 'The details are in the log.' });
  }
  return new AppError('internal', `${procedure} failed: ${messageOf(error)}`, { hint: 'The details are in the log.' });
}

/** Turns what a client's call threw back into the `AppError` it was. Errors that did not come from the lab are answered unchanged. */
export function fromWire(error: unknown): unknown {
  if (!(error instanceof ORPCError) || error.code !== 'LAB') return error;
  const parsed = errorData.safeParse(error.data);
  if (!parsed.success) return error;
  const { code, message, hint, where, retryable } = parsed.data;
  return new AppError(code, message, {
    retryable,
    cause: error,
    ...(hint === undefined ? {} : { hint }),
    ...(where === undefined ? {} : { where }),
  });
}
