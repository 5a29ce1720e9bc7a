// Seeking in a recording of 50 MB: what the lab takes to find the screen and the events, and a terminal to have drawn them.
import { mkdtempDisposable, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import headless from '@xterm/headless';
import { createTimelines } from '../main/terminal/timeline.ts';
import { writeRecording } from '../testing/recording.ts';
import { quantile, type Report } from './report.ts';

const BYTES = 50_000_000;
const TURNS = 2_000;
const SEEKS = 300;

export async function run(report: Report): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'termarium-bench-'));
  const path = join(folder.path, 'long.cast');
  const line = (turn: number, row: number) =>
    `\u001b[32m${turn}\u001b[0m.${row} ${'compiling src/module.c with every warning '.repeat(3)}\r\n`;
  const rows = Math.ceil(BYTES / TURNS / 150 / 20);
  await writeRecording(
    path,
    Array.from({ length: TURNS }, (_, turn) => ({
      seconds: 10,
      outputs: Array.from({ length: 20 }, (_, part) => Array.from({ length: rows }, (_, row) => line(turn, part * rows + row)).join('')),
    })),
  );
  const tell = (metric: string, value: number, unit: string, bar: string | null = null) =>
    report({ bench: 'replay', metric, value: Number(value.toPrecision(4)), unit, bar });
  tell('recording', (await stat(path)).size / 1e6, 'MB');

  const timelines = createTimelines();
  let began = performance.now();
  const { seconds } = await timelines.read(path);
  tell('opened', performance.now() - began, 'ms', '<= 500');

  const terminal = new headless.Terminal({ cols: 160, rows: 40, allowProposedApi: true });
  const found: number[] = [];
  const drawn: number[] = [];
  for (let seek = 0; seek < SEEKS; seek += 1) {
    // Spread over the whole recording, never in its order.
    const at = ((seek * 0.618) % 1) * seconds;
    began = performance.now();
    const answer = await timelines.seek(path, at);
    found.push(performance.now() - began);
    terminal.reset();
    const events = (answer?.events ?? '').split('\n').flatMap((text) => (text === '' ? [] : [JSON.parse(text)]));
    const output = events.map(([, kind, text]) => (kind === 'o' ? text : '')).join('');
    await new Promise<void>((resolve) => terminal.write((answer?.screen ?? '') + output, resolve));
    drawn.push(performance.now() - began);
  }
  tell('seek, found p95', quantile(found, 0.95), 'ms');
  tell('seek, drawn p50', quantile(drawn, 0.5), 'ms');
  tell('seek, drawn p95', quantile(drawn, 0.95), 'ms', '<= 150');
}
