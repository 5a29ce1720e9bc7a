// One HTTP request to a model server and its answer as text, piece by piece. node:http rather than fetch: fetch gives up by itself after
// five minutes without a byte, which a busy GPU server may well need, and names the reason of a failed connection less exactly.
import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { AppError, messageOf } from '../lib/errors.ts';

/** Bytes after which an answer is cut off: no model says this much, but a wrong URL may. */
const ANSWER_LIMIT = 64 * 1024 * 1024;

/** How long a server may keep a connection open after the answer's end before it is closed rather than kept for the next request. */
const DRAIN_MS = 1000;

export interface Exchange {
  status: number;
  headers: IncomingHttpHeaders;
  /** Read once. Fails as `exchange` does. Stopping early is allowed. */
  body: AsyncIterable<string>;
}

/** Connections kept open between turns. Proxies come from HTTP_PROXY, HTTPS_PROXY and NO_PROXY, but never for this machine itself. */
export function connectionsTo(url: URL): HttpAgent {
  const loopback = /^(localhost|127\..*|\[::1\])$/.test(url.hostname);
  const options = { keepAlive: true, ...(loopback ? {} : { proxyEnv: process.env }) };
  return url.protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
}

/** The URL without user, password and query: safe to show. */
export function shown(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

/**
 * Sends a request and resolves when the status line is there. Any status is an answer. `timeoutMs` is the longest silence, before the
 * first byte as well as between two bytes.
 * @throws the signal's reason when aborted, and AppError: `model.refused` where nothing can be reached, `model.unavailable` where the
 *   connection was lost, `model.timeout`, `model.bad_answer` where the other side speaks no HTTP or does not stop speaking.
 */
export async function exchange(
  url: URL,
  init: { method: 'GET' | 'POST'; headers: Record<string, string>; body?: string; agent: HttpAgent; timeoutMs: number },
  signal: AbortSignal,
): Promise<Exchange> {
  signal.throwIfAborted();
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), init.timeoutMs);
  const stop = AbortSignal.any([signal, silence.signal]);
  const explain = (error: unknown) => {
    if (signal.aborted) return signal.reason;
    if (silence.signal.aborted) return silent(url, init.timeoutMs);
    return error instanceof AppError ? error : connectionFailure(error, url);
  };

  let response: IncomingMessage;
  try {
    response = await new Promise<IncomingMessage>((resolve, reject) => {
      const send = url.protocol === 'https:' ? requestHttps : requestHttp;
      const request = send(url, { method: init.method, headers: init.headers, agent: init.agent, signal: stop }, resolve);
      request.on('error', reject);
      request.end(init.body);
    });
  } catch (error) {
    clearTimeout(timer);
    throw explain(error);
  }
  // A connection that breaks after the reader has left is nobody's concern.
  response.on('error', () => {});

  async function* body() {
    const decoder = new TextDecoder();
    let bytes = 0;
    try {
      for await (const chunk of response.iterator({ destroyOnReturn: false })) {
        timer.refresh();
        bytes += chunk.length;
        if (bytes > ANSWER_LIMIT) {
          throw new AppError('model.bad_answer', `${shown(url)} answered more than ${ANSWER_LIMIT / 1024 / 1024} MB`, {
            hint: 'Check that `url` is the base URL of a model server.',
          });
        }
        yield decoder.decode(chunk, { stream: true });
      }
      yield decoder.decode();
    } catch (error) {
      response.destroy();
      throw explain(error);
    } finally {
      clearTimeout(timer);
      if (!response.complete && !response.destroyed) {
        response.resume();
        const drain = setTimeout(() => response.destroy(), DRAIN_MS);
        response.once('close', () => clearTimeout(drain));
      }
    }
  }
  return { status: response.statusCode ?? 0, headers: response.headers, body: body() };
}

function silent(url: URL, timeoutMs: number): AppError {
  return new AppError('model.timeout', `${shown(url)} sent nothing for ${timeoutMs / 1000} s`, {
    hint: 'The server may be overloaded or stuck: look at its log, lower `concurrency`, or raise `timeoutSeconds`.',
    retryable: true,
  });
}

/** What a failed connection means, by the error code of the socket. */
function connectionFailure(error: unknown, url: URL): AppError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const where = shown(url);
  if (code === 'ECONNREFUSED') {
    return new AppError('model.refused', `nothing listens at ${where}`, {
      hint: `Start the model server, or correct \`url\`: port ${url.port || (url.protocol === 'https:' ? 443 : 80)} of ${url.hostname} is closed.`,
      retryable: true,
      cause: error,
    });
  }
  if (code === 'ENOTFOUND') {
    return new AppError('model.refused', `no host is called ${url.hostname}`, { hint: 'Correct the host name in `url`.', cause: error });
  }
  if (/CERT|SSL|EPROTO|SELF_SIGNED|UNABLE_TO_/.test(code)) {
    return new AppError('model.refused', `no secure connection to ${where}: ${messageOf(error)}`, {
      hint: 'Check http or https in `url`; for a private certificate authority set NODE_EXTRA_CA_CERTS.',
      cause: error,
    });
  }
  if (code.startsWith('HPE_')) {
    return new AppError('model.bad_answer', `${where} does not speak HTTP: ${messageOf(error)}`, {
      hint: 'Check host and port in `url`.',
      cause: error,
    });
  }
  if (code.startsWith('ERR_')) {
    return new AppError('model.rejected', `the request to ${where} cannot be sent: ${messageOf(error)}`, { cause: error });
  }
  return new AppError('model.unavailable', `the connection to ${where} was lost${code && ` (${code})`}`, { retryable: true, cause: error });
}
