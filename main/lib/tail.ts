// A bounded, append-only run of bytes addressed by absolute offset: what live terminals, logs and token streams are read from.
// Readers pull; a reader that fell behind the kept window is told so, and nothing is ever queued for it.

/** What a reader gets: bytes from `cursor` on, or notice that the window has moved past it. */
export type TailRead =
  | { kind: 'more'; data: Uint8Array; cursor: number }
  | { kind: 'lost'; oldest: number; cursor: number }
  | { kind: 'end'; cursor: number };

/** Bytes kept for readers by default. */
const KEPT_BYTES = 256 * 1024;

export class Tail {
  readonly #limit: number;
  /** Bytes of a block that small chunks are put together in. */
  readonly #block: number;
  /** The block that the last chunk is a part of, where it is one. */
  #filling = new Uint8Array(0);
  #chunks: Uint8Array[] = [];
  #start = 0;
  #end = 0;
  #closed = false;
  #waiting = new Set<() => void>();

  constructor(limit: number = KEPT_BYTES) {
    this.#limit = limit;
    this.#block = Math.min(8192, Math.ceil(limit / 4));
  }

  /** Absolute offset one past the last byte appended. */
  get end(): number {
    return this.#end;
  }

  /** Absolute offset of the oldest byte still kept. */
  get oldest(): number {
    return this.#start;
  }

  /** Bytes held in memory now; never more than the limit plus one chunk. */
  get held(): number {
    return this.#end - this.#start;
  }

  append(chunk: Uint8Array): void {
    if (chunk.length === 0 || this.#closed) return;
    if (chunk.length > this.#block) this.#chunks.push(chunk);
    else this.#fill(chunk);
    this.#end += chunk.length;
    let drop = 0;
    while (drop < this.#chunks.length - 1) {
      const first = this.#chunks[drop];
      if (!first || this.#end - this.#start - first.length < this.#limit) break;
      this.#start += first.length;
      drop += 1;
    }
    if (drop > 0) this.#chunks.splice(0, drop);
    this.#wake();
  }

  /** Puts a small chunk behind the last one: an answer comes in hundreds of thousands of tokens of a few bytes each. */
  #fill(chunk: Uint8Array): void {
    const last = this.#chunks.at(-1);
    if (last && last.buffer === this.#filling.buffer && last.length + chunk.length <= this.#block) {
      this.#filling.set(chunk, last.length);
      this.#chunks[this.#chunks.length - 1] = this.#filling.subarray(0, last.length + chunk.length);
      return;
    }
    this.#filling = new Uint8Array(this.#block);
    this.#filling.set(chunk);
    this.#chunks.push(this.#filling.subarray(0, chunk.length));
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** Reads up to `max` bytes from `cursor` without waiting; `null` when there is nothing newer yet. */
  read(cursor: number, max: number = KEPT_BYTES): TailRead | null {
    if (cursor < this.#start) return { kind: 'lost', oldest: this.#start, cursor };
    if (cursor >= this.#end) return this.#closed ? { kind: 'end', cursor: this.#end } : null;
    const parts: Uint8Array[] = [];
    let offset = this.#start;
    let taken = 0;
    for (const chunk of this.#chunks) {
      const from = Math.max(0, cursor + taken - offset);
      if (from < chunk.length && taken < max) {
        const part = chunk.subarray(from, Math.min(chunk.length, from + max - taken));
        parts.push(part);
        taken += part.length;
      }
      offset += chunk.length;
      if (taken >= max) break;
    }
    return { kind: 'more', data: Buffer.concat(parts), cursor: cursor + taken };
  }

  /** As `read`, but parks until there is something to say. Rejects with the signal's reason when it aborts. */
  async next(cursor: number, signal: AbortSignal, max?: number): Promise<TailRead> {
    for (;;) {
      signal.throwIfAborted();
      const now = this.read(cursor, max);
      if (now) return now;
      await new Promise<void>((resolve, reject) => {
        const wake = () => {
          this.#waiting.delete(wake);
          signal.removeEventListener('abort', abort);
          resolve();
        };
        const abort = () => {
          this.#waiting.delete(wake);
          reject(signal.reason);
        };
        this.#waiting.add(wake);
        signal.addEventListener('abort', abort, { once: true });
      });
    }
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
