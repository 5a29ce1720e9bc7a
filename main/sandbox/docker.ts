// Sandboxes as containers of a Docker Engine. The only folder that imports dockerode.
import { AppError } from '../lib/errors.ts';
import { Builder } from './build.ts';
import { type DockerSandbox, startContainer } from './container.ts';
import { connectEngine, type Engine } from './engine.ts';
import { Entrypoints } from './entrypoint.ts';
import { lookUp } from './image.ts';
import { Networks } from './network.ts';
import { Pool } from './pool.ts';
import { isLeftover, listThings, removeThings } from './reaper.ts';
import type { EngineInfo, ImageSource, LabThing, Sandbox, SandboxProvider, SandboxSpec } from './sandbox.ts';

/** Where the adapter writes what it did on its own; a pino logger fits. */
interface SandboxLog {
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
}

export interface DockerOptions {
  /** Id of the data folder. */
  lab: string;
  /** This process: `currentOwner()` of labels.ts. */
  owner: string;
  /** Image names and what to use in their place, in FROM lines and references, for sites that no registry answers. */
  aliases: Record<string, string>;
  log: SandboxLog;
  /** Where to look for the engine; the process's own environment by default. */
  env?: NodeJS.ProcessEnv;
}

/** A provider of containers. Connects at the first call; an engine that was down is tried again at the next. */
export function createDockerProvider(options: DockerOptions): SandboxProvider {
  return new DockerProvider(options);
}

class DockerProvider implements SandboxProvider {
  readonly #options: DockerOptions;
  readonly #networks: Networks;
  readonly #builder: Builder;
  readonly #entrypoints = new Entrypoints();
  readonly #pool: Pool<DockerSandbox>;
  /** Labels of handed-out containers: those of a pooled one were set before its rollout was known. */
  readonly #handedOut = new Map<string, Record<string, string>>();
  #engine: Promise<Engine> | undefined;

  constructor(options: DockerOptions) {
    this.#options = options;
    this.#networks = new Networks(options);
    this.#builder = new Builder(options);
    this.#pool = new Pool(
      async (spec) => {
        const box = await this.#create(spec);
        await box.wait();
        return box;
      },
      (error) => options.log.warn({ err: error }, 'could not start a container ahead of use'),
    );
  }

  async info(signal?: AbortSignal): Promise<EngineInfo> {
    return (await this.#connect(signal)).info;
  }

  async prepareImage(
    source: ImageSource,
    options: { onLog?: (line: string) => void; signal?: AbortSignal; force?: boolean } = {},
  ): Promise<string> {
    const { docker } = await this.#connect(options.signal);
    return this.#builder.prepare(docker, source, options);
  }

  async start(spec: SandboxSpec, signal?: AbortSignal): Promise<Sandbox> {
    signal?.throwIfAborted();
    const box = (await this.#fromPool(spec)) ?? (await this.#create(spec, signal));
    if (signal?.aborted) {
      await box[Symbol.asyncDispose]();
      throw signal.reason;
    }
    this.#handedOut.set(box.id, spec.labels);
    return box;
  }

  warm(spec: SandboxSpec, count: number): void {
    this.#pool.warm(spec, count);
  }

  async list(): Promise<LabThing[]> {
    const { docker } = await this.#connect();
    const things = await listThings(docker, this.#options.lab);
    const there = new Set(things.map((thing) => thing.id));
    for (const id of this.#handedOut.keys()) if (!there.has(id)) this.#handedOut.delete(id);
    return things.map((thing) => ({ ...thing, labels: { ...thing.labels, ...this.#handedOut.get(thing.id) } }));
  }

  async reap(options: { all?: boolean; images?: boolean } = {}): Promise<LabThing[]> {
    const { docker } = await this.#connect();
    const things = await this.list();
    return removeThings(
      docker,
      things.filter((thing) => isLeftover(thing, this.#options.owner, options)),
    );
  }

  /** Removes what this process started for the lab, built images excepted. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#engine) return;
    await this.#pool.close();
    const engine = await this.#engine.catch(() => undefined);
    if (!engine) return;
    const things = await listThings(engine.docker, this.#options.lab).catch(() => []);
    const own = things.filter((thing) => thing.labels.owner === this.#options.owner && thing.labels.kind !== 'build');
    await removeThings(engine.docker, own).catch((error: unknown) => this.#options.log.warn({ err: error }, 'could not remove containers'));
    await this.#networks.close();
    engine.close();
  }

  #connect(signal?: AbortSignal): Promise<Engine> {
    this.#engine ??= connectEngine(this.#options.env ?? process.env, signal).catch((error: unknown) => {
      this.#engine = undefined;
      throw error;
    });
    return this.#engine;
  }

  /** A pooled container that could not be started, or died while it waited, is no reason to fail: a new one is made. */
  async #fromPool(spec: SandboxSpec): Promise<DockerSandbox | undefined> {
    const box = await this.#pool.take(spec)?.catch(() => undefined);
    if (!box?.ended()) return box;
    await box[Symbol.asyncDispose]().catch(() => {});
    return undefined;
  }

  async #create(spec: SandboxSpec, signal?: AbortSignal): Promise<DockerSandbox> {
    const engine = await this.#connect(signal);
    const networkMode = await this.#networks.modeFor(engine.docker, spec);
    const image = await lookUp(engine.docker, spec.image);
    if (!image) {
      throw new AppError('image.missing', `image ${spec.image} is not on the engine`, {
        hint: 'It was removed after it was prepared; prepare it again.',
      });
    }
    const { lab, owner, log } = this.#options;
    const host = { ...engine, lab, owner, log, entrypoints: this.#entrypoints };
    const start = () => startContainer(host, spec, image, networkMode, signal);
    if (!engine.info.storageQuota || !spec.resources.storageMb) return start();
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'docker.failed') throw error;
      // Only a try shows whether the filesystem below has quotas switched on; without them the size is watched instead.
      engine.info.storageQuota = false;
      return start();
    }
  }
}
