// The file system of a scripted sandbox: files, links and folders in memory, as much of them as the sandbox interface shows.

import { posix } from 'node:path';
import { AppError } from '../lib/errors.ts';

export type ScriptedNode = { type: 'file'; content: Buffer } | { type: 'link'; to: string } | { type: 'folder' };

export class ScriptedFiles {
  readonly #nodes: Map<string, ScriptedNode>;

  constructor(nodes: Iterable<[string, ScriptedNode]> = []) {
    this.#nodes = new Map(nodes);
  }

  /** An independent copy. */
  clone(): ScriptedFiles {
    return new ScriptedFiles(this.#nodes);
  }

  /** What programs do: links on the way are followed. */
  write(path: string, content: string | Uint8Array): void {
    this.#put(this.resolve(path), content);
  }

  /** What an upload does: a link or file in the way, below `root` or at it, is replaced. */
  replace(root: string, path: string, content: string | Uint8Array): void {
    for (let at = path; at.startsWith(root) && at !== '/'; at = posix.dirname(at)) {
      if (this.#nodes.get(at)?.type !== 'folder') this.#nodes.delete(at);
    }
    this.#put(path, content);
  }

  link(path: string, to: string): void {
    this.#nodes.set(path, { type: 'link', to });
  }

  remove(path: string): void {
    for (const known of this.#nodes.keys()) if (known === path || known.startsWith(`${path}/`)) this.#nodes.delete(known);
  }

  /** The node itself, a link not followed. */
  node(path: string): ScriptedNode | undefined {
    return this.#nodes.get(posix.join(this.resolve(posix.dirname(path)), posix.basename(path)));
  }

  read(path: string): string | undefined {
    const node = this.#nodes.get(this.resolve(path));
    return node?.type === 'file' ? node.content.toString('utf8') : undefined;
  }

  entries(): [string, ScriptedNode][] {
    return [...this.#nodes];
  }

  /** A path with every link in it followed. */
  resolve(path: string): string {
    let at = '/';
    let hops = 0;
    const rest = posix.normalize(path).split('/').filter(Boolean);
    while (rest.length > 0) {
      const next = posix.join(at, rest.shift() ?? '');
      const node = this.#nodes.get(next);
      if (node?.type !== 'link') {
        at = next;
        continue;
      }
      hops += 1;
      if (hops > 40) throw new AppError('request.invalid', `too many links in ${path}`);
      rest.unshift(...node.to.split('/').filter(Boolean));
      if (node.to.startsWith('/')) at = '/';
    }
    return at;
  }

  #put(path: string, content: string | Uint8Array): void {
    for (let at = posix.dirname(path); at !== '/'; at = posix.dirname(at))
      if (!this.#nodes.has(at)) this.#nodes.set(at, { type: 'folder' });
    this.#nodes.set(path, { type: 'file', content: Buffer.from(content) });
  }
}
