// A model behind any OpenAI-compatible server: vLLM, SGLang, llama.cpp, a gateway, a cloud. This file is the conversation with the server;
// what is asked is in request.ts, what comes back in answer.ts, and what a refusal means in refusal.ts.
import type { IncomingHttpHeaders } from 'node:http';
import PQueue from 'p-queue';
import { AppError } from '../lib/errors.ts';
import { type Answer, readAnswer } from './answer.ts';
import { isContextRefusal } from './context-refusal.ts';
import { connectionsTo, type Exchange, exchange, shown } from './exchange.ts';
import { apiKey, errorWithoutKey, withoutKey } from './key.ts';
import type { Completion, Model, SampleRequest } from './model.ts';
import { isTransient, notFound, parseJson, rejected, statusIn, tooMuchAsked, transient, unauthorized, unavailable } from './refusal.ts';
import { type HttpConfig, type OptionalField, refusedField, requestBody } from './request.ts';
import { type Patience, patience, type Tried, withRetries } from './retry.ts';
import { askServer, below, type ServerFacts, unknownServer } from './server.ts';
import { estimatePromptTokens, estimateTokens } from './tokens.ts';

/**
 * Opens a model behind an HTTP server; nothing is sent yet. It fails when it is used, in the ways that `Model` names. The key's
 * environment variable is read at each request.
 * @param waits between retries; tests shorten them.
 */
export function createHttpModel(config: HttpConfig, waits: Omit<Patience, 'retries'> = patience): Model {
  return new HttpModel(config, waits);
}

/** One call of `sample` while it goes on. */
interface Sampling {
  request: SampleRequest;
  signal: AbortSignal;
  retries: string[];
  /** Of the try that is running. */
  started: number;
  firstTokenMs: number | null;
  streamed: boolean;
}

class HttpModel implements Model {
  readonly name: string;
  readonly #config: HttpConfig;
  readonly #patience: Patience;
  readonly #base: URL;
  readonly #agent;
  readonly #queue;
  /** Optional fields that this server has refused. */
  readonly #without = new Set<OptionalField>();
  #facts: ServerFacts | null = null;
  /** A closed port is a wrong address, but behind a server that has answered before it is one that is starting again. */
  #hasAnswered = false;

  constructor(config: HttpConfig, waits: Omit<Patience, 'retries'>) {
    this.name = config.name;
    this.#config = config;
    this.#patience = { ...waits, retries: config.retries };
    this.#base = new URL(config.url);
    this.#agent = connectionsTo(this.#base);
    this.#queue = new PQueue({ concurrency: config.concurrency });
  }

  async contextLimit(signal: AbortSignal = new AbortController().signal): Promise<number | null> {
    return this.#config.contextLimit ?? (await this.#keepingTheKey(() => this.#learn(signal))).contextLimit;
  }

  async sample(request: SampleRequest, signal: AbortSignal): Promise<Completion> {
    signal.throwIfAborted();
    return await this.#keepingTheKey(() => this.#queue.add(() => this.#sample(request, signal), { signal }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#queue.clear();
    this.#agent.destroy();
  }

