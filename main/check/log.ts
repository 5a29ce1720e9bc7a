// The log of the latest check of each task, kept in memory for whoever watches.

const KEPT = 1_000_000;

interface Log {
  /** Characters dropped from the front. */
  dropped: number;
  text: string;
  ended: boolean;
  wake: Set<() => void>;
}

export class CheckLogs {
  #logs = new Map<string, Log>();

  /** Begins an empty log for a task; the answer appends to it and ends it. */
  open(taskId: string): { write(line: string): void; end(): void } {
    const log: Log = { dropped: 0, text: '', ended: false, wake: this.#logs.get(taskId)?.wake ?? new Set() };
    this.#logs.set(taskId, log);
    const notify = () => {
      for (const wake of [...log.wake]) wake();
    };
    notify();
    return {
      write(line) {
        log.text += `${line}\n`;
        if (log.text.length > KEPT) {
          const cut = log.text.length - KEPT / 2;
          log.dropped += cut;
          log.text = log.text.slice(cut);
        }
        notify();
      },
      end() {
        log.ended = true;
        notify();
      },
    };
  }

  /** Text from absolute offset `after` on; parks up to `parkMs` while there is none. An offset of an earlier log starts again at 0. */
  async read(
    taskId: string,
    after: number,
    parkMs: number,
    signal: AbortSignal,
  ): Promise<{ text: string; cursor: number; ended: boolean }> {
    const log = this.#logs.get(taskId);
    if (!log) return { text: '', cursor: 0, ended: true };
    const end = log.dropped + log.text.length;
    const from = after > end ? 0 : Math.max(0, after - log.dropped);
    if (from < log.text.length || log.ended) return { text: log.text.slice(from), cursor: end, ended: log.ended };
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        log.wake.delete(done);
        resolve();
      };
      const timer = setTimeout(done, parkMs);
      signal.addEventListener('abort', done, { once: true });
      log.wake.add(done);
    });
    signal.throwIfAborted();
    const now = this.#logs.get(taskId) ?? log;
    return now === log
      ? { text: log.text.slice(Math.max(0, after - log.dropped)), cursor: log.dropped + log.text.length, ended: log.ended }
      : { text: now.text, cursor: now.dropped + now.text.length, ended: now.ended };
  }
}
