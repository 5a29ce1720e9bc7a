// A program in a TTY of the container, as a byte pipe.
import type Docker from 'dockerode';
import { delay } from '../lib/abort.ts';
import type { TtyConnection, TtyRequest } from '../lib/connection.ts';
import { AppError, messageOf } from '../lib/errors.ts';
import { type Box, exitCodeOf, launch } from './box.ts';
import { containerFailure } from './failure.ts';
import { killTree } from './processes.ts';

type Socket = Awaited<ReturnType<typeof launch>>['stream'] & import('node:stream').Duplex;

/**
 * Opens a TTY and starts the program once the TTY has its size. The output is the engine's connection itself: a reader that stops
 * reading stops the program, byte for byte, once the buffers between them are full; so its end shows when the output was read to its end. `onClose` gets the work of ending the program.
 */
export async function openTty(box: Box, request: TtyRequest, onClose: (ending: Promise<unknown>) => void): Promise<TtyConnection> {
  const env = { TERM: 'xterm-256color', ...request.env };
  const { exec, stream } = await launch(box, { ...request, env, tty: true, stdin: true });
  // dockerode types the hijacked socket as a bare stream; with `hijack` it is the net.Socket.
  const socket = stream as Socket;
  try {
    const pid = await readPid(socket, request.command[0] ?? '');
    await resizeTty(box, exec, request.cols, request.rows);
    const start = skipLine(socket);
    socket.write('\n');
    await start;
    return new Tty(box, exec, socket, { pid, user: request.user ?? box.user, onClose });
  } catch (error) {
    socket.destroy();
    throw error;
  }
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
async function readPid(socket: Socket, name: string): Promise<number> {
  const line = await takeLine(socket);
  const pid = /^(\d+)\r?\n$/.exec(line);
  if (pid) return Number(pid[1]);
  throw new AppError('sandbox.start_failed', `cannot start ${name} in a terminal: ${line.trim() || 'the engine closed the connection'}`, {
    hint: 'The image needs a POSIX shell named sh, and the user and working directory must exist in it.',
  });
}

/** The line feed that lets the program start is echoed by the TTY; it is not the program's. */
async function skipLine(socket: Socket): Promise<void> {
  await takeLine(socket);
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
