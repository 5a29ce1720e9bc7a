// The body of a chat completion request, and what is done about a field that a server does not take.
import type { ModelConfig, SamplingConfig } from '../contract/schema/config.ts';
import type { ChatMessage } from './model.ts';

export type HttpConfig = ModelConfig & { kind: 'http' };

/**
 * Fields that say more about the same answer, or the same in another way. A server may refuse them; without them the answer is worth
 * having. Temperature, top_p and stop are not among them: an answer sampled otherwise than the run says is not.
 */
const OPTIONAL = [
  'return_token_ids',
  'return_prompt_token_ids',
  'return_meta_info',
  'logprobs',
  'stream_options',
  'seed',
  'max_tokens',
  'stream',
] as const;
export type OptionalField = (typeof OPTIONAL)[number];

/**
 * The body to send. `without` holds the fields that this server has refused. SGLang gives token ids under other names than vLLM, and only
 * with the whole answer at once; with `logprobs` exact ids are worth more than watching the answer grow.
 */
export function requestBody(
  config: HttpConfig,
  messages: readonly ChatMessage[],
  asked: SamplingConfig,
  server: { sglang: boolean },
  without: ReadonlySet<OptionalField>,
): Record<string, unknown> {
  const sampling = { ...config.sampling, ...asked };
  const ids = config.logprobs && server.sglang && !without.has('return_meta_info');
  const stream = !ids && !without.has('stream');
  const body: Record<string, unknown> = {
    model: config.model,
    messages,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    stop: sampling.stop,
    max_tokens: sampling.maxTokens,
    seed: sampling.seed,
    stream: stream || undefined,
    stream_options: stream ? { include_usage: true } : undefined,
    ...(config.logprobs ? { logprobs: true } : {}),
    ...(config.logprobs && !server.sglang ? { return_token_ids: true } : {}),
    ...(ids ? { return_meta_info: true, return_prompt_token_ids: true } : {}),
  };
  // OpenAI's reasoning models take the same limit under a new name only.
  if (without.has('max_tokens')) body.max_completion_tokens = body.max_tokens;
  for (const field of without) delete body[field];
  for (const [field, value] of Object.entries(body)) if (value === undefined) delete body[field];
  return body;
}

/**
 * The optional field of `body` that an error answer names, or null. The most telling come first: an answer may say "return_token_ids is
 * not supported with streaming, set stream=false".
 */
export function refusedField(status: number, answer: string, body: Record<string, unknown>): OptionalField | null {
  if (status !== 400 && status !== 403 && status !== 422) return null;
  const text = answer.slice(0, 2000);
  const named = OPTIONAL.find((field) => body[field] !== undefined && new RegExp(`\\b${field}\\b`).test(text)) ?? null;
  // Most complaints about max_tokens are about its value; only the advice to use the new name is about the field.
  return named === 'max_tokens' && !/\bmax_completion_tokens\b/.test(text) ? null : named;
}
