// Runs one program to its end: output demultiplexed and bounded, the whole process tree ended when time is up.
import type Docker from 'dockerode';
import { delay } from '../lib/abort.ts';
import { AppError } from '../lib/errors.ts';
import { type Box, exitCodeOf, launch } from './box.ts';
import { containerFailure } from './failure.ts';
import { createDemux } from './frames.ts';
import { KeptOutput } from './kept.ts';
import { killTree, restart } from './processes.ts';
import type { ExecOptions, ExecResult } from './sandbox.ts';

const defaultOutputLimit = 1024 * 1024;
/** What a shell reports for a program that SIGKILL ended. */
const killedExitCode = 137;
const startWithinMs = 8_000;
/** An ended program's output is complete once none came for so long, or so long after its end at the latest. */
const quietMs = 200;
const lateOutputMs = 2_000;
/** Exit codes that Docker gives when it could not start the program at all. */
const notStarted = new Set([126, 127]);

/** Runs a program; see `Sandbox.exec`. */
export async function runExec(box: Box, command: string[], options: ExecOptions = {}): Promise<ExecResult> {
  options.signal?.throwIfAborted();
  const { exec, stream } = await launch(box, { ...options, command, tty: false, stdin: options.stdin !== undefined });
  const kept = new KeptOutput(options.outputLimit ?? defaultOutputLimit);
  const header = pidHeader((name, bytes) => {
    kept.push(name, bytes);
    options.onOutput?.(bytes);
  });
  const closed = new Promise<void>((resolve) => {
    stream.on('end', resolve);
    stream.on('close', resolve);
  });
  stream.on('data', createDemux(header.take));
  if (options.stdin !== undefined) stream.end(options.stdin);

  const stop = new AbortController();
  const ended = Promise.race([closed, endedSilently(exec, header, stop.signal)]);
  try {
    const why = await firstOf(ended, options.timeoutMs, options.signal);
    if (why !== 'ended') {
      // It may not have started yet: on a busy machine that alone can take longer than a short limit.
      await Promise.race([header.started, ended, delay(startWithinMs)]);
      await endTree(box, header.pid(), options.user ?? box.user);
      if (why === 'aborted') throw options.signal?.reason;
    }
    header.flush();
    const exitCode = why === 'timeout' ? killedExitCode : await settledExitCode(box, exec);
    const { stdout, stderr, omittedBytes } = kept.finish();
    const timedOut = why === 'timeout';
    // The engine prints why it could not start a program where the program's output would be.
    if (header.pid() === null && notStarted.has(exitCode)) return { exitCode, stdout: '', stderr: stdout + stderr, timedOut, omittedBytes };
    return { exitCode, stdout, stderr, timedOut, omittedBytes };
  } finally {
    stop.abort();
    stream.destroy();
  }
}

interface PidHeader {
  take(stream: 'stdout' | 'stderr', bytes: Uint8Array): void;
  /** Pid of the program inside the container; null where it did not start. */
  pid(): number | null;
  /** Resolves with the first output. */
  started: Promise<void>;
  /** When output last came, in ms of the monotonic clock. */
  lastOutput(): number;
  /** Hands on what was held back while it could still have been the header. */
  flush(): void;
}

/** Takes the launcher's first line off stdout and passes everything else on. */
function pidHeader(onBytes: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void): PidHeader {
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  let pid: number | null = null;
  let held: Buffer | null = Buffer.alloc(0);
  let last = performance.now();
  const flush = () => {
    if (held && held.length > 0) onBytes('stdout', held);
    held = null;
  };
  return {
    pid: () => pid,
    started,
    lastOutput: () => last,
    flush,
    take(stream, bytes) {
      last = performance.now();
      if (stream === 'stderr' || held === null) return onBytes(stream, bytes);
      held = Buffer.concat([held, bytes]);
      const line = /^(\d+)\n/.exec(held.subarray(0, 16).toString('latin1'));
      if (line) {
        pid = Number(line[1]);
        held = held.subarray(line[0].length);
        flush();
        start();
      } else if (!/^\d{0,10}$/.test(held.toString('latin1'))) {
        flush();
        start();
      }
    },
  };
}

async function firstOf(ended: Promise<void>, timeoutMs?: number, signal?: AbortSignal): Promise<'ended' | 'timeout' | 'aborted'> {
  const over = new AbortController();
  const waiting: Promise<'ended' | 'timeout' | 'aborted'>[] = [ended.then(() => 'ended')];
  if (timeoutMs !== undefined) {
    waiting.push(
      delay(timeoutMs, over.signal).then(
        () => 'timeout',
        () => 'timeout',
      ),
    );
  }
  if (signal) {
    waiting.push(
      new Promise((resolve) => {
        if (signal.aborted) resolve('aborted');
        signal.addEventListener('abort', () => resolve('aborted'), { once: true, signal: over.signal });
      }),
    );
  }
  try {
    return await Promise.race(waiting);
  } finally {
    over.abort();
  }
}

/**
 * Resolves when the program has ended although something it left behind keeps its output open, silent or not; the engine would wait for
 * seconds, or forever, depending on its version.
 */
async function endedSilently(exec: Docker.Exec, header: PidHeader, signal: AbortSignal): Promise<void> {
  const never = new Promise<void>(() => {});
  try {
    for (let pause = 250; ; pause = Math.min(pause * 1.5, 1_000)) {
      await delay(pause, signal);
      if ((await exitCodeOf(exec)) !== null) break;
    }
    // Output that was written before the end may still be on its way; what comes later is not the program's.
    const noLater = performance.now() + lateOutputMs;
    while (performance.now() - header.lastOutput() < quietMs && performance.now() < noLater) await delay(quietMs / 4, signal);
  } catch {
    // Over, or the engine is gone: then the stream ends too.
    return never;
  }
}

/** Ends the program and everything it started, by force if need be. */
async function endTree(box: Box, pid: number | null, user: string | undefined): Promise<void> {
  if (pid === null || !(await killTree(box, pid, user))) await restart(box);
}

/** The output ends a moment before the engine has written down the exit code. */
async function settledExitCode(box: Box, exec: Docker.Exec): Promise<number> {
  try {
    for (let pause = 1; pause < 5_000; pause *= 2) {
      const code = await exitCodeOf(exec);
      if (code !== null) return code;
      await delay(pause);
    }
  } catch (error) {
    throw containerFailure('read an exit code', box.container.id, error);
  }
  throw new AppError('sandbox.lost', `container ${box.container.id.slice(0, 12)} closed a program's output but never ended it`);
}
