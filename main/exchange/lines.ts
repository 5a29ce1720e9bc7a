// Lines of a file of any size, one at a time, with what is odd about their bytes.
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { invalid } from './json.ts';

export interface Line {
  /** From 1. */
  number: number;
  /** Without its end; null where the bytes are no UTF-8. */
  text: string | null;
  bytes: number;
  /** Oddities that do not stop a reader: a byte order mark, a Windows line end, no line end. */
  remarks: string[];
}

/** A longer line is no row of a table. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Reads a file line by line; `.gz` is unpacked on the way. Throws `request.invalid` for a line of more than 64 MiB. */
export async function* linesOf(path: string): AsyncGenerator<Line> {
  const file = createReadStream(path, { highWaterMark: 256 * 1024 });
  // A failure of either reaches whoever iterates.
  const stream: AsyncIterable<Buffer> = path.endsWith('.gz') ? pipeline(file, createGunzip(), () => {}) : file;
  let held: Buffer[] = [];
  let heldBytes = 0;
  let number = 0;
  const take = (last: Buffer, ended: boolean): Line => {
    const raw = held.length === 0 ? last : Buffer.concat([...held, last]);
    held = [];
    heldBytes = 0;
    number += 1;
    return lineOf(raw, number, ended);
  };
  try {
    for await (const chunk of stream) {
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        yield take(chunk.subarray(from, end), true);
        from = end + 1;
      }
      const rest = chunk.subarray(from);
      heldBytes += rest.length;
      if (heldBytes > MOST_BYTES) throw invalid(`has a line of more than ${MOST_BYTES / 2 ** 20} MiB`, path, number + 1);
      if (rest.length > 0) held.push(rest);
    }
    if (heldBytes > 0) yield take(Buffer.alloc(0), false);
  } finally {
    file.destroy();
  }
}

function lineOf(raw: Buffer, number: number, ended: boolean): Line {
  const remarks: string[] = [];
  let text = raw;
  if (number === 1 && raw[0] === 0xef && raw[1] === 0xbb && raw[2] === 0xbf) {
    remarks.push('begins with a byte order mark');
    text = text.subarray(3);
  }
  if (text.at(-1) === 13) {
    remarks.push('ends as lines do on Windows (CRLF)');
    text = text.subarray(0, -1);
  }
  if (!ended) remarks.push('is not ended: the file may have been cut here');
  return { number, text: isUtf8(text) ? text.toString('utf8') : null, bytes: raw.length + 1, remarks };
}
