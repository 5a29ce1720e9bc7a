// Runs benches by name: `npm run bench -- terminal stalled`. Prints one JSON line a figure; ends with 1 where a bar is missed.
import { readdir } from 'node:fs/promises';
import { type Measured, meets, type Report } from './report.ts';

/** A bench is a file in this folder that exports `run`. */
interface Bench {
  run(report: Report): Promise<void> | void;
}

const names = (await readdir(import.meta.dirname))
  .filter((file) => file.endsWith('.ts') && file !== 'index.ts' && file !== 'report.ts')
  .map((file) => file.slice(0, -3))
  .sort();
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !names.includes(name));
if (wanted.length === 0 || unknown.length > 0) {
  const problem = wanted.length === 0 ? 'Which bench?' : `No bench named ${unknown.join(', ')}.`;
  console.error(`${problem} There are: ${names.join(', ')}`);
  process.exit(2);
}

let missed = 0;
function report(measured: Measured): void {
  console.log(JSON.stringify(measured));
  if (!meets(measured.value, measured.bar)) missed += 1;
}
for (const name of wanted) {
  // The folder's own listing says that the file is there; what it exports is checked by the first line that uses it.
  const bench = (await import(`./${name}.ts`)) as Bench;
  await bench.run(report);
}
if (missed > 0) console.error(missed === 1 ? 'One bar was missed.' : `${missed} bars were missed.`);
process.exitCode = missed === 0 ? 0 : 1;
