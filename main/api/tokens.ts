import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { listModels, loadModel } from '../config/models.ts';
import type { Paths } from '../config/paths.ts';
import type { ModelConfig } from '../contract/schema/config.ts';
import type { RolloutRow } from '../contract/schema/rollout.ts';
import { promptOfRow } from '../exchange/prompt-rows.ts';
import { AppError } from '../lib/errors.ts';
import { driftOf, parityOf } from '../model/compare-tokens.ts';
import type { ChatMessage } from '../model/model.ts';
import { type ModelTokenizer, openTokenizer } from '../model/tokenizer.ts';
import type { Store } from '../store/store.ts';
import type { ApiDeps } from './deps.ts';
import { os } from './os.ts';
import { requestOf } from './request.ts';

export function tokensApi({ lab, paths }: ApiDeps) {
  const { store } = lab;
  const open = keptTokenizer();
  return os.tokens.router({
    drift: os.tokens.drift.handler(async ({ input }) => {
      const node = store.nodes.get(input.nodeId);
      if (!node) throw new AppError('request.not_found', `there is no message ${input.nodeId}`);
      // Most answers have no ids: nothing is read for those.
      if (node.tokenIds === null) return { state: 'unknown', reason: 'No token ids were recorded for this answer.' };
      const rollout = store.rollouts.get(node.rolloutId);
      const model = rollout ? await modelOf(rollout, store.imports.origin(rollout.id) !== null, paths) : null;
      const tokenizer = tokenizerOf(model);
      if (tokenizer === null) {
        const name = rollout?.model ?? 'its model';
        return { state: 'unknown', reason: `No tokenizer is known for ${name}: name its folder in the model's file ('tokenizer:').` };
      }
      return driftOf(node, await open(resolve(paths.root, tokenizer)));
    }),
    parity: os.tokens.parity.handler(async ({ input }) => {
      const first = await promptOf(store, input.first);
      const second = await promptOf(store, input.second);
      return parityOf(first, second, await open(await tokenizerPath(input.tokenizer, paths)));
    }),
  });
}

/** The configuration of a rollout's model. What a record of others calls its model is looked for among those of the lab, never as a path. */
async function modelOf(rollout: RolloutRow, imported: boolean, paths: Paths): Promise<ModelConfig | null> {
  const { model } = rollout;
  if (model === null) return null;
  const listed = (await listModels(paths)).flatMap(({ name, config }) => (config ? [{ name, config }] : []));
  const found =
    listed.find(({ name }) => name === model) ?? listed.find(({ config }) => config.kind === 'http' && sameModel(config.model, model));
  if (found || imported) return found?.config ?? null;
  return await loadModel(model, paths).catch((error: unknown) => {
    // Its file was moved since.
    if (error instanceof AppError) return null;
    throw error;
  });
}

/** Records name a model with or without its provider in front. */
function sameModel(configured: string, recorded: string): boolean {
  return configured === recorded || recorded.endsWith(`/${configured}`);
}

function tokenizerOf(config: ModelConfig | null): string | null {
  return config?.kind === 'http' ? (config.tokenizer ?? null) : null;
}

async function tokenizerPath(nameOrPath: string, paths: Paths): Promise<string> {
  if (isAbsolute(nameOrPath)) return nameOrPath;
  const tokenizer = tokenizerOf(await loadModel(nameOrPath, paths));
  if (tokenizer !== null) return resolve(paths.root, tokenizer);
  throw new AppError('config.not_found', `the model ${nameOrPath} names no tokenizer`, {
    hint: "Add 'tokenizer:' with the folder of its tokenizer.json to the model's file, or give that folder instead of the model.",
  });
}

type Prompt = { turn: number } & ({ kind: 'rollout'; rolloutId: string } | { kind: 'row'; path: string; line: number });

async function promptOf(store: Store, prompt: Prompt): Promise<ChatMessage[]> {
  if (prompt.kind === 'row') {
    if (isAbsolute(prompt.path)) return await promptOfRow(prompt.path, prompt.line, prompt.turn);
    throw new AppError('request.invalid', `${prompt.path} is no absolute path`, { hint: 'Give the whole path.' });
  }
  const { rolloutId, turn } = prompt;
  const rollout = store.rollouts.get(rolloutId);
  if (!rollout) throw new AppError('request.not_found', `there is no rollout ${rolloutId}`);
  const nodeId = answerOf(store, rolloutId, turn);
  if (nodeId === null) throw new AppError('request.not_found', `rollout ${rolloutId} has no answer of a model in turn ${turn + 1}`);
  return requestOf(store, nodeId).messages;
}

function answerOf(store: Store, rolloutId: string, turn: number): string | null {
  for (let after: number | undefined; ; ) {
    const page = store.nodes.read(rolloutId, after, { cut: 1, tokens: false });
    const node = page.rows.find((row) => row.turn === turn && row.role === 'assistant' && row.author === 'sampled');
    if (node) return node.id;
    if (!page.more) return null;
    after = page.cursor;
  }
}

/** Opens tokenizers and keeps the last one: they are large, and one is asked for turn after turn. Read anew when its file has changed. */
function keptTokenizer(): (path: string) => Promise<ModelTokenizer> {
  let kept: { key: string; tokenizer: Promise<ModelTokenizer> } | null = null;
  return async (path) => {
    const tokenizer = (file: string) =>
      stat(file).then(
        (found) => found.mtimeMs,
        () => 0,
      );
    const key = `${path}\0${await tokenizer(path)}\0${await tokenizer(resolve(path, 'tokenizer.json'))}`;
    if (kept?.key !== key) kept = { key, tokenizer: openTokenizer(path) };
    return await kept.tokenizer;
  };
}
