// One running container as a sandbox.
import type { Readable } from 'node:stream';
import type Docker from 'dockerode';
import type { TtyConnection, TtyRequest } from '../lib/connection.ts';
import { AppError } from '../lib/errors.ts';
import { type Box, sleeper } from './box.ts';
import type { Entrypoints } from './entrypoint.ts';
import { runExec } from './exec.ts';
import { containerFailure, engineFailure, engineMessage, statusOf } from './failure.ts';
import { downloadPath, readRegularFile, uploadFiles } from './files.ts';
import { toLabels } from './labels.ts';
import { hostConfig } from './limits.ts';
import { agentProcesses, type EntrypointState, imageProcesses, stopEverything } from './processes.ts';
import type { EngineInfo, ExecOptions, ExecResult, Sandbox, SandboxSpec, UploadEntry } from './sandbox.ts';
import { type StorageWatch, watchStorage } from './storage.ts';
import { abandonTty, launchTty, startInTty, type WaitingTty } from './tty.ts';

export interface Identity {
  lab: string;
  owner: string;
}

/** Where containers are started, and by whom. */
export interface Host extends Identity {
  docker: Docker;
  info: EngineInfo;
  entrypoints: Entrypoints;
  log: { warn(facts: object, message: string): void };
}

/**
 * Creates and starts a container for a spec: two round trips, and for an image with an ENTRYPOINT those that it takes to see that it ran
 * the lab's command. Where it did not, the container is made again without it. Leaves nothing behind when it fails or is aborted.
 */
export async function startContainer(
  host: Host,
  spec: SandboxSpec,
  image: Docker.ImageInspectInfo,
  networkMode: string,
  signal?: AbortSignal,
): Promise<DockerSandbox> {
  const { docker, info, entrypoints } = host;
  const user = spec.user ?? (image.Config.User || undefined);
  const workdir = spec.workdir ?? (image.Config.WorkingDir || '/');
  const options: Docker.ContainerCreateOptions = {
    Image: image.Id,
    Env: Object.entries(spec.env).map(([name, value]) => `${name}=${value}`),
    WorkingDir: workdir,
    ...(spec.user ? { User: spec.user } : {}),
    // The same for every run: a prompt with a random host name would make equal rollouts differ.
    Hostname: 'termarium',
    Healthcheck: { Test: ['NONE'] },
    Labels: toLabels({ lab: host.lab, owner: host.owner, kind: 'box' }, spec.labels),
    HostConfig: hostConfig(spec, info, networkMode),
  };
  const watched = (container: Docker.Container) =>
    spec.resources.storageMb && !info.storageQuota ? watchStorage(container, spec.resources.storageMb) : undefined;
  const sandbox = async (container: Docker.Container, kept: boolean) => {
    const box: Box = { docker, container, user, locked: spec.profile === 'locked' };
    if (kept) box.ofImage = await imageProcesses(box);
    return new DockerSandbox(box, spec, host, image, workdir, watched(container));
  };

  if (entrypoints.keeps(image)) {
    const container = await create(docker, { ...options, Cmd: sleeper });
    try {
      const state = await startWithEntrypoint(container, image, entrypoints, signal);
      const facts = { image: spec.image, entrypoint: image.Config.Entrypoint };
      if (state === 'busy') host.log.warn(facts, "the image's ENTRYPOINT runs on without running the command that it was given");
      if (state !== 'ended') return await sandbox(container, true);
      host.log.warn(facts, "the image's ENTRYPOINT did not run the command that it was given, so the container is started without it");
    } catch (error) {
      await container.remove({ force: true, v: true }).catch(noop);
      throw containerFailure('start a container', container.id, error);
    }
    await container.remove({ force: true, v: true });
  }
  const { Entrypoint } = image.Config;
  // One empty string takes an entrypoint away; where there is none, none is named, so that snapshots have none either.
  const container = await create(docker, { ...options, Cmd: sleeper, ...(Entrypoint?.length ? { Entrypoint: [''] } : {}) });
  try {
    signal?.throwIfAborted();
    await container.start();
    signal?.throwIfAborted();
  } catch (error) {
    await container.remove({ force: true, v: true }).catch(noop);
    if (signal?.aborted || statusOf(error) === undefined) throw engineFailure('start a container', error);
    throw new AppError('sandbox.start_failed', `cannot start a container of ${spec.image}: ${engineMessage(error)}`, {
      hint: spec.resources.gpus
        ? 'GPUs need the NVIDIA container toolkit on the engine: docs.nvidia.com/datacenter/cloud-native/container-toolkit'
        : 'The image needs `sh` and `sleep`, and the user must exist in it.',
      cause: error,
    });
  }
  return sandbox(container, false);
}

