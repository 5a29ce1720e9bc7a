// What the lab needs of a container, and of whatever provides containers. docker.ts does it with a Docker Engine, scripted.ts in
// memory for fast tests; both must pass sandbox.suite.ts.
import type { Readable } from 'node:stream';
import type { TtyConnection, TtyRequest } from '../lib/connection.ts';

/** Where an image comes from. With both, the prebuilt one is pulled and the Dockerfile is the fallback where no registry answers. */
export interface ImageSource {
  /** Reference to pull, e.g. `alexgshaw/fix-git:20251031`. */
  reference?: string;
  /** Folder with the Dockerfile; built with the whole folder as its context. */
  context?: string;
  /** Dockerfile inside the context, `Dockerfile` by default. */
  dockerfile?: string;
  buildArgs?: Record<string, string>;
  buildTimeoutMs?: number;
}

export interface Resources {
  cpus?: number;
  memoryMb?: number;
  storageMb?: number;
  pids?: number;
  shmMb?: number;
  /** Number of GPUs, handed over as a device request. */
  gpus?: number;
}

export interface NetworkPolicy {
  mode: 'none' | 'public' | 'allowlist';
  allowedHosts: string[];
}

/** `locked`: no network, no capabilities, no-new-privileges, pids 64, 512 MiB, 1 cpu. `compatible`: what the task asks for. */
export type Profile = 'compatible' | 'locked';

export interface SandboxSpec {
  /** Image id or reference that `prepareImage` gave. */
  image: string;
  resources: Resources;
  network: NetworkPolicy;
  profile: Profile;
  env: Record<string, string>;
  /** Overrides the image's WORKDIR. */
  workdir?: string;
  /** Default user of exec and TTY; left out, the image's USER. */
  user?: string;
  /** Whose terminal waits in a container that is started ahead of use; left out, the default user's. Any other can be opened as well. */
  terminalUser?: string;
  /** Values for `termarium.*` labels, e.g. `{ run, rollout }`. */
  labels: Record<string, string>;
}

export interface ExecOptions {
  user?: string;
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string | Uint8Array;
  /** Kills the whole process tree inside the container when it runs over. */
  timeoutMs?: number;
  /** Bytes kept of stdout and stderr together, the first and the last halves; 1 MiB by default. */
  outputLimit?: number;
  /** Sees every chunk of output as it comes. */
  onOutput?: (chunk: Uint8Array) => void;
  signal?: AbortSignal;
}

/** An ended program. A missing executable or a non-zero exit is a result, not an error. */
export interface ExecResult {
  exitCode: number;
  stdout: string;
  stderr: string;
  timedOut: boolean;
  /** Bytes left out of stdout and stderr because of the limit. */
  omittedBytes: number;
}

/** A file or folder to put into a sandbox. Paths are relative to the target folder and may not leave it. */
export type UploadEntry =
  | { path: string; content: string | Uint8Array; mode?: number; uid?: number; gid?: number }
  | { path: string; from: string };

export interface Sandbox extends AsyncDisposable {
  readonly id: string;
  readonly image: string;
  /** Image's or spec's working directory. */
  readonly workdir: string;
  exec(command: string[], options?: ExecOptions): Promise<ExecResult>;
  openTty(request: TtyRequest): Promise<TtyConnection>;
  /** Puts files below `target`, which is created. Existing files of the same name are replaced; links in the way are not followed out. */
  upload(target: string, entries: UploadEntry[]): Promise<void>;
  /** Content of one regular file, or null where there is none. Refuses more than `limit` bytes (8 MiB by default). */
  readFile(path: string, limit?: number): Promise<Buffer | null>;
  /** Tar stream of a path. */
  download(path: string): Promise<Readable>;
  /** Ends every process in the container but PID 1 and what the image's own ENTRYPOINT started; answers how many there were. */
  stopProcesses(): Promise<number>;
  /**
   * Stops every process where it is, for good: nothing in the sandbox changes any more and nothing can be run in it, but it can be read and
   * a snapshot of it taken. Where the engine cannot, they are ended. Answers how many processes there were, counted as by `stopProcesses`.
   */
  freeze(): Promise<number>;
  /** False once the container or its PID 1 is gone. */
  alive(): Promise<boolean>;
  /**
   * Why the sandbox ended, to follow "because": a broken limit, PID 1. Null while it is alive. Throws `sandbox.lost` where it is not
   * there any more: nothing that runs in it can remove it.
   */
  whyEnded(): Promise<string | null>;
  /** Filesystem snapshot as an image that carries this lab's labels; the answer removes it when disposed. */
  snapshot(labels: Record<string, string>): Promise<{ image: string } & AsyncDisposable>;
  /** Files added, modified or deleted since the image. */
  changes(): Promise<{ path: string; kind: 'A' | 'M' | 'D' }[]>;
}

export interface EngineInfo {
  version: string;
  apiVersion: string;
  /** Where it was found, e.g. `unix:///var/run/docker.sock`. */
  endpoint: string;
  cpus: number;
  memoryBytes: number;
  gpuRuntime: boolean;
  storageQuota: boolean;
}

export interface LabThing {
  kind: 'container' | 'network' | 'volume' | 'image';
  id: string;
  name: string;
  detail: string;
  /** Label values without the `termarium.` prefix. */
  labels: Record<string, string>;
}

export interface SandboxProvider extends AsyncDisposable {
  /** Fails with `docker.unreachable`, with where it looked and what to do. */
  info(signal?: AbortSignal): Promise<EngineInfo>;
  /** Pulls or builds, once per content; concurrent calls for the same source share one build. `onLog` gets each line. Answers an image id. */
  prepareImage(source: ImageSource, options: { onLog?: (line: string) => void; signal?: AbortSignal; force?: boolean }): Promise<string>;
  /** From the warm pool where a matching container is ready, else created now. */
  start(spec: SandboxSpec, signal?: AbortSignal): Promise<Sandbox>;
  /**
   * Says that `count` more starts of this spec are coming, in place of what was said before: a container is started ahead for each. Each
   * `start` of the spec takes one, and none is started in its place. 0 removes those that nobody took.
   */
  warm(spec: SandboxSpec, count: number): void;
  /** Everything that carries this lab's label for this data folder, whoever made it. */
  list(): Promise<LabThing[]>;
  /** Removes what `list` finds and no live process owns: leftovers of a killed lab. Answers what was removed. */
  reap(options?: { all?: boolean; images?: boolean }): Promise<LabThing[]>;
}
