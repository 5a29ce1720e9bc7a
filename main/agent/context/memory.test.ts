import { expect, it } from 'vitest';
import type { Completion } from '../../model/model.ts';
import { addAnswer, clip, count, remember } from './memory.ts';

const answer: Completion = {
  text: 'the answer',
  reasoning: null,
  finish: 'stop',
  promptTokens: 20,
  completionTokens: 7,
  usageExact: true,
  tokenIds: null,
  promptTokenIds: null,
  tokens: null,
  logprobs: null,
  firstTokenMs: null,
  totalMs: 1,
  retries: [],
};
const words = (text: string) => text.split(' ').length;

it("counts what the server has counted, the rest with the model's tokenizer or by estimate, and says which", () => {
  const memory = remember([{ role: 'user', content: 'the terminal' }], 100, words);
  expect(count(memory)).toEqual({ tokens: 4 + 2, by: "the model's tokenizer" });
  addAnswer(memory, answer.text, answer);
  memory.messages.push({ role: 'user', content: 'the terminal again' });
  expect(count(memory)).toEqual({ tokens: 27 + 4 + 3, by: "the server's count, and of the last message the model's tokenizer" });

  const guessed = remember([{ role: 'user', content: 'x'.repeat(37) }], 100);
  expect(count(guessed)).toEqual({ tokens: 4 + 10, by: 'an estimate' });
  addAnswer(guessed, 'y', { ...answer, usageExact: false });
  expect(count(guessed)).toEqual({ tokens: 14 + 5, by: 'an estimate' });
});

it('counts each message once, since tokenizers are slow', () => {
  let counted = 0;
  const memory = remember([{ role: 'user', content: 'a' }], 100, () => {
    counted += 1;
    return 1;
  });
  count(memory);
  memory.messages.push({ role: 'user', content: 'b' });
  count(memory);
  expect(counted).toBe(2);
});

it('cuts a text in its middle, and says how much is missing', () => {
  expect(clip('abcdef', 6)).toBe('abcdef');
  expect(clip('abcdef', 4)).toBe('ab\n[... 2 characters left out here ...]\nef');
});
