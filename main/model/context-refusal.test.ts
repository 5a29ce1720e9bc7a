// Whole error answers as servers send them when a conversation is too long, and answers that only look like one.
import { expect, test } from 'vitest';
import { isContextRefusal } from './context-refusal.ts';

const openai = (message: string, more: object = {}) =>
  JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, ...more } });
const flat = (message: string) => JSON.stringify({ object: 'error', message, type: 'BadRequestError', param: null, code: 400 });

test.each([
  [
    'OpenAI',
    400,
    openai("This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.", {
      code: 'context_length_exceeded',
    }),
  ],
  [
    'OpenAI, newer models',
    400,
    openai('Your input exceeds the context window of this model. Please adjust your input and try again.', {
      code: 'context_length_exceeded',
    }),
  ],
  ['a gateway that keeps only the code', 400, openai('Bad request', { code: 'context_length_exceeded' })],
  [
    'vLLM before 0.16',
    400,
    flat(
      "This model's maximum context length is 16384 tokens. However, you requested 19591 tokens (9591 in the messages, 10000 in the completion). Please reduce the length of the messages or completion.",
    ),
  ],
  [
    'vLLM before 0.16, answer limit',
    400,
    flat(
      "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 32768 tokens and your request has 30000 input tokens (8192 > 32768 - 30000). None",
    ),
  ],
  [
    'vLLM from 0.16',
    400,
    openai(
      "You passed 31745 input tokens and requested 1024 output tokens. However, the model's context length is only 32768 tokens, resulting in a maximum input length of 31744 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=31745)",
    ),
  ],
  [
    'vLLM engine',
    400,
    flat(
      'The decoder prompt (length 40211) is longer than the maximum model length of 32768. Make sure that `max_model_len` is no smaller than the number of text tokens.',
    ),
  ],
  ['vLLM, long ago', 400, flat('max_tokens must be at least 1, got -186.')],
  ['SGLang', 400, flat("The input (61709 tokens) is longer than the model's context length (40960 tokens).")],
  [
    'SGLang with an answer limit',
    400,
    flat(
      "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 33000 tokens: 29000 tokens from the input messages and 4000 tokens for the completion.",
    ),
  ],
  [
    'SGLang scheduler',
    400,
    flat(
      'Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens). Use a shorter input or enable --allow-auto-truncate.',
    ),
  ],
  [
    'TGI',
    422,
    '{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3900 `inputs` tokens and 1024 `max_new_tokens`","error_type":"validation"}',
  ],
  [
    'TGI, prompt alone',
    422,
    '{"error":"Input validation error: `inputs` must have less than 4096 tokens. Given: 5121","error_type":"validation"}',
  ],
  [
    'llama.cpp',
    400,
    '{"error":{"code":400,"message":"request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":14429,"n_ctx":8192}}',
  ],
  [
    'llama.cpp before October 2025',
    500,
    '{"error":{"code":500,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"server_error"}}',
  ],
  ['llama-cpp-python', 500, '{"error":{"message":"Requested tokens (2285) exceed context window of 2048","type":"internal_server_error"}}'],
  [
    'Anthropic',
    400,
    '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}',
  ],
  [
    'Anthropic with an answer limit',
    400,
    '{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 198000 + 8192 > 200000, decrease input length or `max_tokens` and try again"}}',
  ],
  ['Bedrock', 400, '{"message":"ValidationException: Input is too long for requested model."}'],
  [
    'Gemini',
    400,
    '{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}',
  ],
  ['xAI', 400, '{"error":"This model\'s maximum prompt length is 131072 but the request contains 537812 tokens."}'],
  ['an error in a stream, without a status', null, openai("This model's maximum context length is 40960 tokens.")],
])('%s: too long', (_, status, body) => {
  expect(isContextRefusal(status, body)).toBe(true);
});

test.each([
  [
    'a rate limit by tokens',
    429,
    openai('Request too large for gpt-4.1: Limit 30000 tokens per min, Requested 50000. The input or output tokens must be reduced.'),
  ],
  ['a rate limit that names the context', 429, openai('maximum context length for your tier')],
  [
    'an answer limit above what the model can write',
    400,
    openai('max_tokens is too large: 100000. This model supports at most 16384 completion tokens.'),
  ],
  ['an answer limit of nothing', 400, flat('max_tokens must be at least 1, got 0.')],
  ['an upload limit of a proxy', 413, '<html><head><title>413 Request Entity Too Large</title></head></html>'],
  ['another mistake', 400, openai("'temperature' must be at most 2")],
  ['a broken server', 500, openai('CUDA out of memory')],
  [
    'a refusal that goes on to repeat a conversation about contexts',
    400,
    openai(`unexpected role${' '.repeat(3000)}"maximum context length"`),
  ],
])('%s: not too long', (_, status, body) => {
  expect(isContextRefusal(status, body)).toBe(false);
});