  async #sample(request: SampleRequest, signal: AbortSignal): Promise<Completion> {
    const server = this.#config.logprobs ? await this.#learn(signal) : unknownServer;
    const sampling: Sampling = { request, signal, retries: [], started: 0, firstTokenMs: null, streamed: false };
    const attempt = () => this.#ask(sampling, server);
    const log = (line: string) => sampling.retries.push(withoutKey(line, this.#config.apiKeyEnv));
    const answer = await withRetries(attempt, this.#patience, log, signal);
    const totalMs = performance.now() - sampling.started;
    const prompt = answer.promptTokens ?? answer.promptTokenIds?.length;
    const said = answer.completionTokens ?? answer.tokenIds?.length;
    return {
      ...answer,
      promptTokens: prompt ?? estimatePromptTokens(request.messages),
      completionTokens: said ?? estimateTokens(answer.text) + estimateTokens(answer.reasoning ?? ''),
      usageExact: prompt !== undefined && said !== undefined,
      firstTokenMs: sampling.firstTokenMs,
      totalMs,
      retries: sampling.retries,
    };
  }

  /** One try. */
  async #ask(sampling: Sampling, server: ServerFacts): Promise<Tried<Answer>> {
    const { request, signal } = sampling;
    if (sampling.streamed) request.onRestart?.();
    Object.assign(sampling, { started: performance.now(), firstTokenMs: null, streamed: false });
    const url = below(this.#base, 'chat/completions');
    const body = requestBody(this.#config, request.messages, request.sampling, server, this.#without);
    try {
      const { status, headers, body: pieces } = await this.#post(url, body, request.session, signal);
      if (status < 200 || status > 299) return await this.#refused(status, headers, await textOf(pieces), body, sampling, server);
      const read = await readAnswer(pieces, shown(url), {
        onText: (text) => {
          sampling.streamed = true;
          request.onDelta?.(text);
        },
        onFirst: () => {
          sampling.firstTokenMs = performance.now() - sampling.started;
        },
      });
      switch (read.kind) {
        case 'answer':
          return { ok: true, value: read.answer };
        case 'broken':
          return { ok: false, error: unavailable(url, read.why), again: { afterMs: null } };
        case 'error':
          return await this.#refused(statusIn(read.error), {}, JSON.stringify({ error: read.error }), body, sampling, server);
      }
    } catch (error) {
      return this.#connectionLost(error);
    }
  }

  /** What an error answer leads to. Status null: it came inside a stream that had begun well, and carries none. */
  async #refused(
    status: number | null,
    headers: IncomingHttpHeaders,
    text: string,
    body: Record<string, unknown>,
    sampling: Sampling,
    server: ServerFacts,
  ): Promise<Tried<Answer>> {
    const url = below(this.#base, 'chat/completions');
    if (isContextRefusal(status, text)) {
      await this.#checkRoom(sampling);
      return { ok: true, value: contextFull };
    }
    const field = refusedField(status ?? 400, text, body);
    if (field !== null) {
      this.#without.add(field);
      sampling.retries.push(`the server does not take ${field}; asked again without it`);
      return await this.#ask(sampling, server);
    }
    if (status === 401 || status === 403) return { ok: false, error: unauthorized(this.#config, status, text), again: false };
    if (status === 404) return { ok: false, error: notFound(this.#config, url, text, await this.#learn(sampling.signal)), again: false };
    if (status === null || isTransient(status)) return transient(url, status, text, headers);
    return { ok: false, error: rejected(this.#config, url, status, text), again: false };
  }

  /** An answer limit that leaves no room for any prompt is the configuration's fault, and must not be scored as the agent's. */
  async #checkRoom({ request, signal }: Sampling): Promise<void> {
    const asked = request.sampling.maxTokens ?? this.#config.sampling.maxTokens;
    if (asked === undefined) return;
    const limit = await this.contextLimit(signal);
    if (limit !== null && asked >= limit) throw tooMuchAsked(this.#config, asked, limit);
  }

  /** Connection failures that may pass, as something to try again; all else is thrown. */
  #connectionLost(error: unknown): Extract<Tried<never>, { ok: false }> {
    if (!(error instanceof AppError)) throw error;
    const starting = error.code === 'model.refused' && error.retryable && this.#hasAnswered;
    if (error.code !== 'model.unavailable' && !starting) throw error;
    return { ok: false, error, again: { afterMs: null } };
  }

  /** What the server says of itself, asked once. */
  async #learn(signal: AbortSignal): Promise<ServerFacts> {
    this.#facts ??= await askServer(this.#base, this.#config.model, (url) => this.#get(url, signal));
    return this.#facts;
  }

  /** JSON of a GET, or null where the server has none to give. */
  async #get(url: URL, signal: AbortSignal): Promise<unknown> {
    const attempt = async (): Promise<Tried<unknown>> => {
      try {
        const { status, headers, body } = await this.#send(url, { method: 'GET', headers: {} }, signal);
        const text = await textOf(body);
        if (status === 401) return { ok: false, error: unauthorized(this.#config, status, text), again: false };
        if (isTransient(status) && status !== 500) return transient(url, status, text, headers);
        return { ok: true, value: status === 200 ? parseJson(text) : null };
      } catch (error) {
        return this.#connectionLost(error);
      }
    };
    return await withRetries(attempt, this.#patience, () => {}, signal);
  }

  async #post(url: URL, value: unknown, session: SampleRequest['session'], signal: AbortSignal): Promise<Exchange> {
    const body = JSON.stringify(value);
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      // Routers (vLLM production stack, SGLang) keep one conversation on one replica by it, where its prefix is cached.
      'x-session-id': encodeURIComponent(`${session.task}#${session.attempt}`),
    };
    return await this.#send(url, { method: 'POST', headers, body }, signal);
  }

  async #send(url: URL, what: { method: 'GET' | 'POST'; headers: Record<string, string>; body?: string }, signal: AbortSignal) {
    const { name, apiKeyEnv, timeoutSeconds } = this.#config;
    const headers = {
      accept: 'application/json, text/event-stream',
      ...(apiKeyEnv === undefined ? {} : { authorization: `Bearer ${apiKey(name, apiKeyEnv)}` }),
      ...what.headers,
    };
    const answer = await exchange(url, { ...what, headers, agent: this.#agent, timeoutMs: timeoutSeconds * 1000 }, signal);
    this.#hasAnswered = true;
    return answer;
  }

  async #keepingTheKey<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw error instanceof AppError ? errorWithoutKey(error, this.#config.apiKeyEnv) : error;
    }
  }
}

const contextFull: Answer = {
  text: '',
  reasoning: null,
  finish: 'context',
  promptTokens: null,
  completionTokens: 0,
  tokenIds: null,
  promptTokenIds: null,
  tokens: null,
  logprobs: null,
};

async function textOf(body: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of body) text += piece;
  return text;
}
