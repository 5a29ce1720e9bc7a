// A TTY in memory: echoes what is typed, as a terminal's line discipline does, and hands whole lines to a shell that the test gives.
import { PassThrough } from 'node:stream';
import type { TtyConnection, TtyRequest } from '../lib/connection.ts';
import { AppError } from '../lib/errors.ts';
import type { ScriptedShell } from './scripted.ts';
import type { ScriptedFiles } from './scripted-files.ts';

const prompt = '$ ';

export class ScriptedTty implements TtyConnection {
  readonly output = new PassThrough();
  readonly exited: Promise<number | null>;
  readonly #shell: ScriptedShell;
  readonly #files: ScriptedFiles;
  readonly #left: () => void;
  readonly #exit: (code: number | null) => void;
  #size: { cols: number; rows: number };
  #line = '';
  #lines: Promise<void> = Promise.resolve();
  #over = false;

  constructor(request: TtyRequest, shell: ScriptedShell, files: ScriptedFiles, ended: AbortSignal, left: () => void) {
    this.#size = { cols: request.cols, rows: request.rows };
    this.#shell = shell;
    this.#files = files;
    this.#left = left;
    const { promise, resolve } = Promise.withResolvers<number | null>();
    this.exited = promise;
    this.#exit = resolve;
    ended.addEventListener('abort', () => this.#finish(137), { once: true });
    this.output.write(prompt);
  }

  async write(data: string | Uint8Array): Promise<void> {
    if (this.#over) throw new AppError('sandbox.lost', 'the program in this terminal has ended');
    for (const char of Buffer.from(data).toString('utf8')) {
      if (char !== '\n' && char !== '\r') {
        this.#line += char;
        this.output.write(char);
        continue;
      }
      this.output.write('\r\n');
      const line = this.#line;
      this.#line = '';
      this.#lines = this.#lines.then(() => this.#run(line));
    }
    await this.#lines;
  }

  async resize(cols: number, rows: number): Promise<void> {
    this.#size = { cols, rows };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#finish(null);
    this.output.destroy();
  }

  async #run(line: string): Promise<void> {
    const exit = /^exit(?: (\d+))?$/.exec(line.trim());
    if (exit) return this.#finish(Number(exit[1] ?? 0));
    const text = line.trim() === 'stty size' ? `${this.#size.rows} ${this.#size.cols}\n` : await this.#shell(line, this.#files);
    if (!this.#over) this.output.write(`${text.replaceAll('\n', '\r\n')}${prompt}`);
  }

  #finish(code: number | null): void {
    if (this.#over) return;
    this.#over = true;
    this.#left();
    this.output.end();
    this.#exit(code);
  }
}
