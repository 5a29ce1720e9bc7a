// A small tokenizer as Hugging Face models come with it: byte pairs over single characters, the special tokens of ChatML, its template.
// The same text has several spellings in it, as in the real ones, and only one that the encoder gives.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const characters = ['\n', ' ', ...Array.from({ length: 94 }, (_, place) => String.fromCharCode(33 + place))];
const merged = ['ab', 'bc', 'abc', 'ls'];
const special = ['<|im_start|>', '<|im_end|>'];

/** The id of a token. Throws for one that the tokenizer has not. */
export function idOf(token: string): number {
  const id = [...characters, ...merged, ...special].indexOf(token);
  if (id < 0) throw new Error(`no token ${JSON.stringify(token)}`);
  return id;
}

const template = `{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`;

/** Writes tokenizer.json and tokenizer_config.json into a folder, which is made. */
export async function writeTokenizer(folder: string, options: { template?: string | null } = {}): Promise<void> {
  await mkdir(folder, { recursive: true });
  const vocab = Object.fromEntries([...characters, ...merged].map((token) => [token, idOf(token)]));
  const definition = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: special.map((content) => ({
      ...{ id: idOf(content), content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true },
    })),
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: 'Fuse' },
    model: { type: 'BPE', vocab, merges: ['a b', 'b c', 'ab c', 'l s'], unk_token: null, fuse_unk: false, byte_fallback: false },
  };
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(definition));
  const chat = options.template === undefined ? template : options.template;
  await writeFile(
    join(folder, 'tokenizer_config.json'),
    JSON.stringify(chat === null ? {} : { chat_template: chat, eos_token: '<|im_end|>' }),
  );
}
