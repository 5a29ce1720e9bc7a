// Keeps the first and the last part of a program's output within a limit, however much it prints.

interface Chunk {
  stream: 'stdout' | 'stderr';
  bytes: Uint8Array;
}

export class KeptOutput {
  readonly #half: number;
  readonly #head: Chunk[] = [];
  #headBytes = 0;
  #tail: Chunk[] = [];
  #tailBytes = 0;
  #omitted = { stdout: 0, stderr: 0 };

  /** `limit` in bytes, for stdout and stderr together. */
  constructor(limit: number) {
    this.#half = Math.max(1, Math.floor(limit / 2));
  }

  push(stream: Chunk['stream'], bytes: Uint8Array): void {
    const room = this.#half - this.#headBytes;
    const first = bytes.subarray(0, Math.max(0, room));
    if (first.length > 0) {
      // Copied: the chunk is a view of a network buffer, which a few kept bytes would hold on to.
      this.#head.push({ stream, bytes: first.slice() });
      this.#headBytes += first.length;
    }
    const rest = bytes.subarray(first.length);
    if (rest.length === 0) return;
    this.#tail.push({ stream, bytes: rest.slice() });
    this.#tailBytes += rest.length;
    // Dropped in batches: shifting one chunk at a time from a long list costs more than the output itself.
    if (this.#tailBytes > this.#half * 2) this.#trim();
  }

  /** Text of both streams, with a line saying how much is missing where something is. Invalid UTF-8 becomes U+FFFD. */
  finish(): { stdout: string; stderr: string; omittedBytes: number } {
    this.#trim();
    return { stdout: this.#text('stdout'), stderr: this.#text('stderr'), omittedBytes: this.#omitted.stdout + this.#omitted.stderr };
  }

  #trim(): void {
    let excess = this.#tailBytes - this.#half;
    let dropped = 0;
    for (const chunk of this.#tail) {
      if (excess <= 0) break;
      const cut = Math.min(excess, chunk.bytes.length);
      this.#omitted[chunk.stream] += cut;
      this.#tailBytes -= cut;
      excess -= cut;
      if (cut < chunk.bytes.length) chunk.bytes = chunk.bytes.slice(cut);
      else dropped += 1;
    }
    if (dropped > 0) this.#tail = this.#tail.slice(dropped);
  }

  #text(stream: Chunk['stream']): string {
    const of = (chunks: Chunk[]) => Buffer.concat(chunks.filter((chunk) => chunk.stream === stream).map((chunk) => chunk.bytes));
    const omitted = this.#omitted[stream];
    if (omitted === 0) return Buffer.concat([of(this.#head), of(this.#tail)]).toString('utf8');
    return `${of(this.#head).toString('utf8')}\n[... ${omitted} bytes left out ...]\n${of(this.#tail).toString('utf8')}`;
  }
}
