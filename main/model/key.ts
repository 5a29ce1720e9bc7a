// API keys: named in the configuration, read from the environment, and shown to nobody.
import { AppError } from '../lib/errors.ts';

/** The key in the environment variable `variable`, for the model called `name`. Fails with `model.unauthorized`, never showing a key. */
export function apiKey(name: string, variable: string): string {
  const key = process.env[variable]?.trim();
  if (!key) {
    throw new AppError('model.unauthorized', `model ${name} takes its key from ${variable}, which is not set`, {
      hint: `Set the environment variable ${variable} before Termarium starts.`,
    });
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new AppError('model.unauthorized', `the key in ${variable} has characters that no key has, such as spaces or line breaks`, {
      hint: `Set ${variable} to the key alone.`,
    });
  }
  return key;
}

/** The text without the key: servers like to repeat one that they do not accept, and it must not get into logs and stores. */
export function withoutKey(text: string, variable: string | undefined): string {
  const key = variable === undefined ? undefined : process.env[variable]?.trim();
  return key ? text.replaceAll(key, '…') : text;
}

/** The error without the key in its message; its cause, which may hold the key too, is left out then. */
export function errorWithoutKey(error: AppError, variable: string | undefined): AppError {
  const message = withoutKey(error.message, variable);
  if (message === error.message) return error;
  return new AppError(error.code, message, { ...(error.hint === undefined ? {} : { hint: error.hint }), retryable: error.retryable });
}