/** Starts a container and waits for its entrypoint. An entrypoint that the engine cannot start at all has ended before it began. */
async function startWithEntrypoint(
  container: Docker.Container,
  image: Docker.ImageInspectInfo,
  entrypoints: Entrypoints,
  signal?: AbortSignal,
): Promise<EntrypointState> {
  signal?.throwIfAborted();
  try {
    await container.start();
  } catch (error) {
    if (statusOf(error) === undefined) throw error;
    return 'ended';
  }
  return entrypoints.reached(image, container, signal);
}

async function create(docker: Docker, options: Docker.ContainerCreateOptions): Promise<Docker.Container> {
  try {
    return await docker.createContainer(options);
  } catch (error) {
    throw engineFailure('create a container', error);
  }
}

export class DockerSandbox implements Sandbox {
  readonly id: string;
  readonly image: string;
  readonly workdir: string;
  readonly #box: Box;
  readonly #identity: Identity;
  readonly #spec: SandboxSpec;
  readonly #imageInfo: Docker.ImageInspectInfo;
  readonly #watch: StorageWatch | undefined;
  /** Programs of closed terminals that are still being ended. */
  readonly #endings = new Set<Promise<void>>();
  /** Nothing has been started since the last `stopProcesses`, so the filesystem stands still. */
  #quiet = true;
  #ended = false;
  #waiting: WaitingTty | undefined;
  #removal: Promise<void> | undefined;

  constructor(
    box: Box,
    spec: SandboxSpec,
    identity: Identity,
    imageInfo: Docker.ImageInspectInfo,
    workdir: string,
    watch: StorageWatch | undefined,
  ) {
    this.id = box.container.id;
    this.image = spec.image;
    this.workdir = workdir;
    this.#box = box;
    this.#spec = spec;
    this.#identity = identity;
    this.#imageInfo = imageInfo;
    this.#watch = watch;
  }

