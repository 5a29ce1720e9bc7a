// What the HTTP model asks of a server, and what it makes of answers of every form.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { failureOf, request } from '../main/model/model.suite.ts';
import { lab, MODEL, never, TEXT } from './model-lab.ts';
import { startModelServer } from './model-server.ts';
import { logprobOf, tokenize } from './model-wire.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('what is asked', () => {
  test('the sampling of the run wins over that of the model, and nothing is sent that nobody set', async () => {
    await using on = await lab({}, { sampling: { temperature: 0.6, maxTokens: 512 } });
    await on.ask({ sampling: { temperature: 0, topP: 0.9, seed: 7, stop: ['END'] } });
    expect(on.server.seen[0]?.body).toEqual({
      model: MODEL,
      messages: request(0).messages,
      temperature: 0,
      top_p: 0.9,
      max_tokens: 512,
      seed: 7,
      stop: ['END'],
      stream: true,
      stream_options: { include_usage: true },
    });
    await on.ask();
    expect(on.server.seen[1]?.body).toEqual({
      model: MODEL,
      messages: request(0).messages,
      temperature: 0.6,
      max_tokens: 512,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('one conversation carries one session, whatever the name of its task', async () => {
    await using on = await lab();
    await on.ask({ session: { task: 'größe\nx', attempt: 3, turn: 0 } });
    await on.ask({ session: { task: 'größe\nx', attempt: 3, turn: 1 } });
    expect(on.server.seen.map(({ headers }) => headers['x-session-id'])).toEqual(Array(2).fill('gr%C3%B6%C3%9Fe%0Ax%233'));
  });

  test('the key comes from the environment variable, and a missing one is named before anything is sent', async () => {
    vi.stubEnv('LAB_TEST_KEY', ' sk-secret-1234\n');
    await using on = await lab({ apiKey: 'sk-secret-1234' }, { apiKeyEnv: 'LAB_TEST_KEY' });
    expect((await on.ask()).text).toBe(TEXT);
    vi.stubEnv('LAB_TEST_KEY', undefined);
    expect(await failureOf(on.ask())).toMatchObject({
      code: 'model.unauthorized',
      message: 'model local takes its key from LAB_TEST_KEY, which is not set',
    });
    vi.stubEnv('LAB_TEST_KEY', 'two words');
    expect((await failureOf(on.ask())).message).not.toContain('two words');
    expect(on.server.seen).toHaveLength(1);
  });

  test('no more requests are in flight than the model allows', async () => {
    await using on = await lab({ behave: () => ({ do: 'drip', everyMs: 1 }) }, { concurrency: 3 });
    await Promise.all(Array.from({ length: 12 }, () => on.ask()));
    expect(on.server.inFlight.most).toBe(3);
  });

  test('connections are kept open from turn to turn', async () => {
    await using on = await lab();
    for (let turn = 0; turn < 10; turn += 1) await on.ask();
    // The next question may be asked before the first connection has been given back.
    expect(new Set(on.server.seen.map(({ port }) => port)).size).toBeLessThanOrEqual(2);
  });

  test('a proxy is used for servers elsewhere', async () => {
    await using proxy = await startModelServer({ text: 'by way of the proxy' });
    vi.stubEnv('HTTP_PROXY', new URL(proxy.url).origin);
    vi.stubEnv('NO_PROXY', undefined);
    await using on = await lab({}, { url: 'http://models.example.invalid/v1' });
    expect((await on.ask()).text).toBe('by way of the proxy');
  });
});

describe('what comes back', () => {
  test('exact counts, times and reasoning apart from the text', async () => {
    await using on = await lab({ profile: 'vllm' });
    on.server.next({ do: 'answer', reasoning: 'Let me count.' });
    expect(await on.ask()).toMatchObject({
      text: TEXT,
      reasoning: 'Let me count.',
      finish: 'stop',
      completionTokens: tokenize(TEXT).length,
      usageExact: true,
      tokenIds: null,
      logprobs: null,
      retries: [],
    });
  });

  test('an answer cut by the token limit says so', async () => {
    await using on = await lab();
    expect(await on.ask({ sampling: { maxTokens: 2 } })).toMatchObject({
      text: 'The folder'.slice(0, 10),
      finish: 'length',
      completionTokens: 2,
    });
  });

  test.each([
    ['end_turn', 'stop'],
    ['max_tokens', 'length'],
    ['content_filter', 'filter'],
    ['tool_calls', 'other'],
  ] as const)('the finish reason %s means %s', async (finish, expected) => {
    await using on = await lab();
    on.server.next({ do: 'answer', finish });
    expect((await on.ask()).finish).toBe(expected);
  });

  test.each(['vllm', 'sglang', 'llamacpp'] as const)(
    '%s gives log-probabilities with the ids of the tokens that were sampled',
    async (profile) => {
      await using on = await lab({ profile, contextLength: 4096 }, { logprobs: true });
      const answer = await on.ask();
      const tokens = tokenize(TEXT);
      expect(answer.tokenIds).toEqual(tokens.map(({ id }) => id));
      expect(answer.tokens).toEqual(tokens.map(({ token }) => token));
      expect(answer.logprobs).toEqual(tokens.map((_, n) => logprobOf(n)));
      expect(answer.completionTokens).toBe(tokens.length);
      if (profile !== 'llamacpp') expect(answer.promptTokenIds).toHaveLength(answer.promptTokens ?? 0);
    },
  );

  test('OpenAI gives log-probabilities without ids', async () => {
    await using on = await lab({ profile: 'openai' }, { logprobs: true });
    const answer = await on.ask();
    expect(answer.tokenIds).toBeNull();
    expect(answer.logprobs).toHaveLength(tokenize(TEXT).length);
  });

  test('log-probabilities that do not fit the token ids are dropped', async () => {
    await using on = await lab({}, { logprobs: true });
    const choice = {
      index: 0,
      message: { content: 'ab' },
      finish_reason: 'stop',
      token_ids: [1, 2],
      logprobs: { content: [{ token: 'ab', logprob: -1 }] },
    };
    on.server.next({ do: 'status', status: 200, body: { choices: [choice] } });
    expect(await on.ask()).toMatchObject({ text: 'ab', tokenIds: [1, 2], logprobs: null, tokens: null });
  });

  test('a server that does not count leaves an estimate that is marked as one', async () => {
    await using on = await lab();
    on.server.next({ do: 'no usage' });
    const answer = await on.ask();
    expect(answer.usageExact).toBe(false);
    expect(answer.completionTokens).toBeGreaterThan(5);
    expect(answer.completionTokens).toBeLessThan(30);
  });

  test('plain JSON instead of a stream is an answer too', async () => {
    await using on = await lab();
    on.server.next({ do: 'whole' });
    const pieces: string[] = [];
    expect(await on.ask({ onDelta: (piece: string) => pieces.push(piece) })).toMatchObject({ text: TEXT, usageExact: true });
    expect(pieces).toEqual([TEXT]);
  });

  test('comments, empty choices, uncalled-for tool calls and a missing [DONE] do no harm', async () => {
    await using on = await lab();
    on.server.next({ do: 'sloppy' });
    expect(await on.ask()).toMatchObject({ text: TEXT, finish: 'stop', retries: [] });
  });

  test('bytes may be cut anywhere, also within a letter', async () => {
    const text = 'naïve 🦀 — 日本語';
    const stream = `data: ${JSON.stringify({ choices: [{ delta: { content: text }, finish_reason: 'stop' }] })}\r\n\r\ndata: [DONE]\r\n\r\n`;
    await using on = await lab();
    on.server.next({ do: 'bytes', chunks: [...Buffer.from(stream)].map((byte) => Buffer.of(byte)) });
    expect((await on.ask()).text).toBe(text);
  });

  test('parts of a message and strangely typed extras are tolerated', async () => {
    await using on = await lab();
    const choice = {
      index: 0,
      message: {
        content: [
          { type: 'text', text: 'in ' },
          { type: 'text', text: 'parts' },
        ],
      },
      finish_reason: 'stop',
      logprobs: 'none',
    };
    on.server.next({ do: 'status', status: 200, body: { choices: [choice], usage: { prompt_tokens: 'many' } } });
    expect(await on.ask()).toMatchObject({ text: 'in parts', usageExact: false });
  });
});

describe('the context limit', () => {
  test.each(['vllm', 'sglang', 'llamacpp'] as const)('%s says it, and is asked once', async (profile) => {
    await using on = await lab({ profile, contextLength: 2048 });
    expect(await on.model.contextLimit(never)).toBe(2048);
    expect(await on.model.contextLimit(never)).toBe(2048);
    expect(on.server.asked.filter((path) => path === '/v1/models')).toHaveLength(1);
  });

  test('OpenAI does not say it; the configuration may, and then nobody is asked', async () => {
    await using on = await lab({ profile: 'openai' });
    expect(await on.model.contextLimit(never)).toBeNull();
    await using told = await lab({ profile: 'openai' }, { contextLimit: 128_000 });
    expect(await told.model.contextLimit(never)).toBe(128_000);
    expect(told.server.asked).toEqual([]);
  });

  test.each(['openai', 'vllm', 'sglang', 'llamacpp'] as const)(
    'a conversation that %s finds too long is an answer, not an error',
    async (profile) => {
      await using on = await lab({ profile, contextLength: 10 });
      expect(await on.ask()).toMatchObject({ text: '', finish: 'context', completionTokens: 0, retries: [] });
      expect(on.server.seen).toHaveLength(1);
    },
  );

  test('so it is when the server finds out while it streams', async () => {
    await using on = await lab();
    on.server.next({ do: 'fail within', error: { message: "This model's maximum context length is 40 tokens.", code: 400 } });
    expect(await on.ask()).toMatchObject({ text: '', finish: 'context' });
  });

  test('an answer limit that leaves no room for a prompt is the fault of the configuration', async () => {
    await using on = await lab({ profile: 'vllm', contextLength: 4096 }, { sampling: { maxTokens: 8192 } });
    expect(await failureOf(on.ask())).toMatchObject({
      code: 'model.rejected',
      message: 'model local is asked for 8192 tokens, but prompt and answer together may have 4096',
    });
  });
});

describe('fields that a server does not take', () => {
  const wordings: [string, (field: string) => { status: number; body: unknown }][] = [
    [
      'OpenAI',
      (field) => ({ status: 400, body: { error: { message: `Unrecognized request argument supplied: ${field}`, param: field } } }),
    ],
    ['FastAPI', (field) => ({ status: 422, body: { detail: [{ loc: ['body', field], msg: 'Extra inputs are not permitted' }] } })],
    ['a gateway', (field) => ({ status: 400, body: { message: `UnsupportedParamsError: does not support parameters: ['${field}']` } })],
  ];
  for (const [who, refusal] of wordings) {
    test.each(['seed', 'logprobs', 'stream_options', 'return_token_ids', 'stream'])(
      `%s is left out once ${who} has refused it`,
      async (field) => {
        await using on = await lab({ profile: 'vllm', refuses: [field], refusal }, { logprobs: true, sampling: { seed: 1 } });
        const answer = await on.ask();
        expect(answer).toMatchObject({ text: TEXT, retries: [`the server does not take ${field}; asked again without it`] });
        expect(await on.ask()).toMatchObject({ text: TEXT, retries: [] });
        expect(on.server.seen.map(({ body }) => field in body)).toEqual([true, false, false]);
      },
    );
  }

  test('the token limit goes under its new name where the old one is refused', async () => {
    const body = {
      error: {
        message: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        param: 'max_tokens',
      },
    };
    await using on = await lab({ refuses: ['max_tokens'], refusal: () => ({ status: 400, body }) }, { sampling: { maxTokens: 100 } });
    await on.ask();
    expect(on.server.seen[1]?.body).toMatchObject({ max_completion_tokens: 100 });
    expect(on.server.seen[1]?.body).not.toHaveProperty('max_tokens');
  });

  test('the temperature is never left out: the answer would be sampled otherwise than the run says', async () => {
    const body = { error: { message: "Unsupported value: 'temperature' does not support 0.2 with this model.", param: 'temperature' } };
    await using on = await lab({ refuses: ['temperature'], refusal: () => ({ status: 400, body }) }, { sampling: { temperature: 0.2 } });
    expect(await failureOf(on.ask())).toMatchObject({
      code: 'model.rejected',
      message: expect.stringContaining("'temperature' does not support 0.2"),
    });
    expect(on.server.seen).toHaveLength(1);
  });
});
