// Fits output into what an agent may be shown: the first and the last part, and how many bytes were left out between them.

export interface Excerpt {
  text: string;
  omittedBytes: number;
}

/** Of rows that are put aside, only so much text is kept: the first part of any excerpt. The rest is counted. */
const HEAD_BYTES = 64 * 1024;
/** Kept free for the notice in an excerpt that is cut. */
const NOTICE_BYTES = 80;

/** Rows of output that are no longer on the screen: the first of them word for word, all of them counted. */
export class Gathered {
  #head: string[] = [];
  #headBytes = 0;
  #bytes = 0;

  /** UTF-8 bytes of all rows with a line break each. */
  get bytes(): number {
    return this.#bytes;
  }

  /** No more text will be kept, only counted. */
  get headFull(): boolean {
    return this.#headBytes >= HEAD_BYTES;
  }

  /** Rows of which only the size is known; they count after the head is full. */
  count(bytes: number): void {
    this.#bytes += bytes;
  }

  add(row: string): void {
    const size = Buffer.byteLength(row) + 1;
    if (this.#headBytes === this.#bytes && this.#headBytes < HEAD_BYTES) {
      this.#head.push(row);
      this.#headBytes += size;
    }
    this.#bytes += size;
  }

  /**
   * These rows followed by `rest`, in at most `limitBytes` of UTF-8: whole, or the first and the last halves around a notice. Cuts
   * between code points only.
   */
  excerpt(rest: string, limitBytes: number): Excerpt {
    const head = this.#head.length === 0 ? '' : `${this.#head.join('\n')}\n`;
    const complete = this.#headBytes === this.#bytes;
    const restBytes = Buffer.byteLength(rest);
    const total = this.#bytes + restBytes;
    if (total <= limitBytes && complete) return { text: head + rest, omittedBytes: 0 };
    const room = Math.max(0, Math.min(limitBytes, total) - NOTICE_BYTES);
    const first = takeFirst(Buffer.from(complete ? head + rest : head), Math.ceil(room / 2));
    const last = takeLast(Buffer.from(complete ? head + rest : rest), Math.floor(room / 2));
    const omittedBytes = total - first.length - last.length;
    return { text: `${first}\n[… ${omittedBytes} bytes of output left out here …]\n${last}`, omittedBytes };
  }
}

/** At most `size` bytes from the start, without cutting a code point. */
function takeFirst(bytes: Buffer, size: number): Buffer {
  let end = Math.min(size, bytes.length);
  while (end > 0 && end < bytes.length && isContinuation(bytes[end])) end -= 1;
  return bytes.subarray(0, end);
}

/** At most `size` bytes from the end, without cutting a code point. */
function takeLast(bytes: Buffer, size: number): Buffer {
  let start = Math.max(0, bytes.length - size);
  while (start < bytes.length && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
