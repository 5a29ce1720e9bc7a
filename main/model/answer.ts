// Reads the body of a chat completion, streamed or whole, into one answer. Knows the wire format of OpenAI and what vLLM, SGLang, llama.cpp
// and gateways add to it or get wrong; knows nothing of connections.
import { createParser } from 'eventsource-parser';
import * as z from 'zod';
import { AppError } from '../lib/errors.ts';
import type { Completion } from './model.ts';

/** A wrongly typed extra must not cost the answer: it counts as absent. */
const lenient = <T extends z.ZodType>(schema: T) => schema.nullish().catch(null);

const ids = lenient(z.array(z.number().int()));

const content = z.union([
  z.string(),
  // Some gateways give the parts of a message apart.
  z.array(z.looseObject({ text: lenient(z.string()) })).transform((parts) => parts.map((part) => part.text ?? '').join('')),
]);

const part = lenient(z.looseObject({ content: lenient(content), reasoning_content: lenient(z.string()), reasoning: lenient(z.string()) }));

const choice = z.looseObject({
  index: lenient(z.number()),
  delta: part,
  message: part,
  finish_reason: lenient(z.string()),
  /** llama.cpp puts the token's id beside its text. */
  logprobs: lenient(
    z.looseObject({ content: lenient(z.array(z.looseObject({ token: z.string(), logprob: z.number(), id: lenient(z.number().int()) }))) }),
  ),
  /** vLLM with `return_token_ids`: of this piece. */
  token_ids: ids,
  /** SGLang with `return_prompt_token_ids`. */
  prompt_token_ids: ids,
  /** SGLang with `return_meta_info`: [log-probability, token id, text or null]. */
  meta_info: lenient(z.looseObject({ output_token_logprobs: lenient(z.array(z.tuple([z.number(), z.number().int()]).rest(z.unknown()))) })),
});

const piece = z.looseObject({
  choices: lenient(z.array(choice)),
  usage: lenient(z.looseObject({ prompt_tokens: lenient(z.number().int()), completion_tokens: lenient(z.number().int()) })),
  /** vLLM with `return_token_ids`: in the first piece. */
  prompt_token_ids: ids,
  error: z.unknown().optional(),
});

export interface Answer {
  text: string;
  reasoning: string | null;
  finish: Completion['finish'];
  promptTokens: number | null;
  completionTokens: number | null;
  tokenIds: number[] | null;
  promptTokenIds: number[] | null;
  tokens: string[] | null;
  logprobs: number[] | null;
}

/** What a body turned out to hold. `error` is the object that a server sent instead of, or in the middle of, an answer. */
export type Read = { kind: 'answer'; answer: Answer } | { kind: 'error'; error: unknown } | { kind: 'broken'; why: string };

export interface Listener {
  /** Each piece of the text. */
  onText: (text: string) => void;
  /** The first token of text or reasoning. */
  onFirst: () => void;
}

/**
 * Reads a body to its end. `broken` is an answer that ended too soon: the connection was closed, or the server gave up, in the middle.
 * @throws AppError `model.bad_answer` where it is no chat completion, and whatever reading the body throws.
 */
export async function readAnswer(body: AsyncIterable<string>, url: string, listener: Listener): Promise<Read> {
  const collected = new Collected(listener);
  const bad = (what: string, text: string, cause?: unknown) =>
    new AppError('model.bad_answer', `${url} answered ${what}: ${text.trim().slice(0, 200) || '(nothing)'}`, {
      hint: 'Check that `url` is the base URL of an OpenAI-compatible server, usually ending in /v1, and look at the log of the server.',
      cause,
    });
  const take = (text: string) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw bad('something that is not JSON', text, error);
    }
    const parsed = piece.safeParse(value);
    if (!parsed.success) throw bad('JSON that is no chat completion', text, parsed.error);
    collected.take(parsed.data);
  };
  const events = createParser({
    onEvent: ({ data }) => {
      if (collected.over) return;
      if (data.trim() === '[DONE]') collected.over = true;
      else if (data.trim() !== '') take(data);
    },
    // llama.cpp before 2025 sends failures as a field of its own.
    onError: ({ type, field, value }) => {
      if (type === 'unknown-field' && field === 'error' && value !== undefined) take(`{"error":${value}}`);
    },
  });

  let format: 'events' | 'json' | null = null;
  const unread: string[] = [];
  for await (const chunk of body) {
    if (format === 'events') events.feed(chunk);
    else unread.push(chunk);
    if (format === null) {
      format = formatOf(unread.join(''), bad);
      if (format === 'events') events.feed(unread.splice(0).join(''));
    }
    if (collected.over) break;
  }
  if (format === 'events') events.reset({ consume: true });
  else take(unread.join(''));
  if (collected.error !== undefined) return { kind: 'error', error: collected.error };
  if (!collected.sawChoice) throw bad('without a choice', unread.join(''));
  return collected.end(format === 'events');
}

