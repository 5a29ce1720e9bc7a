// Images from a reference or a Dockerfile. Each is made once: found again by the digest of what it is made from, and shared by
// everyone who asks for it while it is being made.
import type Docker from 'dockerode';
import { AppError, messageOf } from '../lib/errors.ts';
import { buildFolder } from './dockerbuild.ts';
import { lookUp, pull, resolveAlias } from './image.ts';
import type { ImageSource } from './sandbox.ts';

export interface PrepareOptions {
  onLog?: (line: string) => void;
  signal?: AbortSignal;
  force?: boolean;
}

interface Work {
  image: Promise<string>;
  log: string[];
  listeners: Set<(line: string) => void>;
  abort: AbortController;
}

/** Log lines that a caller who joins later still gets. */
const replayedLines = 1_000;

export class Builder {
  readonly #options: { lab: string; owner: string; aliases: Record<string, string> };
  readonly #running = new Map<string, Work>();

  constructor(options: { lab: string; owner: string; aliases: Record<string, string> }) {
    this.#options = options;
  }

  /** Answers an image id. The work itself is stopped once everybody who waited for it has given up. */
  async prepare(docker: Docker, source: ImageSource, options: PrepareOptions = {}): Promise<string> {
    options.signal?.throwIfAborted();
    const key = JSON.stringify([source.reference, source.context, source.dockerfile, source.buildArgs, options.force === true]);
    const work = this.#running.get(key) ?? this.#begin(key, docker, source, options.force === true);
    const listener = (line: string) => options.onLog?.(line);
    for (const line of work.log) listener(line);
    work.listeners.add(listener);
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const giveUp = () => reject(options.signal?.reason);
    options.signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return await Promise.race([work.image, aborted]);
    } finally {
      options.signal?.removeEventListener('abort', giveUp);
      work.listeners.delete(listener);
      if (work.listeners.size === 0) {
        work.abort.abort();
        // Whoever asks next starts anew rather than joining what is being stopped.
        if (this.#running.get(key) === work) this.#running.delete(key);
      }
    }
  }

  #begin(key: string, docker: Docker, source: ImageSource, force: boolean): Work {
    const log: string[] = [];
    const listeners = new Set<(line: string) => void>();
    const abort = new AbortController();
    const onLog = (line: string) => {
      if (log.length < replayedLines) log.push(line);
      for (const listener of listeners) listener(line);
    };
    const image = this.#make(docker, source, force, onLog, abort.signal).finally(() => {
      if (this.#running.get(key)?.abort === abort) this.#running.delete(key);
    });
    // Everybody may have given up by the time it fails.
    image.catch(() => {});
    const work = { image, log, listeners, abort };
    this.#running.set(key, work);
    return work;
  }

  async #make(docker: Docker, source: ImageSource, force: boolean, onLog: (line: string) => void, signal: AbortSignal): Promise<string> {
    const { reference, context, ...rest } = source;
    if (reference === undefined && context === undefined) {
      throw new AppError('task.unsupported', 'an image needs a reference or a folder with a Dockerfile', {
        hint: 'Name a docker_image in task.toml, or put a Dockerfile into the folder environment/.',
      });
    }
    if (reference !== undefined && !(force && context !== undefined)) {
      const name = resolveAlias(reference, this.#options.aliases);
      const here = await lookUp(docker, name);
      if (here) return here.Id;
      try {
        await pull(docker, name, onLog, undefined, signal);
        return (await lookUp(docker, name))?.Id ?? name;
      } catch (error) {
        if (signal.aborted || context === undefined) throw error;
        onLog(`${messageOf(error)}; building it from its Dockerfile instead`);
      }
    }
    return buildFolder(docker, { ...rest, context: context ?? '' }, { ...this.#options, force, onLog, signal });
  }
}
