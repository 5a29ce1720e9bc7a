// Token counts for answers whose server (or script) gave none. Always marked as an estimate (`usageExact: false`), never mixed into exact sums.
import type { ChatMessage } from './model.ts';

/** UTF-8 bytes per token of English prose, shell and JSON under the common BPE vocabularies. */
const BYTES_PER_TOKEN = 3.7;

/** Tokens that chat templates spend on the role and the ends of one message. */
export const PER_MESSAGE = 4;

/** Estimated tokens of a text. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Estimated tokens of a conversation as a server would count its prompt. */
export function estimatePromptTokens(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + PER_MESSAGE + estimateTokens(message.content), 0);
}
