// What can be learned from /v1/models of different servers, and how long they ask to wait.
import { expect, test } from 'vitest';
import { retryAfterMs } from './retry.ts';
import { askServer, below } from './server.ts';

const base = new URL('http://gpu-box:8000/v1/');

async function facts(model: string, pages: Record<string, unknown>) {
  return await askServer(base, model, async (url) => pages[url.pathname] ?? null);
}

test('vLLM: a LoRA adapter has the limit of its base model', async () => {
  const data = [
    { id: 'qwen3-4b', owned_by: 'vllm', parent: null, max_model_len: 32_768 },
    { id: 'terminal-lora', owned_by: 'vllm', parent: 'qwen3-4b', max_model_len: null },
  ];
  expect(await facts('terminal-lora', { '/v1/models': { data } })).toEqual({
    models: ['qwen3-4b', 'terminal-lora'],
    contextLimit: 32_768,
    sglang: false,
  });
});

test('llama.cpp: what one slot may use counts, not what the model was trained with', async () => {
  const models = { data: [{ id: 'qwen3-4b.gguf', owned_by: 'llamacpp', meta: { n_ctx_train: 131_072 } }] };
  const props = { default_generation_settings: { n_ctx: 4096 }, total_slots: 4 };
  expect((await facts('any name', { '/v1/models': models, '/props': props })).contextLimit).toBe(4096);
  expect((await facts('any name', { '/v1/models': models })).contextLimit).toBe(131_072);
});

test.each([
  ['OpenRouter', { context_length: 262_144 }, 262_144],
  ['Groq', { context_window: 131_072 }, 131_072],
  ['Mistral', { max_context_length: 128_000 }, 128_000],
  ['OpenAI', {}, null],
  ['one that says nonsense', { max_model_len: 'long' }, null],
])('%s: %o', async (_, more, limit) => {
  const data = [
    { id: 'a', ...more },
    { id: 'b', context_length: 1 },
  ];
  expect((await facts('a', { '/v1/models': { data } })).contextLimit).toBe(limit);
});

test('a server that tells nothing leaves the limit unknown', async () => {
  expect(await facts('a', {})).toEqual({ models: [], contextLimit: null, sglang: false });
  expect(await facts('a', { '/v1/models': ['a'] })).toEqual({ models: [], contextLimit: null, sglang: false });
});

test('endpoints lie below the base URL, and its query is kept', () => {
  expect(below(new URL('https://x.example/openai/v1?api-version=2025-01-01'), 'chat/completions').href).toBe(
    'https://x.example/openai/v1/chat/completions?api-version=2025-01-01',
  );
  expect(below(base, 'models').href).toBe('http://gpu-box:8000/v1/models');
});

const now = Date.parse('2026-11-30T12:00:00Z');
test.each([
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': 'Mon, 30 Nov 2026 12:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' }, 0],
  [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
  [{ 'retry-after': '-1' }, null],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': '' }, null],
  [{}, null],
])('the headers %o ask for %o ms', (headers, expected) => {
  expect(retryAfterMs(headers, now)).toBe(expected);
});
