// Sandboxes in memory, for tests that need no container: programs are functions that the test gives, files a small file system of their
// own, a TTY a line editor that echoes what it gets. Passes the same suite as Docker's.
import { randomUUID } from 'node:crypto';
import { AppError } from '../lib/errors.ts';
import { isLeftover } from './reaper.ts';
import type { EngineInfo, ImageSource, LabThing, Sandbox, SandboxProvider, SandboxSpec } from './sandbox.ts';
import { ScriptedSandbox } from './scripted-box.ts';
import { ScriptedFiles } from './scripted-files.ts';

/** What a scripted program sees and can do. `ended` aborts when it is killed. */
export interface ScriptedCall {
  command: string[];
  stdin: string;
  env: Record<string, string>;
  cwd: string;
  user: string;
  files: ScriptedFiles;
  out(data: string | Uint8Array): void;
  err(data: string | Uint8Array): void;
  ended: AbortSignal;
}

/** Answers the exit code. */
export type ScriptedProgram = (call: ScriptedCall) => number | Promise<number>;

/** Answers what a line typed into a TTY prints. `exit N` and `stty size` are there already. */
export type ScriptedShell = (line: string, files: ScriptedFiles) => string | Promise<string>;

export interface ScriptedOptions {
  /** By the whole command, its words joined with spaces, or else by its first word. */
  programs?: Record<string, ScriptedProgram>;
  shell?: ScriptedShell;
  /** Files of every image, by absolute path. */
  files?: Record<string, string>;
  owner?: string;
}

export function createScriptedProvider(options: ScriptedOptions = {}): SandboxProvider {
  return new ScriptedProvider(options);
}

const unknownProgram: ScriptedShell = (line) => (line.trim() === '' ? '' : `sh: ${line.split(' ')[0]}: not found\n`);

class ScriptedProvider implements SandboxProvider {
  readonly #options: ScriptedOptions;
  readonly #owner: string;
  readonly #things = new Map<string, LabThing & { remove(): void }>();
  readonly #snapshots = new Map<string, ScriptedFiles>();

  constructor(options: ScriptedOptions) {
    this.#options = options;
    this.#owner = options.owner ?? `scripted/${process.pid}`;
  }

  async info(): Promise<EngineInfo> {
    return {
      version: 'scripted',
      apiVersion: '0',
      endpoint: 'memory',
      cpus: 4,
      memoryBytes: 8 * 2 ** 30,
      gpuRuntime: false,
      storageQuota: false,
    };
  }

  async prepareImage(source: ImageSource): Promise<string> {
    const name = source.reference ?? source.context;
    if (name === undefined) throw new AppError('task.unsupported', 'an image needs a reference or a folder with a Dockerfile');
    return `scripted:${name}`;
  }

  async start(spec: SandboxSpec, signal?: AbortSignal): Promise<Sandbox> {
    signal?.throwIfAborted();
    if (spec.network.mode === 'allowlist' && spec.network.allowedHosts.length > 0) {
      throw new AppError('task.unsupported', 'a network allowlist cannot be enforced by this sandbox');
    }
    const image = this.#snapshots.get(spec.image);
    if (!image && !spec.image.startsWith('scripted:')) throw new AppError('image.missing', `image ${spec.image} is not on the engine`);
    const files = image?.clone() ?? new ScriptedFiles();
    if (!image) for (const [path, content] of Object.entries(this.#options.files ?? {})) files.write(path, content);
    const id = randomUUID();
    const box = new ScriptedSandbox({
      id,
      spec,
      files,
      programs: this.#options.programs ?? {},
      shell: this.#options.shell ?? unknownProgram,
      keep: (kept, labels) => this.#keep(kept, labels),
      removed: () => this.#things.delete(id),
    });
    this.#add({ kind: 'container', id, name: id, detail: spec.image, labels: { ...spec.labels, kind: 'box', owner: this.#owner } }, () =>
      box.kill('its container was removed'),
    );
    return box;
  }

  /** Nothing to start ahead: a scripted sandbox takes no time. */
  warm(): void {}

  async list(): Promise<LabThing[]> {
    return [...this.#things.values()].map(({ remove: _, ...thing }) => thing);
  }

  async reap(options: { all?: boolean; images?: boolean } = {}): Promise<LabThing[]> {
    const left = (await this.list()).filter((thing) => isLeftover(thing, this.#owner, options));
    for (const { id } of left) this.#remove(id);
    return left;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of [...this.#things.keys()]) this.#remove(id);
  }

  #keep(files: ScriptedFiles, labels: Record<string, string>): { image: string } & AsyncDisposable {
    const id = randomUUID();
    this.#snapshots.set(id, files);
    this.#add({ kind: 'image', id, name: id, detail: 'snapshot', labels: { ...labels, kind: 'snapshot', owner: this.#owner } }, () =>
      this.#snapshots.delete(id),
    );
    return { image: id, [Symbol.asyncDispose]: async () => this.#remove(id) };
  }

  #add(thing: LabThing, remove: () => void): void {
    this.#things.set(thing.id, { ...thing, remove });
  }

  #remove(id: string): void {
    this.#things.get(id)?.remove();
    this.#things.delete(id);
  }
}
