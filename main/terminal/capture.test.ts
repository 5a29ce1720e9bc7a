// Holds what `capture` says against a real tmux, whose history has the same odd way of dropping a tenth of itself.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTerminal } from './session.ts';

const missing =
  (await execa('tmux', ['-V'], { reject: false })).exitCode === 0 ? '' : 'tmux is not installed, skipping the tests of capture';
if (missing) console.warn(missing);

/** Bytes as tmux shows them, once its client has read the last word of them. */
async function inTmux(script: string, last: string): Promise<{ all: string; screen: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'lab-tmux-'));
  const tmux = (...args: string[]) =>
    execa('tmux', ['-S', join(folder, 'socket'), '-f', '/dev/null', ...args], { stripFinalNewline: false });
  onTestFinished(async () => {
    await tmux('kill-server');
    await rm(folder, { recursive: true });
  });
  await tmux('new-session', '-x', '80', '-y', '24', '-d', '-s', 's', `bash -c '${script}; read'`);
  await expect.poll(async () => (await tmux('capture-pane', '-p', '-t', 's')).stdout, { timeout: 10_000 }).toContain(last);
  return {
    all: (await tmux('capture-pane', '-p', '-S', '-', '-t', 's')).stdout,
    screen: (await tmux('capture-pane', '-p', '-t', 's')).stdout,
  };
}

async function captured(script: string): Promise<{ all: string; screen: string }> {
  const { stdout } = await execa('bash', ['-c', script], { stripFinalNewline: false });
  const terminal = await openTerminal(
    {
      output: Readable.from([Buffer.from(stdout.replaceAll('\n', '\r\n'))]),
      exited: new Promise(() => {}),
      write: async () => {},
      resize: async () => {},
      async [Symbol.asyncDispose]() {},
    },
    { cols: 80, rows: 24, everyRow: true },
  );
  onTestFinished(() => terminal[Symbol.asyncDispose]());
  while (!terminal.exited) await terminal.settle(1_000);
  return terminal.capture(2000);
}

describe.skipIf(missing !== '')('every row of a terminal', () => {
  it.each([
    ['a few rows', 'seq 3', '3'],
    ['rows that wrap, end in blanks, or are empty', 'printf "%0100d  \\n\\n  x  \\nend" 7', 'end'],
    ['as much history as is kept', 'seq 2023', '2023'],
    ['a row more', 'seq 2024', '2024'],
    ['so much that the oldest tenth was dropped several times', 'seq 2999', '2999'],
    ['a flood', 'seq 30000', '30000'],
  ])('is what tmux says: %s', async (_, script, last) => {
    expect(await captured(script)).toEqual(await inTmux(script, last));
  });
});
