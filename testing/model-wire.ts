// How each profile of the test model server spells an answer and a refusal. model-server.ts decides what is said.

export type Profile = 'openai' | 'vllm' | 'sglang' | 'llamacpp';

/** Splits a text the way a tokenizer would, crudely: words with the space before them. */
export function tokenize(text: string): { token: string; id: number }[] {
  return (text.match(/\s*[^\s]{1,6}|\s+$/g) ?? []).map((token) => ({
    token,
    id: [...token].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 150_000, 7),
  }));
}

/** The log-probability that the server claims for its n-th token. */
export function logprobOf(n: number): number {
  return 0 - (n % 7) / 8;
}

/** The tokens of a request's conversation, each message with a mark of its role. */
export function promptTokens(body: Record<string, unknown>): { token: string; id: number }[] {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  return messages.flatMap((message) => tokenize(`<|${message.role}|>\n${message.content}`));
}

/** The words in which each server says that a conversation is too long. */
export function tooLong(profile: Profile, prompt: number, answer: number, limit: number): [number, unknown] {
  switch (profile) {
    case 'openai':
      return [
        400,
        {
          error: {
            message: `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${prompt} tokens. Please reduce the length of the messages.`,
            type: 'invalid_request_error',
            param: 'messages',
            code: 'context_length_exceeded',
          },
        },
      ];
    case 'vllm':
      return [
        400,
        {
          error: {
            message: `You passed ${prompt} input tokens and requested ${answer} output tokens. However, the model's context length is only ${limit} tokens, resulting in a maximum input length of ${limit - answer} tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=${prompt})`,
            type: 'BadRequestError',
            param: 'input_tokens',
            code: 400,
          },
        },
      ];
    case 'sglang':
      return [
        400,
        {
          object: 'error',
          message: `The input (${prompt} tokens) is longer than the model's context length (${limit} tokens).`,
          type: 'BadRequestError',
          param: null,
          code: 400,
        },
      ];
    case 'llamacpp':
      return [
        400,
        {
          error: {
            code: 400,
            message: `request (${prompt} tokens) exceeds the available context size (${limit} tokens), try increasing it`,
            type: 'exceed_context_size_error',
            n_prompt_tokens: prompt,
            n_ctx: limit,
          },
        },
      ];
  }
}

/** One answer in the wire form of a profile. */
export class Wire {
  readonly #profile: Profile;
  readonly #body: Record<string, unknown>;
  readonly #tokens: { token: string; id: number }[];
  readonly #finish: string;

  constructor(profile: Profile, body: Record<string, unknown>, tokens: { token: string; id: number }[], finish: string) {
    this.#profile = profile;
    this.#body = body;
    this.#tokens = tokens;
    this.#finish = finish;
  }

  get countsInStream(): boolean {
    const options = this.#body.stream_options;
    return this.#profile === 'llamacpp' || (options instanceof Object && 'include_usage' in options && options.include_usage === true);
  }

  get #usage() {
    const prompt = promptTokens(this.#body).length;
    return { prompt_tokens: prompt, completion_tokens: this.#tokens.length, total_tokens: prompt + this.#tokens.length };
  }

  get #ids(): boolean {
    return this.#profile === 'vllm' && this.#body.return_token_ids === true;
  }

  #frame(choices: unknown[], more: Record<string, unknown> = {}) {
    return { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_790_000_000, model: this.#body.model, choices, ...more };
  }

  #logprobs(from: number, to: number) {
    if (this.#body.logprobs !== true) return {};
    const content = this.#tokens.slice(from, to).map(({ token, id }, n) => ({
      token,
      logprob: logprobOf(from + n),
      bytes: [...Buffer.from(token)],
      top_logprobs: [],
      ...(this.#profile === 'llamacpp' ? { id } : {}),
    }));
    return { logprobs: { content } };
  }

  opening() {
    const ids = this.#ids ? { prompt_token_ids: promptTokens(this.#body).map(({ id }) => id) } : {};
    return this.#frame([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }], ids);
  }

  thought(text: string) {
    // vLLM renamed the field; SGLang and llama.cpp kept the older name.
    const field = this.#profile === 'vllm' ? 'reasoning' : 'reasoning_content';
    return this.#frame([{ index: 0, delta: { [field]: text }, finish_reason: null }]);
  }

  piece(n: number) {
    const { token, id } = this.#tokens[n] ?? { token: '', id: 0 };
    const ids = this.#ids ? { token_ids: [id] } : {};
    return this.#frame([{ index: 0, delta: { content: token }, ...this.#logprobs(n, n + 1), ...ids, finish_reason: null }]);
  }

  closing() {
    return this.#frame([{ index: 0, delta: {}, finish_reason: this.#finish }]);
  }

  usagePiece() {
    return this.#frame([], { usage: this.#usage });
  }

  whole(reasoning: string | undefined) {
    const prompt = promptTokens(this.#body).map(({ id }) => id);
    const message = {
      role: 'assistant',
      content: this.#tokens.map(({ token }) => token).join(''),
      ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    };
    const sglang = this.#profile === 'sglang';
    const choice = {
      index: 0,
      message,
      ...this.#logprobs(0, this.#tokens.length),
      finish_reason: this.#finish,
      ...(this.#ids ? { token_ids: this.#tokens.map(({ id }) => id) } : {}),
      ...(sglang && this.#body.return_prompt_token_ids ? { prompt_token_ids: prompt } : {}),
      ...(sglang && this.#body.return_meta_info
        ? { meta_info: { output_token_logprobs: this.#tokens.map(({ id }, n) => [logprobOf(n), id, null]) } }
        : {}),
    };
    return {
      ...this.#frame([choice], { usage: this.#usage, ...(this.#ids ? { prompt_token_ids: prompt } : {}) }),
      object: 'chat.completion',
    };
  }
}
