// The model's own tokenizer, from the files that Hugging Face models come with, to count what a server has not counted yet.
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { AppError, messageOf } from '../lib/errors.ts';

/**
 * Loads the tokenizer of a model folder (or the tokenizer.json itself) and answers what counts the tokens of a text, without special
 * ones. Fails with `config.not_found` where there is none and with `config.invalid` where it cannot be used.
 */
export async function loadTokenizer(path: string): Promise<(text: string) => number> {
  const isFolder = (await stat(path).catch(() => null))?.isDirectory() ?? false;
  const file = isFolder ? join(path, 'tokenizer.json') : path;
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new AppError('config.not_found', `cannot read the tokenizer ${file}: ${messageOf(error)}`, {
      hint: 'Name a folder with the tokenizer.json of the model, or leave `tokenizer` out: tokens are estimated then.',
      cause: error,
    });
  });
  const config = await readFile(join(dirname(file), 'tokenizer_config.json'), 'utf8').catch(() => '{}');
  try {
    const tokenizer = new Tokenizer(JSON.parse(text), JSON.parse(config));
    const count = (words: string) => tokenizer.encode(words, { add_special_tokens: false }).ids.length;
    count('ready');
    return count;
  } catch (error) {
    throw new AppError('config.invalid', `the tokenizer ${file} cannot be used: ${messageOf(error)}`, {
      hint: 'It must be a tokenizer.json of Hugging Face tokenizers. Leave `tokenizer` out and tokens are estimated.',
      where: `${file}:1`,
      cause: error,
    });
  }
}