  exec(command: string[], options?: ExecOptions): Promise<ExecResult> {
    this.#quiet = false;
    return runExec(this.#box, command, options);
  }

  async openTty(request: TtyRequest): Promise<TtyConnection> {
    this.#quiet = false;
    const onClose = (ending: Promise<unknown>) => {
      const tracked: Promise<void> = ending.then(noop, noop).finally(() => this.#endings.delete(tracked));
      this.#endings.add(tracked);
    };
    const waiting = this.#takeWaiting();
    if (waiting && request.cwd === undefined && (request.user ?? this.#box.user) === waiting.user) {
      return startInTty(this.#box, waiting, request, onClose);
    }
    if (waiting) onClose(abandonTty(this.#box, waiting));
    const opened = await launchTty(this.#box, request);
    return startInTty(this.#box, opened, { ...request, env: {} }, onClose);
  }

  upload(target: string, entries: UploadEntry[]): Promise<void> {
    return uploadFiles(this.#box, target, entries);
  }

  readFile(path: string, limit?: number): Promise<Buffer | null> {
    return readRegularFile(this.#box, path, limit);
  }

  download(path: string): Promise<Readable> {
    return downloadPath(this.#box, path);
  }

  async stopProcesses(): Promise<number> {
    const waiting = this.#takeWaiting();
    if (waiting) await abandonTty(this.#box, waiting);
    await Promise.all(this.#endings);
    const stopped = await stopEverything(this.#box);
    this.#quiet = true;
    return stopped;
  }

  async freeze(): Promise<number> {
    const waiting = this.#takeWaiting();
    if (waiting) await abandonTty(this.#box, waiting);
    await Promise.all(this.#endings);
    try {
      await this.#box.container.pause();
    } catch (error) {
      const failure = containerFailure('freeze a container', this.id, error);
      if (failure instanceof AppError && failure.code === 'sandbox.lost') throw failure;
      // Under cgroup v1 the kernel now and then fails to freeze a busy group. What is ended stands still as well.
      return this.stopProcesses();
    }
    this.#quiet = true;
    return agentProcesses(this.#box);
  }

  /** Makes a container fit to wait for its use: a terminal is opened ahead, and the engine says when the container ends (see `ended`). */
  async wait(): Promise<void> {
    const end = () => {
      this.#ended = true;
    };
    // A broken connection to the engine says as little for this container as an end does.
    this.#box.container.wait().then(end, end);
    // What keeps a terminal from being opened is told to whoever needs one.
    this.#waiting = await launchTty(this.#box, { user: this.#spec.terminalUser }).catch(() => undefined);
  }

  #takeWaiting(): WaitingTty | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  /** Whether a container that is watched has ended. */
  ended(): boolean {
    return this.#ended;
  }

  async alive(): Promise<boolean> {
    try {
      return (await this.whyEnded()) === null;
    } catch (error) {
      if (error instanceof AppError && error.code === 'sandbox.lost') return false;
      throw error;
    }
  }

  async whyEnded(): Promise<string | null> {
    try {
      const { State } = await this.#box.container.inspect();
      if (State.Running && !this.#watch?.exceeded()) return null;
      if (this.#watch?.exceeded()) return `it wrote more than ${this.#spec.resources.storageMb} MB to its disk`;
      if (State.OOMKilled)
        return `it ran out of memory${this.#spec.resources.memoryMb ? ` (limit ${this.#spec.resources.memoryMb} MB)` : ''}`;
      return `its PID 1 ended with exit code ${State.ExitCode}`;
    } catch (error) {
      throw containerFailure('look at a container', this.id, error);
    }
  }

  /** The container is paused while it is written down, unless nothing can run in it. Volumes and mounts are not part of an image. */
  async snapshot(labels: Record<string, string>): Promise<{ image: string } & AsyncDisposable> {
    await Promise.all(this.#endings);
    try {
      const committed: { Id: string } = await this.#box.container.commit({
        // A frozen container is left as it is.
        pause: !this.#quiet || this.#box.ofImage !== undefined,
        // The sleeper belongs to this container, not to what is made from it. The entrypoint is kept if it was kept here.
        changes: [`CMD ${JSON.stringify(this.#imageInfo.Config.Cmd ?? [])}`],
        _body: { Labels: toLabels({ ...this.#identity, kind: 'snapshot' }, { ...this.#spec.labels, ...labels }) },
      });
      const image = this.#box.docker.getImage(committed.Id);
      return { image: committed.Id, [Symbol.asyncDispose]: () => image.remove({ force: true }).then(noop, noop) };
    } catch (error) {
      throw containerFailure('take a snapshot', this.id, error);
    }
  }

  async changes(): Promise<{ path: string; kind: 'A' | 'M' | 'D' }[]> {
    try {
      const listed: { Path: string; Kind: 0 | 1 | 2 }[] | null = await this.#box.container.changes();
      const kinds = ['M', 'A', 'D'] as const;
      return (listed ?? []).map(({ Path, Kind }) => ({ path: Path, kind: kinds[Kind] }));
    } catch (error) {
      throw containerFailure('list changed files', this.id, error);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#watch?.stop();
    this.#removal ??= this.#box.container.remove({ force: true, v: true }).then(noop, (error: unknown) => {
      // Gone already, or being removed by someone else: either way there is nothing left to do.
      if (statusOf(error) !== 404 && statusOf(error) !== 409) throw engineFailure('remove a container', error);
    });
    return this.#removal;
  }
}

function noop(): void {}
