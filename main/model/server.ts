// What a model server says of itself at /v1/models (and llama.cpp at /props): which models it has and how long a conversation may be.
import * as z from 'zod';

const size = z.number().int().positive().nullish().catch(null);

const entry = z.looseObject({
  id: z.string(),
  owned_by: z.string().nullish().catch(null),
  /** vLLM: the base model of a LoRA adapter, whose limit holds for it. */
  parent: z.string().nullish().catch(null),
  /** vLLM, SGLang · OpenRouter · Groq · Mistral, LM Studio: names of one thing. */
  max_model_len: size,
  context_length: size,
  context_window: size,
  max_context_length: size,
  /** llama.cpp: what is served (newer ones) and what the model was trained with. */
  meta: z.looseObject({ n_ctx: size, n_ctx_train: size }).nullish().catch(null),
});

const list = z.looseObject({ data: z.array(entry) });

/** llama.cpp: `n_ctx` is what one request may use, after the context was divided among the server's slots. */
const props = z.looseObject({ default_generation_settings: z.looseObject({ n_ctx: z.number().int().positive() }) });

export interface ServerFacts {
  models: string[];
  contextLimit: number | null;
  sglang: boolean;
}

/** A server that says nothing, or nothing that can be understood. */
export const unknownServer: ServerFacts = { models: [], contextLimit: null, sglang: false };

/**
 * The facts about `model` from what GET of a URL gives; `get` answers null where that is no JSON.
 * @param base the base URL, which ends before /chat/completions.
 */
export async function askServer(base: URL, model: string, get: (url: URL) => Promise<unknown>): Promise<ServerFacts> {
  const parsed = list.safeParse(await get(below(base, 'models')));
  if (!parsed.success) return unknownServer;
  const { data } = parsed.data;
  const own = data.find(({ id }) => id === model) ?? (data.length === 1 ? data[0] : undefined);
  const parent = data.find(({ id }) => id === own?.parent);
  let contextLimit = limitOf(own) ?? limitOf(parent);
  if (own?.meta) {
    const served = props.safeParse(await get(new URL('/props', base)));
    contextLimit =
      (served.success ? served.data.default_generation_settings.n_ctx : null) ??
      own.meta.n_ctx ??
      contextLimit ??
      own.meta.n_ctx_train ??
      null;
  }
  return { models: data.map(({ id }) => id), contextLimit, sglang: data.some(({ owned_by }) => owned_by === 'sglang') };
}

/** The URL of an endpoint below the base, whether or not that ends in a slash; a query (Azure's api-version) is kept. */
export function below(base: URL, path: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  return url;
}

function limitOf(model: z.infer<typeof entry> | undefined): number | null {
  return model?.max_model_len ?? model?.context_length ?? model?.context_window ?? model?.max_context_length ?? null;
}
