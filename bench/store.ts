// Speed of the store on this machine: appends that each are a transaction of their own, and the read behind a row watch.
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runConfig } from '../main/contract/schema/config.ts';
import { openStore } from '../main/store/open.ts';
import type { NewRollout, Store } from '../main/store/store.ts';

/** One line of a bench; `bar` reads like `"<= 1.25"`, null where the figure is only told. */
export interface Measured {
  bench: string;
  metric: string;
  value: number;
  unit: string;
  bar: string | null;
}

/** Each figure is that of the best of so many series: whatever else runs on the machine can only make one worse. */
const seriesCount = 5;

const config = runConfig.parse({ tasks: ['bench'] });

/** Measures in a fresh data folder on the temporary file system, which is removed afterwards. */
export async function run(report: (measured: Measured) => void): Promise<void> {
  const tell = (metric: string, value: number, unit: string, bar: string | null = null) =>
    report({ bench: 'store', metric, value: Number(value.toPrecision(4)), unit, bar });
  {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'termarium-bench-'));
    using store = openStore(folder.path);
    measureWrites(store, tell);
  }
  {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'termarium-bench-'));
    using store = openStore(folder.path);
    measureReads(store, tell);
  }
  {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'termarium-bench-'));
    using store = openStore(folder.path);
    await measureParked(store, tell);
  }
}

type Tell = (metric: string, value: number, unit: string, bar?: string | null) => void;

function measureWrites(store: Store, tell: Tell): void {
  const ids = startRun(store, 1000);
  const statuses = ['starting', 'running', 'verifying', 'finished'] as const;
  const pick = (index: number) => ids[index % ids.length] ?? '';
  // Event, rollout row and revision; every status change also moves a counter of the run.
  tell(
    'append (event, row, rev)',
    perSecond(20_000, (n) => store.rollouts.update(pick(n), 'turn', { turns: n, promptTokens: n * 900 })),
    '1/s',
    '>= 5000',
  );
  tell(
    'append that changes counters',
    perSecond(20_000, (n) => store.rollouts.update(pick(n), 'step', { status: statuses[Math.floor(n / ids.length) % 4] ?? 'running' })),
    '1/s',
    '>= 5000',
  );
  tell(
    'event alone',
    perSecond(20_000, (n) => store.events.append(pick(n), 'note', { n })),
    '1/s',
  );

  const words = Array.from({ length: 4000 }, (_, n) => `word${(n * 7919) % 9973}`);
  const observation = (n: number) => words.slice(n % 3000, (n % 3000) + 200).join(' ');
  const node = { parentId: null, turn: 1, author: 'environment', role: 'user', reasoning: null, format: null } as const;
  const counts = { promptTokens: null, completionTokens: null, stopReason: null, tokenIds: null, logprobs: null, tokens: null };
  tell(
    'observation of 1.6 KB, with its text index',
    perSecond(5000, (n) =>
      store.nodes.append({ rolloutId: pick(n), ...node, ...counts, content: observation(n), sampled: false, timings: {} }),
    ),
    '1/s',
  );
  const long = 'y'.repeat(6000);
  tell(
    'observation over 4 KiB, with its blob',
    perSecond(500, (n) =>
      store.nodes.append({
        rolloutId: pick(n),
        ...node,
        ...counts,
        content: `${observation(n)} ${n} ${long}`,
        sampled: false,
        timings: {},
      }),
    ),
    '1/s',
  );
}

function measureReads(store: Store, tell: Tell): void {
  const ids = startRun(store, 50_000);
  const runId = store.rollouts.get(ids[0] ?? '')?.runId ?? '';
  const p50: number[] = [];
  const p99: number[] = [];
  for (let series = 0; series < seriesCount; series += 1) {
    const times = Array.from({ length: 200 }, (_, round) => {
      const cursor = store.rev;
      for (let n = 0; n < 50; n += 1) store.rollouts.update(ids[(round * 7919 + n * 997) % ids.length] ?? '', 'turn', { turns: round });
      return timed(() => {
        const { rows } = store.rollouts.read({ runId }, cursor);
        if (rows.length !== 50) throw new Error(`expected 50 changed rows, got ${rows.length}`);
      });
    });
    p50.push(quantile(times, 0.5));
    p99.push(quantile(times, 0.99));
  }
  tell('watch read, 50 of 50,000 rows, p50', Math.min(...p50), 'ms');
  tell('watch read, 50 of 50,000 rows, p99', Math.min(...p99), 'ms', '<= 2');

  for (let run = 0; run < 5000; run += 1) store.runs.create(config, `run ${run}`, queued(10));
  const list = Array.from({ length: 50 }, () => timed(() => store.runs.read()));
  tell('first page of 5,000 runs with 100,000 rollouts, p50', quantile(list, 0.5), 'ms', '<= 16');
}

/** What 1,000 parked watches of other rollouts add to a write: they must not be looked at. */
async function measureParked(store: Store, tell: Tell): Promise<void> {
  const ids = startRun(store, 1001);
  const busy = ids[0] ?? '';
  const write = (n: number) => store.rollouts.update(busy, 'turn', { turns: n });
  // Alternating, and the median of the ratios: what else runs on this machine then falls on both sides.
  const ratios: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    const alone = perSecond(3000, write);
    const leave = new AbortController();
    const parked = ids.slice(1).map((scope) => store.wait(['rollout', 'node'], store.rev, leave.signal, { scope }).catch(() => undefined));
    ratios.push(alone / perSecond(3000, write));
    leave.abort();
    await Promise.all(parked);
  }
  tell('write with 1,000 parked watches, against none', quantile(ratios, 0.5), 'x', '<= 1.25');
}

function queued(count: number): NewRollout[] {
  const task = { taskId: 'task', taskName: 'bench', taskDigest: '0'.repeat(64), attempt: 1, agent: 'nop', model: null };
  return Array.from({ length: count }, () => task);
}

function startRun(store: Store, count: number): string[] {
  return store.rollouts.ofRun(store.runs.create(config, 'bench', queued(count))).map((rollout) => rollout.id);
}

function timed(call: () => unknown): number {
  const start = performance.now();
  call();
  return performance.now() - start;
}

/** Calls a second, in the best of the series. */
function perSecond(times: number, call: (index: number) => unknown): number {
  const each = Math.floor(times / seriesCount);
  const best = Math.min(
    ...Array.from({ length: seriesCount }, (_, series) =>
      timed(() => {
        for (let index = 0; index < each; index += 1) call(series * each + index);
      }),
    ),
  );
  return (each / best) * 1000;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
