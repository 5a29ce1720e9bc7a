// What a failed call means to the page: the lab said no, the connection went away, or the caller changed its mind.
import { ORPCError } from '@orpc/client';
import { type ErrorData, errorData } from '../../main/contract/errors.ts';

/** A call that never got its answer because the connection closed under it, or that found no connection to wait for. */
export class DisconnectedError extends Error {
  override readonly name = 'DisconnectedError';
  /** False where the call certainly never reached the lab. */
  readonly sent: boolean;

  constructor(message: string, options: { sent: boolean }) {
    super(message);
    this.sent = options.sent;
  }
}

/** True where trying again on the next connection is the right answer. */
export function isDisconnected(error: unknown): error is DisconnectedError {
  return error instanceof DisconnectedError;
}

/** True for the error of a call whose signal was aborted: nothing to tell anybody. */
export function isAborted(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/**
 * What to show for a failed call: the lab's own error as it crossed the wire, or an equivalent for what failed on the way.
 * Answers null for an aborted call, which nobody needs to hear about.
 */
export function labError(error: unknown): ErrorData | null {
  if (isAborted(error)) return null;
  if (isDisconnected(error)) {
    return {
      code: 'server.unreachable',
      message: error.message,
      hint: error.sent
        ? 'The page connects again by itself. Look whether the command took effect before you repeat it.'
        : 'Nothing was sent. The page connects again by itself; look at the connection in the status bar.',
      retryable: true,
    };
  }
  if (error instanceof ORPCError && error.code === 'LAB') {
    const parsed = errorData.safeParse(error.data);
    if (parsed.success) return parsed.data;
  }
  return { code: 'internal', message: error instanceof Error ? error.message : String(error), retryable: false };
}
