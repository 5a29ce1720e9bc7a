// A model server and an HTTP model that speaks to it, closed together.
import { createHttpModel } from '../main/model/http.ts';
import { request } from '../main/model/model.suite.ts';
import type { HttpConfig } from '../main/model/request.ts';
import { type ModelServerOptions, startModelServer } from './model-server.ts';

export const MODEL = 'qwen3-4b-terminal';
export const TEXT = 'The folder holds twelve files and nothing else.';

/** A signal that never aborts. */
export const never = new AbortController().signal;

/** Waits between retries that no test notices. */
export const fast = { firstMs: 1, longestMs: 4, longestAskedMs: 60_000 };

/** A server and a model that speaks to it. */
export async function lab(options: ModelServerOptions = {}, config: Partial<HttpConfig> = {}, waits = fast) {
  const server = await startModelServer({ text: TEXT, ...options });
  const model = createHttpModel(
    {
      kind: 'http',
      name: 'local',
      url: server.url,
      model: MODEL,
      sampling: {},
      logprobs: false,
      timeoutSeconds: 5,
      retries: 3,
      concurrency: 16,
      ...config,
    },
    waits,
  );
  return {
    server,
    model,
    ask: (more = {}, signal = never) => model.sample(request(0, more), signal),
    [Symbol.asyncDispose]: async () => {
      await model[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
