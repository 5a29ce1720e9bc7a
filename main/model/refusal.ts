// What a model server's error answer means to the researcher, and what to do about it. refusedField (request.ts) and isContextRefusal come
// first: those two are no errors.
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../lib/errors.ts';
import { nearest } from '../lib/nearest.ts';
import { shown } from './exchange.ts';
import type { HttpConfig } from './request.ts';
import { retryAfterMs, type Tried } from './retry.ts';
import type { ServerFacts } from './server.ts';

type Failed = Extract<Tried<unknown>, { ok: false }>;

/** Statuses after which the same request may succeed; 529 is Anthropic's "overloaded". */
const TRANSIENT = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);

/** Whether trying again makes sense. Null: an error inside a stream that carries no status; the server failed while it answered. */
export function isTransient(status: number | null): boolean {
  return status === null || TRANSIENT.has(status);
}

export function unauthorized({ name, apiKeyEnv }: HttpConfig, status: number, text: string): AppError {
  return new AppError('model.unauthorized', `the server of model ${name} does not let us in (${status}): ${errorText(text)}`, {
    hint:
      apiKeyEnv === undefined
        ? 'Add `apiKeyEnv` to the model: the name of the environment variable that holds its key.'
        : `Check the key in the environment variable ${apiKeyEnv}, and that it may use this model.`,
  });
}

export function notFound({ name, model }: HttpConfig, url: URL, text: string, { models }: ServerFacts): AppError {
  if (models.length > 0 && !models.includes(model)) {
    const near = nearest(model, models);
    return new AppError('model.unknown', `the server of model ${name} has no ${model}; it has ${models.slice(0, 20).join(', ')}`, {
      hint: near === null ? 'Set `model` to one of these.' : `Did you mean ${near}?`,
    });
  }
  return new AppError('model.unknown', `there is nothing at ${shown(url)} (404): ${errorText(text)}`, {
    hint: '`url` must be the base URL that ends before /chat/completions, usually in /v1; `model` must be a name that the server knows.',
  });
}

export function tooMuchAsked({ name }: HttpConfig, asked: number, limit: number): AppError {
  return new AppError('model.rejected', `model ${name} is asked for ${asked} tokens, but prompt and answer together may have ${limit}`, {
    hint: 'Lower `sampling.maxTokens`.',
  });
}

export function unavailable(url: URL, why: string): AppError {
  return new AppError('model.unavailable', `${shown(url)} failed: ${why}`, {
    hint: 'Look at the log of the model server; the run can be resumed when it is well again.',
    retryable: true,
  });
}

/** A failure that may pass, with the wait that the server asks for. */
export function transient(url: URL, status: number | null, text: string, headers: IncomingHttpHeaders): Failed {
  const afterMs = retryAfterMs(headers, Date.now());
  if (status !== 429)
    return { ok: false, error: unavailable(url, `${status ?? 'an error in the stream'}: ${errorText(text)}`), again: { afterMs } };
  // A spent budget looks like a rate limit, but waiting does not help.
  const spent = /insufficient_quota/.test(text);
  const error = new AppError('model.rate_limited', `${shown(url)} takes no more requests now (429): ${errorText(text)}`, {
    hint: spent ? 'The account has no credit left.' : 'Lower `concurrency` of the model, or raise its `retries`.',
    retryable: !spent,
  });
  return { ok: false, error, again: spent ? false : { afterMs } };
}

export function rejected({ name }: HttpConfig, url: URL, status: number, text: string): AppError {
  return new AppError('model.rejected', `${shown(url)} rejects the request (${status}): ${errorText(text)}`, {
    hint: `Correct the configuration of model ${name}: the same request would be rejected again.`,
  });
}

/** JSON, or null where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The status that an error object carries as its code, as servers put it into streams; null where it carries none. */
export function statusIn(error: unknown): number | null {
  const code = error instanceof Object && 'code' in error ? Number(error.code) : Number.NaN;
  return code >= 400 && code <= 599 ? code : null;
}

/** The message in an error answer, whatever its shape, in one line of at most 200 characters. */
function errorText(text: string): string {
  const found = messageIn(parseJson(text)) ?? text.replaceAll(/<[^>]*>/g, ' ');
  return found.replaceAll(/\s+/g, ' ').trim().slice(0, 200) || 'no reason given';
}

function messageIn(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((item) => messageIn(item) ?? '').join('; ');
  if (!(value instanceof Object)) return null;
  // FastAPI: which field, then what about it.
  if ('loc' in value && 'msg' in value && Array.isArray(value.loc)) return `${value.loc.join('.')}: ${value.msg}`;
  for (const [key, inner] of Object.entries(value)) {
    if (['error', 'message', 'detail', 'error_message'].includes(key)) {
      const found = messageIn(inner);
      if (found !== null) return found;
    }
  }
  return null;
}
