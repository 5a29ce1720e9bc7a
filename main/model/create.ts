// From a model's configuration to a model that answers.
import { resolve } from 'node:path';
import type { ModelConfig } from '../contract/schema/config.ts';
import { assertNever } from '../lib/errors.ts';
import { createHttpModel } from './http.ts';
import { apiKey } from './key.ts';
import type { Model } from './model.ts';
import { createScriptedModel } from './scripted.ts';
import { loadTokenizer } from './tokenizer.ts';

/** Opens the model that a configuration describes; fails with `model.unauthorized` where it names a key that is not set. `root` is the folder that relative script and tokenizer paths start from. */
export async function createModel(config: ModelConfig, root: string): Promise<Model> {
  switch (config.kind) {
    case 'scripted':
      return await createScriptedModel(config, root);
    case 'http':
      if (config.apiKeyEnv !== undefined) apiKey(config.name, config.apiKeyEnv);
      if (config.tokenizer === undefined) return createHttpModel(config);
      return Object.assign(createHttpModel(config), { countTokens: await loadTokenizer(resolve(root, config.tokenizer)) });
    default:
      return assertNever(config);
  }
}

/** Sends one short request and says what came back. Throws what the model throws. */
export async function probe(
  model: Model,
  signal: AbortSignal,
): Promise<{ detail: string; milliseconds: number; contextLimit: number | null }> {
  const contextLimit = await model.contextLimit(signal);
  const answer = await model.sample(
    {
      messages: [{ role: 'user', content: 'Answer with the single word: ready' }],
      sampling: { maxTokens: 16 },
      session: { task: 'probe', attempt: 0, turn: 0 },
    },
    signal,
  );
  const said = answer.text.trim().slice(0, 80);
  return {
    detail: `answered ${JSON.stringify(said)} (${answer.completionTokens} tokens${answer.usageExact ? '' : ', estimated'}, ended by ${answer.finish})`,
    milliseconds: Math.round(answer.totalMs),
    contextLimit,
  };
}
