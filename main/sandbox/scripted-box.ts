// One sandbox in memory; see scripted.ts.

import { readdir, readFile, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import tar from 'tar-stream';
import type { TtyConnection, TtyRequest } from '../lib/connection.ts';
import { AppError } from '../lib/errors.ts';
import { KeptOutput } from './kept.ts';
import type { ExecOptions, ExecResult, Sandbox, SandboxSpec, UploadEntry } from './sandbox.ts';
import type { ScriptedProgram, ScriptedShell } from './scripted.ts';
import type { ScriptedFiles } from './scripted-files.ts';
import { ScriptedTty } from './scripted-tty.ts';

export interface ScriptedParts {
  id: string;
  spec: SandboxSpec;
  files: ScriptedFiles;
  programs: Record<string, ScriptedProgram>;
  shell: ScriptedShell;
  /** Keeps a copy of the files as an image. */
  keep: (files: ScriptedFiles, labels: Record<string, string>) => { image: string } & AsyncDisposable;
  removed: () => void;
}

export class ScriptedSandbox implements Sandbox {
  readonly id: string;
  readonly image: string;
  readonly workdir: string;
  readonly files: ScriptedFiles;
  readonly #parts: ScriptedParts;
  readonly #original: ScriptedFiles;
  readonly #running = new Set<AbortController>();
  #ended: string | null = null;
  #removed = false;

  constructor(parts: ScriptedParts) {
    this.id = parts.id;
    this.image = parts.spec.image;
    this.workdir = parts.spec.workdir ?? '/';
    this.files = parts.files;
    this.#parts = parts;
    this.#original = parts.files.clone();
  }

  async exec(command: string[], options: ExecOptions = {}): Promise<ExecResult> {
    options.signal?.throwIfAborted();
    this.#mustLive();
    const kept = new KeptOutput(options.outputLimit ?? 1024 * 1024);
    const write = (stream: 'stdout' | 'stderr') => (data: string | Uint8Array) => {
      const bytes = Buffer.from(data);
      kept.push(stream, bytes);
      options.onOutput?.(bytes);
    };
    const program = this.#parts.programs[command.join(' ')] ?? this.#parts.programs[command[0] ?? ''];
    if (!program) return { exitCode: 127, stdout: '', stderr: `sh: exec: ${command[0]}: not found\n`, timedOut: false, omittedBytes: 0 };
    const end = new AbortController();
    this.#running.add(end);
    const timer = options.timeoutMs === undefined ? undefined : setTimeout(() => end.abort('timeout'), options.timeoutMs);
    const abort = () => end.abort('aborted');
    options.signal?.addEventListener('abort', abort, { once: true });
    const { promise: killed, resolve: kill } = Promise.withResolvers<number>();
    end.signal.addEventListener('abort', () => kill(137), { once: true });
    try {
      const running = program({
        command,
        stdin: Buffer.from(options.stdin ?? '').toString('utf8'),
        env: { ...this.#parts.spec.env, ...options.env },
        cwd: options.cwd ?? this.workdir,
        user: options.user ?? this.#parts.spec.user ?? 'root',
        files: this.files,
        out: write('stdout'),
        err: write('stderr'),
        ended: end.signal,
      });
      const exitCode = await Promise.race([running, killed]);
      options.signal?.throwIfAborted();
      return { ...kept.finish(), exitCode, timedOut: end.signal.reason === 'timeout' };
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', abort);
      this.#running.delete(end);
    }
  }

  async openTty(request: TtyRequest): Promise<TtyConnection> {
    this.#mustLive();
    const end = new AbortController();
    this.#running.add(end);
    return new ScriptedTty(request, this.#parts.shell, this.files, end.signal, () => this.#running.delete(end));
  }

  async upload(target: string, entries: UploadEntry[]): Promise<void> {
    this.#mustLive();
    const root = posix.normalize(target).replace(/(.)\/$/, '$1');
    for (const entry of entries) {
      const path = posix.join(root, entry.path);
      if (entry.path.startsWith('/') || entry.path.split('/').includes('..') || entry.path.includes('\0')) {
        throw new AppError('request.invalid', `an upload may not leave its folder ${root}: ${JSON.stringify(entry.path)}`);
      }
      if ('from' in entry) await this.#fromHost(root, path, entry.from);
      else this.files.replace(root, path, entry.content);
    }
  }

  async readFile(path: string, limit = 8 * 1024 * 1024): Promise<Buffer | null> {
    const node = this.files.node(path);
    if (node?.type !== 'file') return null;
    if (node.content.length > limit) {
      throw new AppError('request.invalid', `${path} in the sandbox has ${node.content.length} bytes; at most ${limit} are read`);
    }
    return Buffer.from(node.content);
  }

  async download(path: string): Promise<Readable> {
    const found = this.files.entries().filter(([known]) => known === path || known.startsWith(`${path}/`));
    if (found.length === 0) throw new AppError('request.not_found', `${path} does not exist in the sandbox`);
    const pack = tar.pack();
    const parent = posix.dirname(path);
    for (const [known, node] of found) {
      const name = posix.relative(parent, known);
      if (node.type === 'file') pack.entry({ name }, node.content);
      else if (node.type === 'link') pack.entry({ name, type: 'symlink', linkname: node.to });
      else pack.entry({ name, type: 'directory' });
    }
    pack.finalize();
    const through = new PassThrough();
    pack.pipe(through);
    return through;
  }

  async stopProcesses(): Promise<number> {
    const count = this.#running.size;
    for (const end of [...this.#running]) end.abort('stopped');
    this.#running.clear();
    return count;
  }

  freeze(): Promise<number> {
    return this.stopProcesses();
  }

  async alive(): Promise<boolean> {
    return this.#ended === null;
  }

  async whyEnded(): Promise<string | null> {
    if (this.#removed) throw new AppError('sandbox.lost', `scripted sandbox ${this.id} is gone`);
    return this.#ended;
  }

  async snapshot(labels: Record<string, string>): Promise<{ image: string } & AsyncDisposable> {
    this.#mustLive();
    return this.#parts.keep(this.files.clone(), { ...this.#parts.spec.labels, ...labels });
  }

  async changes(): Promise<{ path: string; kind: 'A' | 'M' | 'D' }[]> {
    const before = new Map(this.#original.entries());
    const now = new Map(this.files.entries());
    const changed = [...now].flatMap(([path, node]): { path: string; kind: 'A' | 'M' }[] => {
      const was = before.get(path);
      if (!was) return [{ path, kind: 'A' }];
      return was === node ? [] : [{ path, kind: 'M' }];
    });
    const gone = [...before.keys()].filter((path) => !now.has(path)).map((path) => ({ path, kind: 'D' as const }));
    return [...changed, ...gone];
  }

  /** What an engine does to a container that runs over a limit, or an outsider that kills it. */
  kill(reason: string): void {
    this.#ended ??= reason;
    for (const end of [...this.#running]) end.abort('killed');
    this.#running.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill('it was removed');
    this.#removed = true;
    this.#parts.removed();
  }

  #mustLive(): void {
    if (this.#ended !== null) throw new AppError('sandbox.lost', `scripted sandbox ${this.id} has ended because ${this.#ended}`);
  }

  async #fromHost(root: string, path: string, from: string): Promise<void> {
    if ((await stat(from)).isFile()) return this.files.replace(root, path, await readFile(from));
    for (const name of await readdir(from)) await this.#fromHost(root, posix.join(path, name), join(from, name));
  }
}
