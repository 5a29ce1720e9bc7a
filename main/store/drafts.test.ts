// Unsaved text survives whatever ends the process, and two files never get each other's.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from './open.ts';

let folder: ReturnType<typeof mkdtempDisposableSync>;
beforeEach(() => {
  folder = mkdtempDisposableSync(join(tmpdir(), 'termarium-drafts-'));
});
afterEach(() => folder.remove());

test('the newest text of a file is what is kept, by task folder and path', () => {
  using store = openStore(folder.path);
  store.drafts.put('/tasks/a', { path: 'instruction.md', text: 'first', base: 'd1' });
  store.drafts.put('/tasks/a', { path: 'instruction.md', text: 'second', base: 'd1' });
  store.drafts.put('/tasks/a', { path: 'tests/new.py', text: '', base: null });
  store.drafts.put('/tasks/b', { path: 'instruction.md', text: 'other', base: 'd2' });
  expect(store.drafts.list('/tasks/a')).toMatchObject([
    { path: 'instruction.md', text: 'second', base: 'd1' },
    { path: 'tests/new.py', text: '', base: null },
  ]);
  store.drafts.remove('/tasks/a', 'instruction.md');
  expect(store.drafts.list('/tasks/a').map((draft) => draft.path)).toEqual(['tests/new.py']);
  expect(store.drafts.list('/tasks/b')).toHaveLength(1);
});

test('kill -9 right after a draft was put keeps it', async () => {
  const opened = JSON.stringify(new URL('./open.ts', import.meta.url).pathname);
  const script = `
    const { openStore } = await import(${opened});
    openStore(${JSON.stringify(folder.path)}).drafts.put('/tasks/a', { path: 'task.toml', text: 'typed\\r\\n', base: 'd1' });
    process.stdout.write('put');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
  using store = openStore(folder.path);
  expect(store.drafts.list('/tasks/a')).toMatchObject([{ path: 'task.toml', text: 'typed\r\n', base: 'd1' }]);
});
