// A program in a TTY of the container, as a byte pipe.
import type Docker from 'dockerode';
import { delay } from '../lib/abort.ts';
import type { TtyConnection, TtyRequest } from '../lib/connection.ts';
import { AppError, messageOf } from '../lib/errors.ts';
import { type Box, exitCodeOf, type Launch, launch, startLines } from './box.ts';
import { containerFailure } from './failure.ts';
import { killTree } from './processes.ts';

type Socket = Awaited<ReturnType<typeof launch>>['stream'] & import('node:stream').Duplex;

/** A TTY whose shell waits to be told what to run. */
export interface WaitingTty {
  exec: Docker.Exec;
  socket: Socket;
  /** Pid of the shell, and of the program that takes its place, inside the container. */
  pid: number;
  user: string | undefined;
}

/** Opens a TTY. Nothing runs in it but a shell that waits for `startInTty`. */
export async function launchTty(box: Box, { user, cwd, env }: Pick<Launch, 'user' | 'cwd' | 'env'>): Promise<WaitingTty> {
  const { exec, stream } = await launch(box, { command: [], user, cwd, env: { TERM: 'xterm-256color', ...env }, tty: true, stdin: true });
  // dockerode types the hijacked socket as a bare stream; with `hijack` it is the net.Socket.
  const socket = stream as Socket;
  try {
    return { exec, socket, pid: await readPid(socket), user: user ?? box.user };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/**
 * Starts a program in a waiting TTY once that has its size; `env` is added to what it has. The output is the engine's connection itself: a
 * reader that stops reading stops the program, byte for byte, once the buffers between them are full; so its end shows when the output was
 * read to its end. `onClose` gets the work of ending the program.
 */
export async function startInTty(
  box: Box,
  { exec, socket, pid, user }: WaitingTty,
  request: Pick<TtyRequest, 'command' | 'env' | 'cols' | 'rows'>,
  onClose: (ending: Promise<unknown>) => void,
): Promise<TtyConnection> {
  try {
    await resizeTty(box, exec, request.cols, request.rows);
    const lines = startLines(request.command, request.env ?? {});
    socket.write(lines.map((line) => `${line}\n`).join(''));
    // The TTY echoes the lines; they are not the program's.
    for (const _ of lines) await takeLine(socket);
    return new Tty(box, exec, socket, { pid, user, onClose });
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Closes a TTY that nothing was started in. */
export async function abandonTty(box: Box, { socket, pid, user }: WaitingTty): Promise<void> {
  socket.destroy();
  await killTree(box, pid, user);
}

class Tty implements TtyConnection {
  readonly output: Socket;
  readonly exited: Promise<number | null>;
  readonly #box: Box;
  readonly #exec: Docker.Exec;
  readonly #program: { pid: number; user: string | undefined; onClose: (ending: Promise<unknown>) => void };
  #ended = false;

  constructor(
    box: Box,
    exec: Docker.Exec,
    socket: Socket,
    program: { pid: number; user: string | undefined; onClose: (ending: Promise<unknown>) => void },
  ) {
    this.#box = box;
    this.#exec = exec;
    this.#program = program;
    this.output = socket;
    this.exited = new Promise<void>((resolve) => {
      socket.once('end', resolve);
      socket.once('close', resolve);
    }).then(() => this.#exitCode());
  }

  write(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.output.write(data, (error) => {
        if (error) reject(new AppError('sandbox.lost', `cannot write to the terminal: ${messageOf(error)}`, { cause: error }));
        else resolve();
      });
    });
  }

  async resize(cols: number, rows: number): Promise<void> {
    if (!this.#ended) await resizeTty(this.#box, this.#exec, cols, rows);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.output.destroy();
    if (this.#ended) return;
    this.#ended = true;
    // Closing the connection does not end the program. Ending it is no business of whoever closes a terminal, so nobody waits here.
    this.#program.onClose(killTree(this.#box, this.#program.pid, this.#program.user));
  }

  async #exitCode(): Promise<number | null> {
    try {
      // The engine closes the stream a moment before it has the exit code. A connection that we closed says nothing about an end.
      for (let pause = 1; pause < 1_000; pause *= 2) {
        const code = await exitCodeOf(this.#exec);
        if (code !== null) {
          this.#ended = true;
          return code;
        }
        await delay(pause);
      }
    } catch {
      // The container is gone, and the exit code with it.
    }
    return null;
  }
}

async function resizeTty(box: Box, exec: Docker.Exec, cols: number, rows: number): Promise<void> {
  try {
    await exec.resize({ w: cols, h: rows });
  } catch (error) {
    // A program that has just ended has no TTY to resize.
    if ((await exitCodeOf(exec).catch(() => 0)) !== null) return;
    throw containerFailure('resize a terminal', box.container.id, error);
  }
}

/** First line of the launcher. Anything else is the engine saying why there is no program. */
async function readPid(socket: Socket): Promise<number> {
  const line = await takeLine(socket);
  const pid = /^(\d+)\r?\n$/.exec(line);
  if (pid) return Number(pid[1]);
  throw new AppError('sandbox.start_failed', `cannot open a terminal: ${line.trim() || 'the engine closed the connection'}`, {
    hint: 'The image needs a POSIX shell named sh, and the user and working directory must exist in it.',
  });
}

/** Takes one line off the front of a socket and leaves the rest in it, paused. At its end, what there was. */
function takeLine(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let held = Buffer.alloc(0);
    const done = () => {
      socket.off('readable', read);
      socket.off('end', done);
      socket.off('close', done);
      const end = held.indexOf(0x0a) + 1 || held.length;
      if (held.length > end) socket.unshift(held.subarray(end));
      resolve(held.subarray(0, end).toString('utf8'));
    };
    const read = () => {
      for (;;) {
        // No encoding is set on the socket, so it yields buffers.
        const chunk = socket.read() as Buffer | null;
        if (chunk === null) return;
        held = Buffer.concat([held, chunk]);
        if (held.includes(0x0a)) return done();
      }
    };
    socket.on('readable', read);
    socket.once('end', done);
    socket.once('close', done);
    read();
  });
}
