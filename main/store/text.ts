// Where a text lies: in its row while it is short, in a blob above that. Rows stay small, so a page of them is one quick read.
import { AppError } from '../lib/errors.ts';
import type { Store } from './store.ts';

/** Bytes up to which a text stays in its row. */
const inlineBytes = 4096;

/** The two columns of a stored text; one of them is null. */
export interface StoredText {
  inline: string | null;
  blob: string | null;
}

/** Must be called before the transaction that stores the columns: a blob without a row is harmless, a row without its blob is not. */
export function storeText(blobs: Store['blobs'], text: string): StoredText {
  // A UTF-16 unit takes at most three bytes, which spares counting for most texts.
  if (text.length * 3 <= inlineBytes || Buffer.byteLength(text) <= inlineBytes) return { inline: text, blob: null };
  return { inline: null, blob: blobs.put(text) };
}

/** The text of two such columns; null where both are. */
export function loadText(blobs: Store['blobs'], stored: StoredText): string | null {
  return stored.blob === null ? stored.inline : loadBlob(blobs, stored.blob).toString('utf8');
}

/** A blob that a row names. Throws `data.corrupt` where its file is gone. */
export function loadBlob(blobs: Store['blobs'], hash: string): Buffer {
  const content = blobs.get(hash);
  if (content) return content;
  throw new AppError('data.corrupt', `a stored payload is missing from the data folder (blob ${hash})`, {
    hint: 'Restore the folder "blobs" from a backup of the data folder. Everything else can still be read.',
  });
}

/** The text with everything over `bytes` replaced by a visible mark, never cut inside a character. */
export function cutText(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  const whole = Buffer.from(text);
  if (whole.length <= bytes) return text;
  let end = bytes;
  while (end > 0 && ((whole[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end -= 1;
  return `${whole.toString('utf8', 0, end)}\n[… cut here: the first ${end} of ${whole.length} bytes are shown …]`;
}
