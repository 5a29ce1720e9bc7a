// A conversation that has to fit into a model's context: its messages, what was done in its turns, and how much of the context it fills.
import type { ChatMessage, Completion } from '../../model/model.ts';
import { estimateTokens, PER_MESSAGE } from '../../model/tokens.ts';

/** What is remembered of a turn when its messages are gone. */
export interface TurnMemo {
  turn: number;
  commands: { keystrokes: string; exitCode: number | null }[];
  /** What the model was shown afterwards. */
  seen: string;
}

export interface Memory {
  /** System message and first user message, as the rollout began. */
  readonly opening: readonly ChatMessage[];
  messages: ChatMessage[];
  /** Every turn so far. */
  memos: TurnMemo[];
  /** What the server counted: the first so many messages are so many tokens. */
  counted: { messages: number; tokens: number } | null;
  /** Tokens of prompt and answer together; null where nobody knows. */
  readonly limit: number | null;
  /** The model's own tokenizer; null where it is not to be had. */
  readonly tokenizer: ((text: string) => number) | null;
  /** Its counts, since it is slow on long texts. */
  readonly known: WeakMap<ChatMessage, number>;
}

/** Tokens of a conversation, and whose count it is. */
export interface Count {
  tokens: number;
  by: string;
}

export function remember(opening: readonly ChatMessage[], limit: number | null, tokenizer?: (text: string) => number): Memory {
  return { opening, messages: [...opening], memos: [], counted: null, limit, tokenizer: tokenizer ?? null, known: new WeakMap() };
}

/** Takes an answer into the conversation, and the server's count of it where that is exact. */
export function addAnswer(memory: Memory, text: string, completion: Completion): void {
  memory.messages.push({ role: 'assistant', content: text });
  const { promptTokens, completionTokens, usageExact } = completion;
  const exact = usageExact && promptTokens !== null && completionTokens !== null;
  // Reasoning is counted with the answer and not sent again, so this may be too much, never too little.
  memory.counted = exact ? { messages: memory.messages.length, tokens: promptTokens + completionTokens } : null;
}

/** How much of the context the next prompt fills: what the server counted before, and what was added since, by the tokenizer or estimated. */
export function count(memory: Memory): Count {
  const { messages, counted, tokenizer } = memory;
  const own = tokenizer === null ? 'an estimate' : "the model's tokenizer";
  if (counted === null || counted.messages > messages.length) return { tokens: tokensOf(memory, messages), by: own };
  const added = tokensOf(memory, messages.slice(counted.messages));
  return { tokens: counted.tokens + added, by: `the server's count, and of the last message ${own}` };
}

/** Tokens of messages as a server would count them in a prompt, as far as that can be known here. */
export function tokensOf({ tokenizer, known }: Memory, messages: readonly ChatMessage[]): number {
  const content = (message: ChatMessage): number => {
    if (tokenizer === null) return estimateTokens(message.content);
    const tokens = known.get(message) ?? tokenizer(message.content);
    known.set(message, tokens);
    return tokens;
  };
  return messages.reduce((sum, message) => sum + PER_MESSAGE + content(message), 0);
}

/** Puts other messages in place of the conversation. */
export function replace(memory: Memory, messages: readonly ChatMessage[]): void {
  memory.messages = [...messages];
  memory.counted = null;
}

/** At most so many characters: the beginning and the end, around a notice of what is missing. */
export function clip(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const half = Math.max(0, Math.floor(characters / 2));
  return `${text.slice(0, half)}\n[... ${text.length - 2 * half} characters left out here ...]\n${half === 0 ? '' : text.slice(-half)}`;
}
