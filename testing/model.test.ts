// Runs the conformance suite of main/model over everything that calls itself a model.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { createModel, probe } from '../main/model/create.ts';
import { modelSuite } from '../main/model/model.suite.ts';
import type { Model } from '../main/model/model.ts';
import { createReplayModel } from '../main/model/replay.ts';
import { type ModelServer, type SeenRequest, startModelServer } from './model-server.ts';
import type { Profile } from './model-wire.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'termarium-model-'));
});
afterAll(() => rm(folder, { recursive: true }));

const http = { kind: 'http', name: 'local', model: 'qwen3-4b-terminal', timeoutSeconds: 5, retries: 0, concurrency: 32 } as const;

/** The model, and what must be closed with it. */
function owning(model: Model, server: ModelServer): Model {
  return {
    name: model.name,
    contextLimit: (signal) => model.contextLimit(signal),
    sample: (request, signal) => model.sample(request, signal),
    [Symbol.asyncDispose]: async () => {
      await model[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

for (const profile of ['openai', 'vllm', 'sglang', 'llamacpp'] satisfies Profile[]) {
  for (const logprobs of [false, true]) {
    modelSuite(`http (${profile}${logprobs ? ', with log-probabilities' : ''})`, {
      counts: true,
      open: async (turns, { slow }) => {
        const turnOf = ({ body }: SeenRequest) => Number(/\(turn (\d+)\)/.exec(JSON.stringify(body.messages))?.[1]);
        const server = await startModelServer({
          profile,
          contextLength: 4096,
          behave: (seen) => (slow ? { do: 'drip', everyMs: 20 } : { do: 'answer', text: turns[turnOf(seen)] ?? '' }),
        });
        return owning(await createModel({ ...http, url: server.url, sampling: {}, logprobs }, folder), server);
      },
    });
  }
}

modelSuite('a script', {
  counts: false,
  open: async (turns, { slow }) => {
    const script = join(folder, 'script.yaml');
    await writeFile(script, stringify({ task: '*', attempts: [turns.map((text) => ({ text }))] }));
    return await createModel({ kind: 'scripted', name: 'demo', script: 'script.yaml', delayMs: slow ? 600 : 0, concurrency: 8 }, folder);
  },
});

modelSuite('a recording', { counts: false, open: async (turns) => createReplayModel(turns) });

test('a probe says what the model answered, how long it took and how much it can hold', async () => {
  await using server = await startModelServer({ profile: 'vllm', contextLength: 4096, text: 'ready' });
  await using model = await createModel({ ...http, url: server.url, sampling: {}, logprobs: false }, folder);
  const found = await probe(model, AbortSignal.timeout(5000));
  expect(found.detail).toBe('answered "ready" (1 tokens, ended by stop)');
  expect(found.contextLimit).toBe(4096);
  expect(found.milliseconds).toBeGreaterThanOrEqual(0);
});
