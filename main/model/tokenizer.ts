// The model's own tokenizer and chat template, from the files that Hugging Face models come with.
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Template } from '@huggingface/jinja';
import { Tokenizer } from '@huggingface/tokenizers';
import { AppError, messageOf } from '../lib/errors.ts';
import type { ChatMessage } from './model.ts';

export interface ModelTokenizer {
  /** The tokenizer.json. */
  readonly file: string;
  /** True where the model comes with a chat template. */
  readonly hasTemplate: boolean;
  /** Ids of a text, nothing added to it; what spells a special token becomes that token. */
  encode(text: string): number[];
  /** Text of tokens, special ones included. */
  decode(ids: readonly number[]): string;
  /** What stands for one id; undefined for an id that the vocabulary has not. */
  token(id: number): string | undefined;
  /** True for tokens such as the end of a message, which are no part of an answer's text. */
  isSpecial(id: number): boolean;
  /**
   * The prompt that the chat template makes of a conversation, up to where the model answers. Throws `request.invalid` where the template
   * refuses the conversation, or where there is no template.
   */
  render(messages: readonly ChatMessage[]): string;
}

/**
 * Loads the tokenizer of a model folder (or the tokenizer.json itself) and answers what counts the tokens of a text, without special
 * ones. Fails with `config.not_found` where there is none and with `config.invalid` where it cannot be used.
 */
export async function loadTokenizer(path: string): Promise<(text: string) => number> {
  const tokenizer = await openTokenizer(path);
  return (text) => tokenizer.encode(text).length;
}

/** Opens the tokenizer of a model folder (or the tokenizer.json itself) with the chat template beside it. Fails as `loadTokenizer` does. */
export async function openTokenizer(path: string): Promise<ModelTokenizer> {
  const isFolder = (await stat(path).catch(() => null))?.isDirectory() ?? false;
  const file = isFolder ? join(path, 'tokenizer.json') : path;
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new AppError('config.not_found', `cannot read the tokenizer ${file}: ${messageOf(error)}`, {
      hint: 'Name a folder with the tokenizer.json of the model, or leave `tokenizer` out: tokens are estimated then.',
      cause: error,
    });
  });
  const config = await readFile(join(dirname(file), 'tokenizer_config.json'), 'utf8').catch(() => '{}');
  const templateFile = await readFile(join(dirname(file), 'chat_template.jinja'), 'utf8').catch(() => null);
  try {
    return opened(file, JSON.parse(text), JSON.parse(config), templateFile);
  } catch (error) {
    throw new AppError('config.invalid', `the tokenizer ${file} cannot be used: ${messageOf(error)}`, {
      hint: 'It must be a tokenizer.json of Hugging Face tokenizers. Leave `tokenizer` out and tokens are estimated.',
      where: `${file}:1`,
      cause: error,
    });
  }
}

function opened(file: string, definition: object, config: Record<string, unknown>, templateFile: string | null): ModelTokenizer {
  const tokenizer = new Tokenizer(definition, config);
  const encode = (text: string) => tokenizer.encode(text, { add_special_tokens: false }).ids;
  encode('ready');
  const special = new Set([...tokenizer.get_added_tokens_decoder()].flatMap(([id, token]) => (token.special ? [id] : [])));
  const source = templateFile ?? templateIn(config.chat_template);
  let template: Template | null = null;
  return {
    file,
    hasTemplate: source !== null,
    encode,
    // The library refuses to decode nothing.
    decode: (ids) =>
      ids.length === 0 ? '' : tokenizer.decode([...ids], { skip_special_tokens: false, clean_up_tokenization_spaces: false }),
    token: (id) => tokenizer.id_to_token(id),
    isSpecial: (id) => special.has(id),
    render(messages) {
      if (source === null) throw new AppError('request.invalid', `there is no chat template beside ${file}`);
      try {
        // Read only here: a template that the library cannot read must not keep anybody from counting tokens.
        template ??= new Template(source);
        return template.render({ ...specialTexts(config), messages, add_generation_prompt: true });
      } catch (error) {
        throw new AppError('request.invalid', `the chat template beside ${file} cannot be applied: ${messageOf(error)}`, {
          cause: error,
        });
      }
    },
  };
}

/** `chat_template` is a text, or a list of named ones. */
function templateIn(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return null;
  const found = value.find((item) => item?.name === 'default')?.template;
  return typeof found === 'string' ? found : null;
}

/** Names that templates know the special tokens by: `bos_token` and so on, each a text or `{content}`. */
function specialTexts(config: Record<string, unknown>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(config)) {
    if (!/^\w+_token$/.test(name)) continue;
    const text = typeof value === 'object' && value !== null && 'content' in value ? value.content : value;
    if (typeof text === 'string') texts[name] = text;
  }
  return texts;
}
