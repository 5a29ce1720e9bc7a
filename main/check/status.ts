// The facts of the status bar, looked at every two seconds while somebody watches.
import { statfs } from 'node:fs/promises';
import type { LabStatus } from '../contract/system.ts';
import { delay } from '../lib/abort.ts';
import { AppError, messageOf } from '../lib/errors.ts';
import type { SandboxProvider } from '../sandbox/sandbox.ts';
import { readGpus } from './gpu.ts';

const LOOK_EVERY_MS = 2000;

export interface StatusSources {
  version: string;
  dataFolder: string;
  provider: SandboxProvider;
  running: () => number;
  queued: () => number;
}

export class StatusMonitor {
  readonly #sources: StatusSources;
  #current: LabStatus | null = null;
  #cursor = 0;
  #looked = 0;
  #looking: Promise<void> | null = null;

  constructor(sources: StatusSources) {
    this.#sources = sources;
  }

  /** Status newer than `after`; parks until something changes, at most `parkMs`. */
  async read(after: number | undefined, parkMs: number, signal: AbortSignal): Promise<{ status: LabStatus; cursor: number }> {
    const deadline = performance.now() + parkMs;
    for (;;) {
      if (performance.now() - this.#looked >= LOOK_EVERY_MS || this.#current === null) await this.#look();
      if (this.#current && (after === undefined || this.#cursor !== after || performance.now() >= deadline)) {
        return { status: this.#current, cursor: this.#cursor };
      }
      await delay(LOOK_EVERY_MS, signal);
    }
  }

  /** One look at a time, shared by all watchers. */
  async #look(): Promise<void> {
    this.#looking ??= this.#collect().finally(() => {
      this.#looking = null;
    });
    await this.#looking;
  }

  async #collect(): Promise<void> {
    const { version, dataFolder, provider, running, queued } = this.#sources;
    const [docker, containers, disk, gpus] = await Promise.all([
      provider.info().then(
        (info) => ({ ok: true, detail: `Docker ${info.version} at ${info.endpoint}` }),
        (error: unknown) => ({
          ok: false,
          detail: error instanceof AppError ? [error.message, error.hint].filter(Boolean).join(' ') : messageOf(error),
        }),
      ),
      provider.list().then(
        (things) => things.filter((thing) => thing.kind === 'container').length,
        () => 0,
      ),
      statfs(dataFolder).catch(() => null),
      readGpus(),
    ]);
    const next: LabStatus = {
      version,
      dataFolder,
      docker,
      containers,
      running: running(),
      queued: queued(),
      // Rounded, so that idle noise is no change.
      diskFreeBytes: disk ? Math.floor((disk.bavail * disk.bsize) / 1e8) * 1e8 : 0,
      memoryBytes: Math.round(process.memoryUsage().rss / 1e7) * 1e7,
      gpus,
    };
    if (JSON.stringify(next) !== JSON.stringify(this.#current)) this.#cursor += 1;
    this.#current = next;
    this.#looked = performance.now();
  }
}
