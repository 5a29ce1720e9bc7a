// A viewer that never reads, while 200 MB are printed: what is kept for it, and what the process grows by.
import { openTerminal } from '../main/terminal/session.ts';
import type { Report } from './report.ts';
import { benchBox } from './terminal.ts';

const SIZE = { cols: 160, rows: 40 };
const BYTES = 200_000_000;
const COMMAND = ['sh', '-c', `yes 'a line of output that nobody reads, again and again' | head -c ${BYTES}`];

/** Reports the most that is queued at any time (bytes kept for viewers and unread bytes of the connection), growth and speed. */
export async function run(report: Report): Promise<void> {
  const tell = (metric: string, value: number, unit: string, bar: string | null = null) =>
    report({ bench: 'stalled', metric, value: Number(value.toPrecision(4)), unit, bar });
  await using bench = await benchBox();
  const before = process.memoryUsage().rss;
  let queued = 0;
  let grown = 0;
  const start = performance.now();
  const connection = await bench.box.openTty({ command: COMMAND, ...SIZE });
  await using terminal = await openTerminal(connection, SIZE);
  const viewer = { cursor: terminal.bytes.oldest };
  const sampling = setInterval(() => {
    queued = Math.max(queued, terminal.bytes.held + connection.output.readableLength);
    grown = Math.max(grown, process.memoryUsage().rss - before);
  }, 5);
  const { reason } = await terminal.settle(300_000);
  clearInterval(sampling);
  const seconds = (performance.now() - start) / 1000;
  if (reason !== 'exited' || terminal.bytes.end < BYTES) throw new Error('the output did not arrive whole');
  if (terminal.bytes.read(viewer.cursor)?.kind !== 'lost') throw new Error('the viewer was not told that it lost its place');
  tell('queued at most', queued / 1e6, 'MB', '<= 5');
  tell('growth of the process at most', grown / 1e6, 'MB');
  tell('throughput', BYTES / 1e6 / seconds, 'MB/s');
}
