// One error type for everything that is not the agent's doing, and the one function that gives it to whatever escapes a boundary.
import type { ErrorCode, ErrorData } from '../contract/errors.ts';

/** A failure of the lab or of what it depends on. The message says what failed; the hint says what to do about it. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  /** `file:line` of the input at fault, where there is one. */
  readonly where: string | undefined;
  /** True where trying the same call again may succeed. */
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: { hint?: string; where?: string; retryable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.where = options.where;
    this.retryable = options.retryable ?? false;
  }

  /** The form that crosses the wire and is stored with a rollout. */
  toData(): ErrorData {
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.where === undefined ? {} : { where: this.where }),
      retryable: this.retryable,
    };
  }
}

/** Text of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Runs a call that crosses into something the lab does not control. An `AppError` and an abort pass through; anything else that
 * escapes becomes an `AppError` with this boundary's code, so a failure is attributed once, where it happened.
 */
export async function boundary<T>(code: ErrorCode, doing: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof AppError || (error instanceof Error && error.name === 'AbortError')) throw error;
    throw new AppError(code, `${doing}: ${messageOf(error)}`, { cause: error });
  }
}

/** For the default branch of an exhaustive switch. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
