// What the HTTP model does when servers do what servers do: refuse, limit, stall and break off.
import { createServer } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { failureOf } from '../main/model/model.suite.ts';
import { fast, lab, never, TEXT } from './model-lab.ts';
import { type Behaviour, startModelServer } from './model-server.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const overloaded: Behaviour = { do: 'status', status: 503, body: { error: { message: 'the engine is overloaded' } } };

describe('failures that pass', () => {
  test.each([408, 409, 429, 500, 502, 503, 529])('%i is tried again, and the answer says so', async (status) => {
    await using on = await lab();
    on.server.next(
      { do: 'status', status, body: { error: 'not now' } },
      { do: 'status', status, body: '<html><h1>Bad   gateway</h1></html>' },
    );
    const answer = await on.ask();
    expect(answer.text).toBe(TEXT);
    expect(answer.retries).toEqual([
      expect.stringMatching(new RegExp(`/v1/chat/completions .*${status}.*not now; tried again after 0\\.0 s`)),
      expect.stringContaining('Bad gateway'),
    ]);
    expect(on.server.seen).toHaveLength(3);
  });

  test.each([
    ['seconds', { 'retry-after': '0.2' }],
    ['milliseconds', { 'retry-after-ms': '200' }],
    ['a date', { 'retry-after': () => new Date(Date.now() + 1200).toUTCString() }],
  ])('Retry-After in %s is waited for', async (_, header) => {
    await using on = await lab();
    const headers = Object.fromEntries(
      Object.entries(header).map(([name, value]) => [name, typeof value === 'function' ? value() : value]),
    );
    on.server.next({ do: 'status', status: 429, body: { error: { message: 'slow down' } }, headers });
    const started = performance.now();
    await on.ask();
    // The date has whole seconds: between 0.2 and 1.2 s are left.
    expect(performance.now() - started).toBeGreaterThan(190);
  });

  test('but not longer than a minute, or whatever the cap is', async () => {
    await using on = await lab({}, {}, { ...fast, longestAskedMs: 50 });
    on.server.next({ do: 'status', status: 429, body: {}, headers: { 'retry-after': '3600' } });
    const started = performance.now();
    expect((await on.ask()).retries).toEqual([expect.stringContaining('tried again after 0.1 s')]);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test.each([
    ['before the answer', { do: 'reset', when: 'before' }],
    ['within the answer', { do: 'reset', when: 'within' }],
    ['within the stream, politely', { do: 'end early' }],
    [
      'by an error object in the stream',
      { do: 'fail within', error: { message: 'EngineDeadError', type: 'InternalServerError', code: 500 } },
    ],
    ['by a finish reason', { do: 'answer', finish: 'abort' }],
  ] as [string, Behaviour][])('an answer that breaks off %s is asked for again, and watchers are told', async (_, behaviour) => {
    await using on = await lab();
    on.server.next(behaviour);
    let watched = '';
    const answer = await on.ask({
      onDelta: (piece: string) => {
        watched += piece;
      },
      onRestart: () => {
        watched = '';
      },
    });
    expect(answer.text).toBe(TEXT);
    expect(answer.retries).toHaveLength(1);
    expect(watched).toBe(TEXT);
  });

  test('in the end they are an error that says how often it was tried', async () => {
    await using on = await lab({ behave: () => overloaded }, { retries: 2 });
    const error = await failureOf(on.ask());
    expect(error).toMatchObject({ code: 'model.unavailable', retryable: true });
    expect(error.message).toBe(`${on.server.url}/chat/completions failed: 503: the engine is overloaded (tried 3 times)`);
    expect(on.server.seen).toHaveLength(3);
  });

  test('a rate limit that stays is told apart, and a spent budget is not waited for', async () => {
    await using on = await lab(
      { behave: () => ({ do: 'status', status: 429, body: { error: { message: 'Rate limit reached' } } }) },
      { retries: 1 },
    );
    expect(await failureOf(on.ask())).toMatchObject({ code: 'model.rate_limited', retryable: true });
    expect(on.server.seen).toHaveLength(2);
    on.server.next({
      do: 'status',
      status: 429,
      body: { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } },
    });
    expect(await failureOf(on.ask())).toMatchObject({
      code: 'model.rate_limited',
      retryable: false,
      hint: 'The account has no credit left.',
    });
    expect(on.server.seen).toHaveLength(3);
  });

  test('a server that is started again in the middle of a run is waited for', async () => {
    await using on = await lab({}, { retries: 8 }, { firstMs: 20, longestMs: 50, longestAskedMs: 50 });
    await on.ask();
    const port = Number(new URL(on.server.url).port);
    await on.server[Symbol.asyncDispose]();
    const answer = on.ask();
    await using again = await startModelServer({ port, text: 'back again' });
    expect(again.url).toBe(on.server.url);
    expect((await answer).text).toBe('back again');
  });
});

describe('failures that stay', () => {
  test('a closed port is told at once, with what to do', async () => {
    await using on = await lab();
    await on.server[Symbol.asyncDispose]();
    const error = await failureOf(on.ask());
    expect(error).toMatchObject({
      code: 'model.refused',
      message: `nothing listens at ${on.server.url}/chat/completions`,
      retryable: true,
    });
    expect(error.hint).toContain('Start the model server');
    expect(await failureOf(on.model.contextLimit(never))).toMatchObject({
      code: 'model.refused',
      message: expect.stringContaining('/v1/models'),
    });
  });

  test('an unknown host, https to an http server, and a port that speaks something else', async () => {
    await using unknown = await lab({}, { url: 'http://models.example.invalid/v1', retries: 0 });
    vi.stubEnv('HTTP_PROXY', undefined);
    expect((await failureOf(unknown.ask())).code).toMatch(/^model\.(refused|unavailable)$/);
    await using on = await lab();
    await using secure = await lab({}, { url: on.server.url.replace('http:', 'https:') });
    expect(await failureOf(secure.ask())).toMatchObject({ code: 'model.refused', hint: expect.stringContaining('http or https') });
    const ssh = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    const port = await new Promise<number>((resolve) => {
      ssh.listen(0, '127.0.0.1', () => {
        const address = ssh.address();
        resolve(address instanceof Object ? address.port : 0);
      });
    });
    await using wrong = await lab({}, { url: `http://127.0.0.1:${port}/v1` });
    expect(await failureOf(wrong.ask())).toMatchObject({
      code: 'model.bad_answer',
      message: expect.stringContaining('does not speak HTTP'),
    });
    ssh.close();
  });

  test('a key that is not accepted is never shown, not even when the server repeats it', async () => {
    vi.stubEnv('LAB_TEST_KEY', 'sk-wrong-5678');
    await using on = await lab({ apiKey: 'sk-right' }, { apiKeyEnv: 'LAB_TEST_KEY' });
    const error = await failureOf(on.ask());
    expect(error).toMatchObject({ code: 'model.unauthorized', retryable: false, hint: expect.stringContaining('LAB_TEST_KEY') });
    expect(JSON.stringify({ ...error.toData(), stack: error.stack, cause: error.cause })).not.toContain('sk-wrong-5678');
    expect(error.message).toContain('Incorrect API key provided: ….');
    expect(on.server.seen).toHaveLength(1);
  });

  test('nor in the account of failed tries', async () => {
    vi.stubEnv('LAB_TEST_KEY', 'sk-right-5678');
    await using on = await lab({ apiKey: 'sk-right-5678' }, { apiKeyEnv: 'LAB_TEST_KEY' });
    on.server.next({ do: 'status', status: 503, body: { error: 'no worker for sk-right-5678' } });
    expect((await on.ask()).retries).toEqual([expect.stringContaining('no worker for …; tried again')]);
  });

  test.each([401, 403])('%i without a configured key says how to name one', async (status) => {
    await using on = await lab();
    on.server.next({ do: 'status', status, body: { error: { message: 'Authentication required' } } });
    expect(await failureOf(on.ask())).toMatchObject({ code: 'model.unauthorized', hint: expect.stringContaining('apiKeyEnv') });
  });

  test('a model that the server does not have is told with those that it has', async () => {
    await using on = await lab({ profile: 'vllm', model: 'qwen3-4b-terminal' }, { model: 'qwen3-4b-terminl' });
    expect(await failureOf(on.ask())).toMatchObject({
      code: 'model.unknown',
      message: 'the server of model local has no qwen3-4b-terminl; it has qwen3-4b-terminal',
      hint: 'Did you mean qwen3-4b-terminal?',
    });
  });

  test('a URL with the wrong path is told apart from a wrong model', async () => {
    await using on = await lab();
    await using wrong = await lab({}, { url: on.server.url.replace('/v1', '/api') });
    expect(await failureOf(wrong.ask())).toMatchObject({ code: 'model.unknown', hint: expect.stringContaining('usually in /v1') });
  });

  test.each([
    ['garbage', { do: 'raw', body: `?? ${'x'.repeat(500)}` }, 'something that is no chat completion'],
    ['half a JSON', { do: 'raw', body: `{"choices": [${' '.repeat(500)}` }, 'something that is not JSON'],
    ['JSON of another kind', { do: 'raw', body: '["a", "b"]' }, 'JSON that is no chat completion'],
    ['a log-in page', { do: 'raw', body: '<!doctype html><title>Log in</title>', type: 'text/html' }, 'a web page'],
    ['nothing', { do: 'raw', body: '' }, '(nothing)'],
    ['no choices', { do: 'raw', body: '{"choices": []}' }, 'without a choice'],
    ['a stream of garbage', { do: 'raw', body: 'data: {broken\n\n' }, 'something that is not JSON: {broken'],
    ['a stream that ends at once', { do: 'raw', body: 'data: [DONE]\n\n' }, 'without a choice'],
  ] as [string, Behaviour, string][])('%s is told with its first 200 characters', async (_, behaviour, words) => {
    await using on = await lab();
    on.server.next(behaviour);
    const error = await failureOf(on.ask());
    expect(error).toMatchObject({ code: 'model.bad_answer', message: expect.stringContaining(words) });
    expect(error.message.length).toBeLessThan(330);
    expect(on.server.seen).toHaveLength(1);
  });

  test.each(['hang', 'stall'] as const)('silence (%s) ends after the timeout', async (silence) => {
    await using on = await lab({}, { timeoutSeconds: 0.15 });
    on.server.next({ do: silence });
    const error = await failureOf(on.ask());
    expect(error).toMatchObject({
      code: 'model.timeout',
      retryable: true,
      message: `${on.server.url}/chat/completions sent nothing for 0.15 s`,
    });
  });

  test('slowness is not silence', async () => {
    await using on = await lab({}, { timeoutSeconds: 0.15 });
    on.server.next({ do: 'drip', everyMs: 40 });
    const answer = await on.ask();
    expect(answer.text).toBe(TEXT);
    expect(answer.totalMs).toBeGreaterThan(300);
    expect(answer.firstTokenMs).toBeLessThan(150);
  });

  test('a request that the server rejects says why and is not repeated', async () => {
    await using on = await lab();
    on.server.next({ do: 'status', status: 400, body: { error: { message: 'messages[0]: role tool is not allowed' } } });
    expect(await failureOf(on.ask())).toMatchObject({
      code: 'model.rejected',
      message: expect.stringContaining('(400): messages[0]: role tool'),
    });
    expect(on.server.seen).toHaveLength(1);
  });

  test('an answer without end is cut off', async () => {
    await using on = await lab({}, { timeoutSeconds: 30 });
    on.server.next({ do: 'flood', bytes: 80 * 1024 * 1024 });
    expect(await failureOf(on.ask())).toMatchObject({ code: 'model.bad_answer', message: expect.stringContaining('more than 64 MB') });
  });
});

describe('an abort', () => {
  test('hangs up on the server, while it is silent as well as while it speaks', async () => {
    for (const behaviour of [{ do: 'hang' }, { do: 'stall' }, { do: 'drip', everyMs: 50 }] satisfies Behaviour[]) {
      await using on = await lab();
      on.server.next(behaviour);
      const stop = new AbortController();
      const reason = new Error('cancelled by the researcher');
      const hungUp = on.server.hungUp();
      const answer = on.ask({}, stop.signal);
      await on.server.arrived(1);
      stop.abort(reason);
      await expect(answer).rejects.toBe(reason);
      await hungUp;
    }
  });

  test('ends the wait between two tries', async () => {
    await using on = await lab({ behave: () => overloaded }, {}, { firstMs: 60_000, longestMs: 60_000, longestAskedMs: 60_000 });
    const stop = new AbortController();
    const answer = on.ask({}, stop.signal);
    await on.server.arrived(1);
    stop.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
  });

  test('gives up a place in the queue without a request', async () => {
    await using on = await lab({ behave: () => ({ do: 'hang' }) }, { concurrency: 1 });
    const first = new AbortController();
    const holding = on.ask({}, first.signal);
    await on.server.arrived(1);
    const second = new AbortController();
    const waiting = on.ask({}, second.signal);
    second.abort(new Error('not needed any more'));
    await expect(waiting).rejects.toThrow('not needed any more');
    first.abort(new Error('done'));
    await expect(holding).rejects.toThrow('done');
    expect(on.server.seen).toHaveLength(1);
  });
});
