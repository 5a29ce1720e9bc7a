// Answers encoded again, and prompts held against each other, with a tokenizer whose every token is known.
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { driftOf, parityOf } from '../main/model/compare-tokens.ts';
import { openTokenizer } from '../main/model/tokenizer.ts';
import { idOf, writeTokenizer } from './tokenizer.ts';

async function tokenizer(options: { template?: string | null } = {}) {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'termarium-tokens-'));
  await writeTokenizer(folder.path, options);
  return await openTokenizer(folder.path);
}
const ids = (...tokens: string[]) => tokens.map(idOf);

describe('the tokenizer of a model folder', () => {
  it('encodes, decodes and knows its special tokens', async () => {
    const { encode, decode, isSpecial, token, hasTemplate } = await tokenizer();
    expect(encode('abc ls')).toEqual(ids('abc', ' ', 'ls'));
    expect(encode('<|im_start|>x')).toEqual(ids('<|im_start|>', 'x'));
    expect(decode(ids('a', 'bc', '<|im_end|>'))).toBe('abc<|im_end|>');
    expect(decode([])).toBe('');
    expect([isSpecial(idOf('<|im_end|>')), isSpecial(idOf('abc'))]).toEqual([true, false]);
    expect([token(idOf('abc')), token(1e6)]).toEqual(['abc', undefined]);
    expect(hasTemplate).toBe(true);
  });

  it('reads its template also from a file of its own, which wins', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'termarium-tokens-'));
    await writeTokenizer(folder.path);
    await writeFile(join(folder.path, 'chat_template.jinja'), '{{ messages[0].content }}{{ eos_token }}');
    const { render } = await openTokenizer(folder.path);
    expect(render([{ role: 'user', content: 'hi' }])).toBe('hi<|im_end|>');
  });

  it('counts with a template that cannot be read, and says so only when it is needed', async () => {
    const { encode, render } = await tokenizer({ template: '{% for %}' });
    expect(encode('abc')).toHaveLength(1);
    expect(() => render([{ role: 'user', content: 'x' }])).toThrow(
      expect.objectContaining({ code: 'request.invalid', message: expect.stringContaining('cannot be applied') }),
    );
  });

  it('tells what the template itself refuses', async () => {
    const { render } = await tokenizer({ template: "{{ raise_exception('roles must alternate') }}" });
    expect(() => render([])).toThrow(/roles must alternate/);
  });
});

describe('an answer that is encoded again', () => {
  const answer = (content: string, ...tokens: string[]) => ({ content, reasoning: null, tokenIds: ids(...tokens) });

  it('is the same where the policy sampled what the encoder gives, with or without the token that ended it', async () => {
    const own = await tokenizer();
    expect(driftOf(answer('abc ls', 'abc', ' ', 'ls'), own)).toEqual({ state: 'same', tokens: 3 });
    expect(driftOf(answer('abc ls', 'abc', ' ', 'ls', '<|im_end|>'), own)).toEqual({ state: 'same', tokens: 3 });
    expect(driftOf(answer('', '<|im_end|>'), own)).toEqual({ state: 'same', tokens: 0 });
  });

  it('differs where it was sampled in another spelling: from where on, and in how many tokens', async () => {
    expect(driftOf(answer('x abc ls\n', 'x', ' ', 'a', 'bc', ' ', 'ls', '\n', '<|im_end|>'), await tokenizer())).toEqual({
      state: 'differs',
      tokens: 7,
      sampled: 2,
      encoded: 1,
      parting: { at: 2, before: 'x ', first: 'abc ls\n', second: 'abc ls\n' },
    });
  });

  it('counts each token once where what it begins with and what it ends with overlap', async () => {
    expect(driftOf(answer('abcabc', 'abc', 'ab', 'c'), await tokenizer())).toMatchObject({ sampled: 2, encoded: 1, parting: { at: 1 } });
  });

  it('cannot be told without ids, with reasoning apart, of another text, or of another vocabulary', async () => {
    const own = await tokenizer();
    const cases = [
      [{ content: 'abc', reasoning: null, tokenIds: null }, /No token ids/],
      [{ ...answer('abc', 'a', 'bc'), reasoning: 'well' }, /reasoning is kept apart/],
      [answer('Analysis: abc', 'a', 'bc'), /spell another text .* from character 1 on/],
      [{ content: 'abc', reasoning: null, tokenIds: [...ids('a'), 100_000] }, /Token id 100000 is not in the vocabulary/],
    ] as const;
    for (const [node, reason] of cases) expect(driftOf(node, own)).toEqual({ state: 'unknown', reason: expect.stringMatching(reason) });
  });
});

describe('two prompts', () => {
  const prompt = [
    { role: 'system' as const, content: 'ls' },
    { role: 'user' as const, content: 'abc' },
  ];

  it('are equal where every token is', async () => {
    // Three special tokens begin a message, two end one; role and text are single characters and pairs.
    const compared = parityOf(prompt, structuredClone(prompt), await tokenizer());
    expect(compared).toEqual({
      equal: true,
      template: true,
      tokens: { first: compared.tokens.first, second: compared.tokens.first },
      parting: null,
      roles: { first: ['system', 'user'], second: ['system', 'user'] },
      messages: [],
    });
    expect(compared.tokens.first).toBe('<system\nl>\n<user\na>\n<assistant\n'.length);
  });

  it('part at the first token that differs, with what stands around it and the message at fault', async () => {
    const other = [prompt[0], { role: 'user' as const, content: 'abc ' }].filter((message) => message !== undefined);
    const compared = parityOf(prompt, other, await tokenizer());
    expect(compared).toMatchObject({
      equal: false,
      parting: {
        at: '<system\nl>\n<user\na'.length,
        before: expect.stringMatching(/<\|im_start\|>user\nabc$/),
        first: '<|im_end|>\n<|im_start|>assistant',
        second: expect.stringMatching(/^ <\|im_end\|>\n/),
      },
      messages: [{ index: 1, roles: { first: 'user', second: 'user' }, at: 3, first: '', second: ' ' }],
    });
  });

  it('of which one goes on are told apart where the other ends', async () => {
    const plain = await tokenizer({ template: null });
    const compared = parityOf(prompt, [...prompt, { role: 'assistant', content: 'x' }], plain);
    expect(compared).toMatchObject({ equal: false, template: false, parting: { first: '' } });
    expect(compared.roles).toEqual({ first: ['system', 'user'], second: ['system', 'user', 'assistant'] });
    expect(compared.messages).toEqual([{ index: 2, roles: { first: null, second: 'assistant' }, at: 0, first: '', second: 'x' }]);
  });

  it('with other roles differ although their texts do not', async () => {
    const compared = parityOf(
      prompt,
      prompt.map((message) => ({ ...message, role: 'user' as const })),
      await tokenizer(),
    );
    expect(compared.equal).toBe(false);
    expect(compared.messages).toEqual([{ index: 0, roles: { first: 'system', second: 'user' }, at: null, first: 'ls', second: 'ls' }]);
  });

  it('that the template makes one and the same are equal, and their texts are told all the same', async () => {
    const trims = await tokenizer({ template: '{% for message in messages %}{{ message.content | trim }}\n{% endfor %}' });
    const compared = parityOf(
      prompt,
      prompt.map((message) => ({ ...message, content: `${message.content} ` })),
      trims,
    );
    expect(compared).toMatchObject({ equal: true, parting: null });
    expect(compared.messages).toHaveLength(2);
  });
});
