// Lines of recordings and their indexes, with the bytes at which they lie.
import { type FileHandle, open } from 'node:fs/promises';
import { TextDecoder } from 'node:util';

const CHUNK_BYTES = 256 * 1024;

/** Whole lines from byte `from` on, with the bytes where they begin and end. */
export async function* linesOf(file: FileHandle, from: number): AsyncGenerator<{ text: string; from: number; to: number }> {
  const decoder = new TextDecoder();
  let rest: Buffer = Buffer.alloc(0);
  let at = from;
  for (;;) {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, at + rest.length);
    if (bytesRead === 0) return;
    const searched = rest.length;
    const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    let begin = 0;
    for (let end = bytes.indexOf(10, searched); end >= 0; end = bytes.indexOf(10, end + 1)) {
      yield { text: decoder.decode(bytes.subarray(begin, end)), from: at + begin, to: at + end + 1 };
      begin = end + 1;
    }
    rest = bytes.subarray(begin);
    at += begin;
  }
}

/** The value of a line; null where it is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Null where there is no such file. */
export async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
