// What a terminal costs: throughput through screen and recorder against the bare stream, and the time from a key to an idle shell.
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TtyConnection } from '../main/lib/connection.ts';
import { createDockerProvider } from '../main/sandbox/docker.ts';
import { currentOwner } from '../main/sandbox/labels.ts';
import type { Sandbox, SandboxProvider } from '../main/sandbox/sandbox.ts';
import { openRecorder } from '../main/terminal/recorder.ts';
import { openTerminal } from '../main/terminal/session.ts';
import { shellCommand } from '../main/terminal/shell.ts';
import { quantile, type Report } from './report.ts';

const SIZE = { cols: 160, rows: 40 };
const COMMAND = ['seq', '1', '3000000'];
const ROUNDS = 5;
const KEYS = 300;

/** A provider for benches, and a container of the base image to run them in. */
export async function benchBox(): Promise<{ provider: SandboxProvider; box: Sandbox } & AsyncDisposable> {
  const log = { info: () => {}, warn: () => {} };
  const provider = createDockerProvider({ lab: 'bench', owner: currentOwner(), aliases: {}, log });
  const image = await provider.prepareImage({ reference: 'termarium/base:1' }, {});
  const box = await provider.start({
    image,
    resources: {},
    network: { mode: 'none', allowedHosts: [] },
    profile: 'compatible',
    env: {},
    labels: {},
  });
  return {
    provider,
    box,
    async [Symbol.asyncDispose]() {
      await box[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

/** Reports the ratio of both ways in the same run, best of each, and latencies of `true` at a prompt. */
export async function run(report: Report): Promise<void> {
  const tell = (metric: string, value: number, unit: string, bar: string | null = null) =>
    report({ bench: 'terminal', metric, value: Number(value.toPrecision(4)), unit, bar });
  await using bench = await benchBox();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'termarium-bench-'));
  const open = () => bench.box.openTty({ command: COMMAND, ...SIZE });

  const raw: number[] = [];
  const parsed: number[] = [];
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    raw.push(
      await timed(async () => {
        bytes = await drain(await open());
      }),
    );
    await using recorder = await openRecorder(join(folder.path, 'terminal.cast'), SIZE);
    parsed.push(
      await timed(async () => {
        await using terminal = await openTerminal(await open(), { ...SIZE, recorder });
        await terminal.observe();
        const { reason } = await terminal.settle(120_000);
        const { omittedBytes } = await terminal.observe();
        if (reason !== 'exited' || omittedBytes < 20_000_000) throw new Error('the output did not arrive whole');
        await recorder.flushed();
      }),
    );
  }
  tell('raw stream', bytes / 1e6 / Math.min(...raw), 'MB/s');
  tell('screen and recorder', bytes / 1e6 / Math.min(...parsed), 'MB/s');
  tell('screen and recorder, of raw', Math.min(...raw) / Math.min(...parsed), 'x', '>= 0.55');

  const shell = shellCommand();
  await using terminal = await openTerminal(await bench.box.openTty({ ...shell, ...SIZE }), { ...SIZE, token: shell.token });
  await terminal.ready(10_000);
  const waits: number[] = [];
  for (let key = 0; key < KEYS; key += 1) {
    waits.push(
      await timed(async () => {
        await terminal.send('true\r');
        await terminal.settle(5_000);
      }),
    );
  }
  tell('key to idle, p50', quantile(waits, 0.5) * 1000, 'ms');
  tell('key to idle, p95', quantile(waits, 0.95) * 1000, 'ms');
}

/** Seconds. */
async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

async function drain(connection: TtyConnection): Promise<number> {
  let bytes = 0;
  for await (const chunk of connection.output as AsyncIterable<Uint8Array>) bytes += chunk.length;
  await connection[Symbol.asyncDispose]();
  return bytes;
}
