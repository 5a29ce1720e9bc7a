// A model that answers a conversation. http.ts speaks to any OpenAI-compatible server, scripted.ts reads answers from a file, replay.ts
// gives those of a recording; all must pass model.suite.ts.
import type { SamplingConfig } from '../contract/schema/config.ts';

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface SampleRequest {
  messages: ChatMessage[];
  sampling: SamplingConfig;
  /** Which task and attempt asks, and its turn from 0; scripted models answer by it and servers get it as a session hint. */
  session: { task: string; attempt: number; turn: number };
  /** Gets text as it streams. */
  onDelta?: (text: string) => void;
  /** What has streamed so far is void: the answer broke off and is asked for again. */
  onRestart?: () => void;
}

export interface Completion {
  text: string;
  /** Reasoning that the server gave apart from the text. */
  reasoning: string | null;
  /** `length`: cut by the token limit. `context`: the server refused because the conversation is too long (text is empty). */
  finish: 'stop' | 'length' | 'context' | 'filter' | 'other';
  promptTokens: number | null;
  completionTokens: number | null;
  /** False where token counts are an estimate because the server gave none. */
  usageExact: boolean;
  tokenIds: number[] | null;
  promptTokenIds: number[] | null;
  tokens: string[] | null;
  logprobs: number[] | null;
  /** Both times are of the try that answered: without waiting for a free place, failed tries and the waits between them. */
  firstTokenMs: number | null;
  totalMs: number;
  /** Tries that failed before this answer, as one line each. */
  retries: string[];
}

/**
 * Fails with `model.*` errors only: refused, unauthorized, unknown, rate_limited and unavailable (after retries), bad_answer, timeout, rejected.
 * A conversation that is too long is an answer (`finish: 'context'`), not an error.
 */
export interface Model extends AsyncDisposable {
  readonly name: string;
  /** Tokens of prompt and answer together, as the server or the config says; null where neither does. */
  contextLimit(signal?: AbortSignal): Promise<number | null>;
  /** Counts the tokens of a text with the model's own tokenizer; there where the configuration names one. */
  countTokens?: ((text: string) => number) | undefined;
  sample(request: SampleRequest, signal: AbortSignal): Promise<Completion>;
}
