// A TTY on this machine, through node-pty: for tests, and for what the lab runs beside containers.
import { Readable } from 'node:stream';
import type { TtyConnection, TtyRequest } from '../lib/connection.ts';

/** Bytes read ahead of the reader before the program at the other end is made to wait. */
const READ_AHEAD = 256 * 1024;

/**
 * Starts a program in a local TTY. The environment is this process's own with `request.env` over it. Fails with node-pty's error
 * where the program or the folder does not exist, or the native module does not load.
 */
export async function openLocalTty(request: TtyRequest): Promise<TtyConnection> {
  const { spawn } = await import('node-pty');
  const [program = 'sh', ...args] = request.command;
  const pty = spawn(program, args, {
    cols: request.cols,
    rows: request.rows,
    ...(request.cwd === undefined ? {} : { cwd: request.cwd }),
    env: { ...process.env, ...request.env },
    encoding: null,
  });
  const output = new Readable({ highWaterMark: READ_AHEAD, read: () => pty.resume() });
  // Without an encoding node-pty hands over buffers; its types know only the other case.
  pty.onData((chunk: string | Buffer) => {
    if (!output.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)) pty.pause();
  });
  let gone = false;
  const exited = new Promise<number | null>((resolve) => {
    pty.onExit(({ exitCode }) => {
      gone = true;
      output.push(null);
      resolve(exitCode);
    });
  });
  return {
    output,
    exited,
    async write(data) {
      // node-pty passes a Buffer through as it is; its types ask for text.
      if (!gone) pty.write(typeof data === 'string' ? data : (Buffer.from(data) as unknown as string));
    },
    async resize(cols, rows) {
      if (!gone) pty.resize(cols, rows);
    },
    async [Symbol.asyncDispose]() {
      if (gone) return;
      pty.resume();
      pty.kill('SIGKILL');
      await exited;
      output.destroy();
    },
  };
}
