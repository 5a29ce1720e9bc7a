// Containers started ahead of use, so that a rollout does not wait for the engine. A pooled container is used once.
import type { SandboxSpec } from './sandbox.ts';

interface Shelf<Box> {
  spec: SandboxSpec;
  /** Starts of this spec that are still to come. */
  wanted: number;
  /** Started or being started, at most as many as are wanted. */
  ready: Promise<Box>[];
}

export class Pool<Box extends AsyncDisposable> {
  readonly #start: (spec: SandboxSpec) => Promise<Box>;
  readonly #failed: (error: unknown) => void;
  readonly #shelves = new Map<string, Shelf<Box>>();

  /** `failed` hears of containers that could not be started ahead; whoever needs one then gets the error first-hand. */
  constructor(start: (spec: SandboxSpec) => Promise<Box>, failed: (error: unknown) => void) {
    this.#start = start;
    this.#failed = failed;
  }

  /**
   * Says that `count` more starts of this spec are coming, whatever was said before, and starts a container for each. Labels do not tell
   * specs apart: a container is labelled before its rollout is known.
   */
  warm(spec: SandboxSpec, count: number): void {
    const key = keyOf(spec);
    const shelf = this.#shelves.get(key) ?? { spec, wanted: 0, ready: [] };
    shelf.wanted = count;
    if (count > 0) this.#shelves.set(key, shelf);
    else this.#shelves.delete(key);
    // Never rejects, and nobody needs to wait for it.
    void this.#discard(shelf.ready.splice(count));
    while (shelf.ready.length < shelf.wanted) this.#startOne(shelf);
  }

  /** A container that is started or being started for this spec; undefined where none is. One start less is to come then. */
  take(spec: SandboxSpec): Promise<Box> | undefined {
    const key = keyOf(spec);
    const shelf = this.#shelves.get(key);
    if (!shelf) return undefined;
    shelf.wanted -= 1;
    if (shelf.wanted === 0) this.#shelves.delete(key);
    return shelf.ready.shift();
  }

  /** Empties every shelf and waits until all is removed. */
  async close(): Promise<void> {
    const shelves = [...this.#shelves.values()];
    this.#shelves.clear();
    await Promise.all(shelves.map((shelf) => this.#discard(shelf.ready.splice(0))));
  }

  #startOne(shelf: Shelf<Box>): void {
    const starting = this.#start(shelf.spec);
    shelf.ready.push(starting);
    starting.catch((error: unknown) => {
      // Not tried again by itself: what cannot be started now would fail in a loop. Whoever takes next starts its own.
      shelf.ready = shelf.ready.filter((one) => one !== starting);
      this.#failed(error);
    });
  }

  async #discard(boxes: Promise<Box>[]): Promise<void> {
    await Promise.allSettled(boxes.map(async (box) => (await box)[Symbol.asyncDispose]()));
  }
}

/** Equal for specs whose containers are interchangeable. */
function keyOf({ labels: _, ...spec }: SandboxSpec): string {
  return JSON.stringify(spec, (_key, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
