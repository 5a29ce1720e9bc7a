// Turns what dockerode throws into the lab's errors, by status code and system error code, never by wording.
import { AppError, messageOf } from '../lib/errors.ts';

const networkCodes = new Set(['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE', 'EACCES', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND']);

/** HTTP status of the engine's answer, where it gave one. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

/** What the engine itself said, without the client's wrapping. */
export function engineMessage(error: unknown): string {
  if (error instanceof Error && 'json' in error && typeof error.json === 'object' && error.json !== null && 'message' in error.json) {
    return String(error.json.message).trim();
  }
  return messageOf(error).trim();
}

/** An engine call that failed while doing something. An `AppError` or an abort passes through unchanged. */
export function engineFailure(doing: string, error: unknown): Error {
  if (error instanceof AppError || (error instanceof Error && error.name === 'AbortError')) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (statusOf(error) === undefined && networkCodes.has(code)) {
    return new AppError('docker.unreachable', `${doing}: the Docker Engine does not answer (${messageOf(error)})`, {
      hint: 'Check that the engine still runs: docker version',
      retryable: true,
      cause: error,
    });
  }
  return new AppError('docker.failed', `${doing}: ${engineMessage(error)}`, { cause: error });
}

/**
 * The same for a call on one container: a container that is gone or no longer runs is a lost sandbox, which is about this sandbox and
 * not about the engine.
 */
export function containerFailure(doing: string, id: string, error: unknown): Error {
  const status = statusOf(error);
  if (status === 404 || status === 409) {
    return new AppError('sandbox.lost', `${doing}: container ${id.slice(0, 12)} is gone or no longer runs (${engineMessage(error)})`, {
      cause: error,
    });
  }
  return engineFailure(doing, error);
}
