// A disk limit where the engine's storage driver has none: the size of the container's own layer is looked at again and again, and a
// container that is over its limit is killed. Not a hard quota: a fast writer gets past the limit before it is seen.
import type Docker from 'dockerode';
import { delay } from '../lib/abort.ts';

export interface StorageWatch {
  /** True once the container was killed for its size. */
  exceeded(): boolean;
  stop(): void;
}

const shortestPauseMs = 1_000;
/** Measuring walks the layer, so a layer with many files is looked at less often: at most this share of the time goes into it. */
const shareOfTime = 0.05;

/** Watches until stopped or until the container is gone. `limitMb` in megabytes of 1024 * 1024 bytes. */
export function watchStorage(container: Docker.Container, limitMb: number): StorageWatch {
  const stop = new AbortController();
  let exceeded = false;
  const watch = async () => {
    let pause = shortestPauseMs;
    for (;;) {
      await delay(pause, stop.signal);
      const before = performance.now();
      // `size` is an option of the engine, and SizeRw its answer, that the client's types leave out.
      const { SizeRw = 0 }: { SizeRw?: number } = await (container.inspect as (options: object) => Promise<object>).call(container, {
        size: true,
      });
      pause = Math.max(shortestPauseMs, (performance.now() - before) / shareOfTime);
      if (SizeRw <= limitMb * 1024 * 1024) continue;
      exceeded = true;
      return container.kill();
    }
  };
  // It ends by being stopped, or because the container is gone; a dead engine shows at every other call.
  watch().catch(() => {});
  return { exceeded: () => exceeded, stop: () => stop.abort() };
}
