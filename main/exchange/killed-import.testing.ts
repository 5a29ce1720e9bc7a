// For killed-import.test.ts: imports a folder into a store until it is done or killed. Says "importing" when it begins.
import { join } from 'node:path';
import { openStore } from '../store/open.ts';
import { importPath } from './import.ts';

const [folder = '', data = ''] = process.argv.slice(2);
using store = openStore(data);
process.stdout.write('importing\n');
await importPath(folder, { store, recordings: join(data, 'recordings') }, { signal: new AbortController().signal });
