// Compares tokens with the model's own tokenizer. A policy is trained on ids: what spells the same text need not be the same to it.
import type { Drift, Parity } from '../contract/schema/tokens.ts';
import type { ChatMessage } from './model.ts';
import type { ModelTokenizer } from './tokenizer.ts';

/** Tokens that are shown on each side of where two sequences part. */
const SHOWN = 12;
/** Characters that are shown of two texts that differ. */
const EXCERPT = 80;
/** Messages of which it is told that they differ. */
const MOST_MESSAGES = 20;

/** An answer as it was sampled. */
export interface SampledAnswer {
  content: string;
  reasoning: string | null;
  tokenIds: readonly number[] | null;
}

/** Whether an answer's text is encoded to the ids that were sampled. */
export function driftOf({ content, reasoning, tokenIds }: SampledAnswer, tokenizer: ModelTokenizer): Drift {
  const unknown = (reason: string): Drift => ({ state: 'unknown', reason });
  if (tokenIds === null) return unknown('No token ids were recorded for this answer.');
  if (reasoning !== null && reasoning !== '')
    return unknown('Its reasoning is kept apart from its text, and the recorded ids do not say which of them are the text.');
  // How an answer ended is no part of its text.
  const sampled = tokenIds.slice(0, tokenIds.findLastIndex((id) => !tokenizer.isSpecial(id)) + 1);
  const encoded = tokenizer.encode(content);
  if (isEqual(sampled, encoded)) return { state: 'same', tokens: sampled.length };
  const strange = sampled.find((id) => tokenizer.token(id) === undefined);
  if (strange !== undefined)
    return unknown(`Token id ${strange} is not in the vocabulary of ${tokenizer.file}: it is the tokenizer of another model.`);
  const spelt = tokenizer.decode(sampled);
  if (spelt !== content) {
    const at = commonStart(spelt, content);
    return unknown(
      `The recorded ids spell another text than the one that is kept, from character ${at + 1} on: the text is a rendering of the answer, or the tokenizer is that of another model.`,
    );
  }
  const at = commonStart(sampled, encoded);
  const end = commonEnd(sampled.slice(at), encoded.slice(at));
  return {
    state: 'differs',
    tokens: sampled.length,
    sampled: sampled.length - at - end,
    encoded: encoded.length - at - end,
    parting: partingOf(sampled, encoded, at, tokenizer),
  };
}

/** Whether two conversations are the same prompt to the model, token by token. */
export function parityOf(first: readonly ChatMessage[], second: readonly ChatMessage[], tokenizer: ModelTokenizer): Parity {
  const [one, two] = [first, second].map((messages) => tokenizer.encode(promptOf(messages, tokenizer)));
  const ids = { first: one ?? [], second: two ?? [] };
  const equal = isEqual(ids.first, ids.second);
  return {
    equal,
    template: tokenizer.hasTemplate,
    tokens: { first: ids.first.length, second: ids.second.length },
    parting: equal ? null : partingOf(ids.first, ids.second, commonStart(ids.first, ids.second), tokenizer),
    roles: { first: first.map(({ role }) => role), second: second.map(({ role }) => role) },
    messages: differences(first, second),
  };
}

function promptOf(messages: readonly ChatMessage[], tokenizer: ModelTokenizer): string {
  return tokenizer.hasTemplate ? tokenizer.render(messages) : messages.map(({ role, content }) => `${role}:\n${content}\n`).join('\n');
}

function differences(first: readonly ChatMessage[], second: readonly ChatMessage[]): Parity['messages'] {
  const found: Parity['messages'] = [];
  for (let index = 0; index < Math.max(first.length, second.length) && found.length < MOST_MESSAGES; index += 1) {
    const [one, two] = [first[index], second[index]];
    if (one?.role === two?.role && one?.content === two?.content) continue;
    const [a, b] = [one?.content ?? '', two?.content ?? ''];
    const at = a === b ? null : commonStart(a, b);
    const excerpt = (text: string) => text.slice(at ?? 0, (at ?? 0) + EXCERPT).toWellFormed();
    found.push({ index, roles: { first: one?.role ?? null, second: two?.role ?? null }, at, first: excerpt(a), second: excerpt(b) });
  }
  return found;
}

function partingOf(first: readonly number[], second: readonly number[], at: number, tokenizer: ModelTokenizer) {
  const text = (ids: readonly number[]) => tokenizer.decode(ids);
  return {
    at,
    before: text(first.slice(Math.max(0, at - SHOWN), at)),
    first: text(first.slice(at, at + SHOWN)),
    second: text(second.slice(at, at + SHOWN)),
  };
}

function isEqual(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}

function commonStart<T>(a: ArrayLike<T>, b: ArrayLike<T>): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  return at;
}

function commonEnd(a: readonly number[], b: readonly number[]): number {
  return commonStart([...a].reverse(), [...b].reverse());
}
