import { mkdtempDisposable, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from './folder.ts';

it('makes a folder with those above it, also a second time', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'termarium-folder-'));
  const path = join(root.path, 'a', 'b', 'c');
  makeFolder(path);
  makeFolder(path);
  expect((await stat(path)).isDirectory()).toBe(true);
});

it('throws where a file is, below one, and in a file system that takes no folders', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'termarium-folder-'));
  await writeFile(join(root.path, 'file'), '');
  expect(() => makeFolder(join(root.path, 'file'))).toThrow('EEXIST');
  expect(() => makeFolder(join(root.path, 'file', 'below'))).toThrow('ENOTDIR');
  expect(() => makeFolder('/proc/termarium/data')).toThrow('ENOENT');
});
