// The command line as a user or a script meets it: a process of its own, its two streams and its exit code.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const cli = join(import.meta.dirname, '..', 'main', 'cli.ts');

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Standard output as JSON lines. Throws where it is anything else. */
  lines(): Record<string, unknown>[];
}

export interface CliProcess {
  pid: number;
  /** Resolves with everything that was written to standard output and error, once this appears in it. */
  said(text: string): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<CliResult>;
}

/** Starts `termarium …`. Variables of `env` are added to this process's; undefined takes one away. */
export function startCli(args: string[], env: Record<string, string | undefined> = {}): CliProcess {
  const child = spawn(process.execPath, [cli, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, TERMARIUM_LOG: undefined, ...env },
  });
  let stdout = '';
  let stderr = '';
  const listeners = new Set<() => void>();
  const heard = () => {
    for (const listener of listeners) listener();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    heard();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    heard();
  });
  const ended = new Promise<CliResult>((resolve) => {
    child.on('close', (code) => {
      const lines = () =>
        stdout
          .split('\n')
          .filter((line) => line !== '')
          .map((line): Record<string, unknown> => JSON.parse(line));
      resolve({ code, stdout, stderr, lines });
      heard();
    });
  });
  return {
    pid: child.pid ?? 0,
    said: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!stdout.includes(text) && !stderr.includes(text)) {
            if (child.exitCode === null && child.signalCode === null) return;
            reject(new Error(`it ended without a word of ${text}: ${stdout}${stderr}`));
          }
          listeners.delete(look);
          resolve(stdout + stderr);
        };
        listeners.add(look);
        look();
      }),
    kill: (signal) => child.kill(signal),
    ended,
  };
}

/** Runs `termarium …` to its end. */
export async function termarium(args: string[], env: Record<string, string | undefined> = {}): Promise<CliResult> {
  return await startCli(args, env).ended;
}
