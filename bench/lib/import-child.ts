// One measured process of the import bench: `import PATH DATA` imports into a fresh store, `parse PATH DATA BESIDE…` only reads and parses
// the same files and those beside it that the import looks into. Prints one JSON line. Each is a process of its own, so that its peak memory is its own and neither warms the other up.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { discover } from '../../main/exchange/discover.ts';
import { importPath } from '../../main/exchange/import.ts';
import { readTrialFiles } from '../../main/exchange/trial-files.ts';
import { openStore } from '../../main/store/open.ts';

/** What a measured process tells. Times in ms, memory in bytes. */
export interface ImportMeasure {
  ms: number;
  bytes: number;
  /** Records read and rollouts added; 0 where files are only parsed. */
  records: number;
  imported: number;
  peak: number;
}

const [mode, folder = '', data = '', ...beside] = process.argv.slice(2);
const measured = mode === 'import' ? await importAll() : parseAll();
process.stdout.write(`${JSON.stringify({ ...measured, peak: process.resourceUsage().maxRSS * 1024 } satisfies ImportMeasure)}\n`);

async function importAll(): Promise<Omit<ImportMeasure, 'peak'>> {
  using store = openStore(data);
  const began = performance.now();
  const { progress, issues } = await importPath(
    folder,
    { store, recordings: join(data, 'recordings') },
    { signal: new AbortController().signal },
  );
  const ms = performance.now() - began;
  const broken = issues.find((issue) => issue.level === 'error');
  if (broken) throw new Error(`${broken.file}: ${broken.message}`);
  return { ms, bytes: progress.bytes, records: progress.records, imported: progress.imported };
}

/** Reads every file that an import reads, and parses what is JSON. Texts that are none (prompts, test output) are only read. */
function parseAll(): Omit<ImportMeasure, 'peak'> {
  const found = [...discover(folder)].flatMap((source) => {
    if (source.kind === 'file') return [source.path, ...source.companions];
    const { content, cast } = readTrialFiles(source.folder);
    return [...[...content.keys()].map((path) => join(source.folder, path)), ...(cast === null ? [] : [cast])];
  });
  const files = [...found, ...beside];
  let bytes = 0;
  const began = performance.now();
  for (const file of files) {
    const raw = readFileSync(file);
    const content = file.endsWith('.gz') ? gunzipSync(raw) : raw;
    bytes += content.length;
    const text = content.toString('utf8');
    if (/\.json(\.gz)?$/.test(file)) JSON.parse(text);
    else if (/\.(jsonl(\.gz)?|cast)$/.test(file)) for (const line of text.split('\n')) if (line !== '') JSON.parse(line);
  }
  return { ms: performance.now() - began, bytes, records: 0, imported: 0 };
}
