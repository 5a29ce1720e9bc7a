// Admits work to this machine by what it declares: containers, cpus, memory, GPUs. Strictly first come, first served: a large job waits for
// room and everyone waits behind it, so it is never starved.
import { AppError } from '../lib/errors.ts';

export interface Need {
  containers: number;
  cpus: number;
  memoryMb: number;
  gpus: number;
}

const kinds = ['containers', 'cpus', 'memoryMb', 'gpus'] as const;

interface Waiting {
  need: Need;
  admit: () => void;
}

export class Admission {
  readonly capacity: Need;
  #used: Need = { containers: 0, cpus: 0, memoryMb: 0, gpus: 0 };
  #waiting: Waiting[] = [];

  /** `capacity` in the same units as needs; a need larger than the capacity is admitted when nothing else runs. */
  constructor(capacity: Need) {
    this.capacity = capacity;
  }

  get used(): Readonly<Need> {
    return this.#used;
  }

  /** Resolves to a release when there is room; rejects with the signal's reason. A need for more GPUs than there are fails at once. */
  async acquire(need: Need, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (need.gpus > this.capacity.gpus) {
      throw new AppError(
        'sandbox.start_failed',
        `the task needs ${need.gpus} GPU${need.gpus === 1 ? '' : 's'}, this machine offers ${this.capacity.gpus}`,
        {
          hint: 'Run it on a machine with GPUs and the NVIDIA container runtime, or set sandbox.gpus to 0 to try without.',
        },
      );
    }
    if (this.#waiting.length === 0 && this.#fits(need)) return this.#take(need);
    return await new Promise<Disposable>((resolve, reject) => {
      const abort = () => {
        this.#waiting = this.#waiting.filter((other) => other !== entry);
        reject(signal.reason);
        this.#admitNext();
      };
      const entry: Waiting = {
        need,
        admit: () => {
          signal.removeEventListener('abort', abort);
          resolve(this.#take(need));
        },
      };
      this.#waiting.push(entry);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  #fits(need: Need): boolean {
    const idle = kinds.every((kind) => this.#used[kind] === 0);
    return idle || kinds.every((kind) => this.#used[kind] + need[kind] <= this.capacity[kind]);
  }

  #take(need: Need): Disposable {
    for (const kind of kinds) this.#used[kind] += need[kind];
    let released = false;
    return {
      [Symbol.dispose]: () => {
        if (released) return;
        released = true;
        for (const kind of kinds) this.#used[kind] -= need[kind];
        this.#admitNext();
      },
    };
  }

  /** In order; stops at the first that does not fit. */
  #admitNext(): void {
    for (;;) {
      const head = this.#waiting[0];
      if (!head || !this.#fits(head.need)) return;
      this.#waiting.shift();
      head.admit();
    }
  }
}
