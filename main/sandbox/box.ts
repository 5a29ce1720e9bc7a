// What the parts of the Docker adapter know about one running container.
import type Docker from 'dockerode';
import { shellWord } from '../lib/shell-word.ts';
import { containerFailure } from './failure.ts';

export interface Box {
  docker: Docker;
  container: Docker.Container;
  /** Default user of programs started in it. */
  user: string | undefined;
  /** Root here has no capabilities, so it cannot signal other users' processes. */
  locked: boolean;
  /** What the image's ENTRYPOINT started; undefined where it has none. Replaced when the container is started again. */
  ofImage?: ImageProcesses;
}

/** Processes that are the image's and not the agent's. */
export interface ImageProcesses {
  /** Pids as the engine's host sees them. */
  outside: ReadonlySet<string>;
  /** The same inside the container, each as `pid:start time`, which tells a process from a later one with its pid. */
  inside: readonly string[];
}

/** A shell that cannot fork ends, and with PID 1 the container; on its way out it takes its own place instead. `$0` is this script. */
const sleepForever = 'trap \'exec sh -c "$0" "$0"\' EXIT; while :; do sleep 2147483647; done';

/**
 * Runs as PID 1: it starts again what an agent kills, and cannot be killed from inside, since the kernel delivers no signal to PID 1
 * that it has no handler for. Waiting for its child, a shell also reaps orphans. Works on any image with sh and sleep, busybox included.
 */
export const sleeper = ['sh', '-c', sleepForever, sleepForever];

/** Tells the lab the pid of a program before the program takes the place of this shell. Its output starts with that line. */
const announce = 'printf "%d\\n" "$$"; exec "$@"';
/**
 * The same in a TTY, where the program must not start before the TTY has its size, and may not be known yet: it is read, as `startLines`
 * writes it, up to an empty line.
 */
const announceAndWait = `printf "%d\\n" "$$"
termarium_text=
while IFS= read -r termarium_line && [ -n "$termarium_line" ]; do termarium_text=$termarium_text$termarium_line; done
eval "$(printf %b "$termarium_text")"`;

/** Longest line written to a waiting TTY: a terminal keeps at most 4,095 bytes of one. */
const lineBytes = 1_024;

/**
 * The lines that start a program in a TTY that `launch` opened: shell source in which all but printable ASCII is escaped, so that no
 * byte means anything to the terminal. `env` is set on top of what the shell has.
 */
export function startLines(command: readonly string[], env: Record<string, string>): string[] {
  const exported = Object.entries(env).map(([name, value]) => `export ${name}=${shellWord(value)}; `);
  const source = `unset termarium_text termarium_line; ${exported.join('')}exec ${command.map(shellWord).join(' ')}`;
  const safe = [...Buffer.from(source)]
    .map((byte) => (byte < 0x20 || byte > 0x7e || byte === 0x5c ? `\\0${byte.toString(8).padStart(3, '0')}` : String.fromCharCode(byte)))
    .join('');
  const lines: string[] = [];
  for (let at = 0; at < safe.length; at += lineBytes) lines.push(safe.slice(at, at + lineBytes));
  return [...lines, ''];
}

export interface Launch {
  /** Empty in a TTY: what it runs is told to it, see `startLines`. */
  command: string[];
  user?: string | undefined;
  cwd?: string | undefined;
  env?: Record<string, string> | undefined;
  tty: boolean;
  stdin: boolean;
}

/** Starts a program in the container. The stream is the raw connection: framed output without a TTY, bytes both ways with one. */
export async function launch(box: Box, what: Launch): Promise<{ exec: Docker.Exec; stream: NodeJS.ReadWriteStream & { destroy(): void } }> {
  const user = what.user ?? box.user;
  try {
    const exec = await box.container.exec({
      Cmd: ['sh', '-c', what.tty ? announceAndWait : announce, 'sh', ...what.command],
      AttachStdin: what.stdin,
      AttachStdout: true,
      AttachStderr: true,
      Tty: what.tty,
      Env: Object.entries(what.env ?? {}).map(([name, value]) => `${name}=${value}`),
      ...(user ? { User: user } : {}),
      ...(what.cwd ? { WorkingDir: what.cwd } : {}),
    });
    const stream = await exec.start({ hijack: true, stdin: what.stdin, Tty: what.tty });
    // A broken connection also ends the stream, which is what callers wait for.
    stream.on('error', () => {});
    return { exec, stream };
  } catch (error) {
    throw containerFailure(`start ${what.command[0] ?? 'a program'}`, box.container.id, error);
  }
}

/** Exit code of a started program; null while it runs. */
export async function exitCodeOf(exec: Docker.Exec): Promise<number | null> {
  const state = await exec.inspect();
  return state.Running ? null : state.ExitCode;
}