/** Neither the content type nor the request says reliably whether an answer is streamed; its first characters do. Null: too few yet. */
function formatOf(beginning: string, bad: (what: string, text: string) => AppError): 'events' | 'json' | null {
  const text = beginning.trimStart();
  if (/^[{["]/.test(text)) return 'json';
  if (text.startsWith('<')) throw bad('a web page', text);
  if (/^(:|data:|event:|id:|retry:|error:)/.test(text)) return 'events';
  if (text.length < 'retry:'.length) return null;
  throw bad('something that is no chat completion', text);
}

/** Why an answer ended, in the words of all servers. Null: the server has given up on the answer. */
function finishOf(reason: string | null): Completion['finish'] | null {
  switch (reason) {
    case 'stop':
    case 'eos':
    case 'eos_token':
    case 'end_turn':
    case 'stop_sequence':
      return 'stop';
    case 'length':
    case 'max_tokens':
    case 'model_length':
      return 'length';
    case 'content_filter':
    case 'safety':
      return 'filter';
    case 'abort':
    case 'error':
      return null;
    default:
      return 'other';
  }
}

class Collected {
  readonly #listener: Listener;
  #text: string[] = [];
  #reasoning: string[] = [];
  #first = true;
  #finish: string | null = null;
  #tokenIds: number[] = [];
  #tokens: string[] = [];
  #logprobs: number[] = [];
  #promptTokenIds: number[] | null = null;
  #promptTokens: number | null = null;
  #completionTokens: number | null = null;
  sawChoice = false;
  /** Nothing more is to come: [DONE], or an error. */
  over = false;
  error: unknown;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  take(from: z.infer<typeof piece>): void {
    if (from.error !== undefined && from.error !== null) {
      this.error = from.error;
      this.over = true;
      return;
    }
    this.#promptTokens = from.usage?.prompt_tokens ?? this.#promptTokens;
    this.#completionTokens = from.usage?.completion_tokens ?? this.#completionTokens;
    this.#promptTokenIds = from.prompt_token_ids ?? this.#promptTokenIds;
    for (const choice of from.choices ?? []) {
      if ((choice.index ?? 0) !== 0) continue;
      this.sawChoice = true;
      this.#finish = choice.finish_reason ?? this.#finish;
      this.#promptTokenIds = choice.prompt_token_ids ?? this.#promptTokenIds;
      this.#said(choice.delta?.content ?? choice.message?.content ?? '', choice.delta ?? choice.message ?? null);
      this.#counted(choice);
    }
  }

  #said(text: string, part: { reasoning_content?: string | null | undefined; reasoning?: string | null | undefined } | null): void {
    // Servers that know both names repeat the same text under each.
    const reasoning = part?.reasoning_content ?? part?.reasoning ?? '';
    if (text === '' && reasoning === '') return;
    if (this.#first) {
      this.#first = false;
      this.#listener.onFirst();
    }
    if (reasoning !== '') this.#reasoning.push(reasoning);
    if (text === '') return;
    this.#text.push(text);
    this.#listener.onText(text);
  }

  #counted({ logprobs, token_ids, meta_info }: z.infer<typeof choice>): void {
    for (const { token, logprob, id } of logprobs?.content ?? []) {
      this.#tokens.push(token);
      this.#logprobs.push(logprob);
      if (typeof id === 'number') this.#tokenIds.push(id);
    }
    this.#tokenIds.push(...(token_ids ?? meta_info?.output_token_logprobs?.map(([, id]) => id) ?? []));
  }

  end(streamed: boolean): Read {
    const finish = finishOf(this.#finish);
    if (finish === null) return { kind: 'broken', why: `the server gave up in the middle of the answer (finish_reason ${this.#finish})` };
    if (streamed && !this.over && this.#finish === null) return { kind: 'broken', why: 'the stream ended in the middle of the answer' };
    // Token by token, or not at all: training on log-probabilities that belong to other tokens would be worse than having none.
    const aligned = this.#tokenIds.length === 0 || this.#logprobs.length === 0 || this.#tokenIds.length === this.#logprobs.length;
    const orNull = <T>(list: T[]) => (list.length > 0 ? list : null);
    return {
      kind: 'answer',
      answer: {
        text: this.#text.join(''),
        reasoning: this.#reasoning.length > 0 ? this.#reasoning.join('') : null,
        finish,
        promptTokens: this.#promptTokens,
        completionTokens: this.#completionTokens,
        tokenIds: orNull(this.#tokenIds),
        promptTokenIds: this.#promptTokenIds,
        tokens: aligned ? orNull(this.#tokens) : null,
        logprobs: aligned ? orNull(this.#logprobs) : null,
      },
    };
  }
}
