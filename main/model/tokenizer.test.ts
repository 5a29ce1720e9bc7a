import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { modelConfig } from '../contract/schema/config.ts';
import { createModel } from './create.ts';
import { loadTokenizer } from './tokenizer.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'termarium-tokenizer-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A tokenizer of whole words; what it does not know is one token too. */
const words = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: null,
  decoder: null,
  model: { type: 'WordLevel', vocab: { '<unk>': 0, the: 1, terminal: 2 }, unk_token: '<unk>' },
};

it("counts with the model's own vocabulary", async () => {
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(words));
  const config = modelConfig.parse({ kind: 'http', name: 'm', url: 'http://127.0.0.1:9/v1', model: 'm', tokenizer: folder });
  await using model = await createModel(config, '/');
  expect(model.countTokens?.('the terminal and the rest')).toBe(5);
});

it('is told where there is none, or one that cannot be used', async () => {
  await expect(loadTokenizer(join(folder, 'absent'))).rejects.toMatchObject({ code: 'config.not_found' });
  await writeFile(join(folder, 'tokenizer.json'), '{"model": 1}');
  await expect(loadTokenizer(folder)).rejects.toMatchObject({ code: 'config.invalid', where: expect.stringMatching(/tokenizer\.json:1$/) });
});
