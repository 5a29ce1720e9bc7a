// Wall time that counts against a rollout's limit: it stands still while the rollout is held.

export class Clock {
  #spent = 0;
  #runningSince: number | null = null;

  /** Milliseconds counted so far. */
  get elapsedMs(): number {
    return this.#spent + (this.#runningSince === null ? 0 : performance.now() - this.#runningSince);
  }

  start(): void {
    this.#runningSince ??= performance.now();
  }

  stop(): void {
    this.#spent = this.elapsedMs;
    this.#runningSince = null;
  }
}

/** Something that can be shut and opened; whoever passes waits while it is shut. */
export class Gate {
  #open: Promise<void> = Promise.resolve();
  #release: (() => void) | null = null;

  get shut(): boolean {
    return this.#release !== null;
  }

  close(): void {
    if (this.#release) return;
    this.#open = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  open(): void {
    this.#release?.();
    this.#release = null;
  }

  /** Resolves once open; rejects with the signal's reason when it aborts. */
  async pass(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#release) return;
    let abort: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
      abort = () => reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
    });
    try {
      await Promise.race([this.#open, aborted]);
    } finally {
      if (abort) signal.removeEventListener('abort', abort);
    }
  }
}
