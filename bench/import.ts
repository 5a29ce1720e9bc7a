// Import of real recorded trials into a fresh store, against reading and JSON.parse of the same files: what the lab adds to the least that
// any importer has to do. Skips where the fixture pack is absent.
import { existsSync, mkdirSync, mkdtempDisposableSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import type { ImportMeasure } from './lib/import-child.ts';
import { quantile, type Report } from './report.ts';

const pack = resolve(import.meta.dirname, '../../shared/data');
/** Alternating, and the median of the ratios: what else runs on the machine then falls on both sides. */
const ROUNDS = 5;

/** Sets of the pack: archives are unpacked before anything is measured. */
const sets = [
  { name: 'tmax jobs', archives: ['tb2_tmax/harbor_jobs_raw/Qwen3.5-9B.tar.gz', 'tb2_tmax/harbor_jobs_raw/tmax-9b.tar.gz'] },
  { name: 'tmax trajectories', folder: 'tb2_tmax/trajectories' },
  {
    name: 'playground jobs',
    archives: ['2026-04-28__23-13-48', '2026-04-29__04-16-11', '2026-04-29__05-14-55'].map(
      (job) => `endless_playground/solution_sonnet/${job}.tar.gz`,
    ),
  },
  { name: 'terminus2 goldens', folder: 'terminus2_golden' },
  { name: 'tmax table', folder: 'tb2_tmax/trials.jsonl', beside: ['tb2_tmax/steps.jsonl.gz'] },
];

export async function run(report: Report): Promise<void> {
  if (!existsSync(join(pack, 'README.md'))) {
    console.error('fixture pack not found at ../shared/data, skipping the import bench');
    return;
  }
  using scratch = mkdtempDisposableSync(join(tmpdir(), 'termarium-bench-'));
  for (const { name, folder, archives, beside = [] } of sets) {
    const from = folder === undefined ? await unpack(archives ?? [], join(scratch.path, name)) : join(pack, folder);
    const imports: ImportMeasure[] = [];
    const ratios: number[] = [];
    let bytes = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const data = join(scratch.path, `${name}-${round}`);
      const parsed = await measure('parse', from, data, ...beside.map((path) => join(pack, path)));
      const imported = await measure('import', from, data);
      await rm(data, { recursive: true, force: true });
      bytes = parsed.bytes;
      imports.push(imported);
      ratios.push(imported.ms / parsed.ms);
    }
    const ms = quantile(
      imports.map((each) => each.ms),
      0.5,
    );
    const [first] = imports;
    const tell = (metric: string, value: number, unit: string, bar: string | null = null) =>
      report({ bench: 'import', metric: `${name}: ${metric}`, value: Number(value.toPrecision(3)), unit, bar });
    tell('trials', first?.imported ?? 0, '');
    tell('trials a second', ((first?.imported ?? 0) / ms) * 1000, '1/s');
    tell('bytes a second', bytes / 1e3 / ms, 'MB/s');
    tell('against reading and JSON.parse of the same files', quantile(ratios, 0.5), 'x', '<= 4');
    tell('peak memory', Math.max(...imports.map((each) => each.peak)) / 1e6, 'MB', '<= 400');
  }
}

async function unpack(archives: readonly string[], into: string): Promise<string> {
  for (const archive of archives) {
    const folder = join(into, archive.split('/').at(-1)?.replace('.tar.gz', '') ?? '');
    mkdirSync(folder, { recursive: true });
    await execa('tar', ['-xzf', join(pack, archive), '-C', folder]);
  }
  return into;
}

async function measure(...args: string[]): Promise<ImportMeasure> {
  const { stdout } = await execa(process.execPath, [join(import.meta.dirname, 'lib/import-child.ts'), ...args]);
  // import-child.ts writes this one line.
  return JSON.parse(stdout) as ImportMeasure;
}
