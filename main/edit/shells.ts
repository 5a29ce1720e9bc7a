// Shells that a researcher opens in a task to look around: a fresh container and its terminal, for as long as somebody watches. Nothing of it
// is recorded or graded.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uuidv7 } from 'uuidv7';
import { checkConfig } from '../check/check.ts';
import type { TailAnswer } from '../contract/watch.ts';
import { isAbort } from '../lib/abort.ts';
import { AppError, messageOf } from '../lib/errors.ts';
import { Tail } from '../lib/tail.ts';
import { withHostEnv } from '../rollout/host-env.ts';
import { type Lab, specOf } from '../rollout/lab.ts';
import { imageSource } from '../rollout/rollout.ts';
import { openShell } from '../rollout/shell.ts';
import type { Task } from '../task/task.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** A shell that nobody watches for so long is closed, in ms: enough for a reload of the page. */
const LEFT_ALONE_MS = 15_000;
/** Cursors from here on count the terminal's bytes; those below count the log of its start. */
const LIVE_FROM = 2 ** 40;
const CHUNK_BYTES = 65_536;
/** As long as timers can wait. */
const FOREVER_MS = 2 ** 31 - 1;

interface Shell {
  /** What happens until the shell is there: the image is built, the container starts. */
  starting: Tail;
  terminal: Terminal | null;
  controller: AbortController;
  watchers: number;
  alone: NodeJS.Timeout | undefined;
  done: Promise<void>;
}

export class TaskShells implements AsyncDisposable {
  readonly #lab: Lab;
  readonly #leftAloneMs: number;
  readonly #shells = new Map<string, Shell>();

  constructor(lab: Lab, leftAloneMs: number = LEFT_ALONE_MS) {
    this.#lab = lab;
    this.#leftAloneMs = leftAloneMs;
  }

  /** Answers the shell's id at once; what happens on the way to its prompt is the beginning of what `watch` reads. */
  open(task: Task, screen: { cols: number; rows: number }): string {
    if (task.unsupported !== null) throw new AppError('task.unsupported', `${task.name}: ${task.unsupported}`);
    const id = uuidv7();
    const shell: Shell = {
      starting: new Tail(),
      terminal: null,
      controller: new AbortController(),
      watchers: 0,
      alone: undefined,
      done: Promise.resolve(),
    };
    this.#shells.set(id, shell);
    shell.done = this.#run(id, task, screen, shell);
    this.#left(shell);
    return id;
  }

  /** Types into a shell; what is typed before its prompt is there is dropped. */
  async type(id: string, data: string): Promise<void> {
    await this.#require(id).terminal?.send(data);
  }

  async resize(id: string, cols: number, rows: number): Promise<void> {
    await this.#require(id).terminal?.resize(cols, rows);
  }

  /** Ends the shell and removes its container; answers when both are gone. A shell that is gone already is no failure. */
  async close(id: string): Promise<void> {
    const shell = this.#shells.get(id);
    shell?.controller.abort();
    await shell?.done;
  }

  /** Output from `cursor` on, as `rollouts.watchTerminal` gives it; parks at most `parkMs`. Watching is what keeps a shell open. */
  async watch(id: string, cursor: number, parkMs: number, signal: AbortSignal): Promise<TailAnswer> {
    const shell = this.#shells.get(id);
    if (!shell) return { kind: 'exit', cursor };
    clearTimeout(shell.alone);
    shell.watchers += 1;
    try {
      return await read(shell, cursor, AbortSignal.any([signal, AbortSignal.timeout(parkMs)]));
    } catch (error) {
      if (signal.aborted || !(isAbort(error) || (error instanceof Error && error.name === 'TimeoutError'))) throw error;
      return { kind: 'more', data: '', cursor };
    } finally {
      shell.watchers -= 1;
      if (shell.watchers === 0) this.#left(shell);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#shells.keys()].map((id) => this.close(id)));
  }

  #left(shell: Shell): void {
    clearTimeout(shell.alone);
    shell.alone = setTimeout(() => shell.controller.abort(), this.#leftAloneMs);
    shell.alone.unref();
  }

  #require(id: string): Shell {
    const shell = this.#shells.get(id);
    if (!shell) throw new AppError('request.not_found', 'this shell is closed', { hint: 'Open another one.' });
    return shell;
  }

  async #run(id: string, given: Task, screen: { cols: number; rows: number }, shell: Shell): Promise<void> {
    const { signal } = shell.controller;
    const say = (line: string) => shell.starting.append(Buffer.from(`${line.replaceAll('\n', '\r\n')}\r\n`));
    const folder = await mkdtemp(join(tmpdir(), 'termarium-shell-'));
    try {
      const config = checkConfig();
      const task = withHostEnv(given, config.sandbox.hostEnv);
      const provider = this.#lab.sandboxes(config.sandbox);
      say('Preparing the image …');
      const image = await provider.prepareImage(imageSource(task, config), { onLog: say, signal });
      say('Starting a container …');
      await using box = await provider.start(specOf(task, image, config, { shell: id }), signal);
      await using opened = await openShell(box, { task, agent: 'human' }, screen, join(folder, 'shell.cast'), signal);
      shell.terminal = opened.terminal;
      shell.starting.close();
      for (let why = ''; why !== 'exited'; ) why = (await opened.terminal.settle(FOREVER_MS, { early: false, signal })).reason;
    } catch (error) {
      if (!signal.aborted) say(error instanceof AppError ? [error.message, error.hint].filter(Boolean).join('\n') : messageOf(error));
    } finally {
      shell.starting.close();
      clearTimeout(shell.alone);
      await rm(folder, { recursive: true, force: true });
      // Those who watch read the rest and the end first; whoever comes later hears that it is gone.
      setTimeout(() => this.#shells.delete(id), signal.aborted ? 0 : this.#leftAloneMs).unref();
    }
  }
}

async function read(shell: Shell, cursor: number, signal: AbortSignal): Promise<TailAnswer> {
  if (cursor >= LIVE_FROM) return shell.terminal ? await readLive(shell.terminal, cursor, signal) : { kind: 'exit', cursor };
  if (shell.terminal && !shell.terminal.exited) return await screenOf(shell.terminal);
  const found = await shell.starting.next(cursor, signal, CHUNK_BYTES);
  switch (found.kind) {
    case 'more':
      return { kind: 'more', data: Buffer.from(found.data).toString('base64'), cursor: found.cursor };
    case 'lost':
      return { kind: 'more', data: '', cursor: found.oldest };
    case 'end':
      // It closed because the shell is there, or because it never will be.
      return shell.terminal && !shell.terminal.exited ? await screenOf(shell.terminal) : { kind: 'exit', cursor };
  }
}

async function readLive(terminal: Terminal, cursor: number, signal: AbortSignal): Promise<TailAnswer> {
  const found = await terminal.bytes.next(cursor - LIVE_FROM, signal, CHUNK_BYTES);
  if (found.kind === 'more') {
    return { kind: 'more', data: Buffer.from(found.data).toString('base64'), cursor: LIVE_FROM + found.cursor };
  }
  return found.kind === 'lost' && !terminal.exited ? await screenOf(terminal) : { kind: 'exit', cursor };
}

async function screenOf(terminal: Terminal): Promise<TailAnswer> {
  const { cursor, ...drawn } = await terminal.keyframe();
  return { kind: 'screen', ...drawn, cursor: LIVE_FROM + cursor };
}
