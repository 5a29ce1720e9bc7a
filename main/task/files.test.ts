// A task's files can be listed and read, and nothing else can.
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listTaskFiles, readTaskFile } from './files.ts';
import { folderOf } from './test-folder.ts';

test('files are listed by path, with their size, executable bit and kind', async () => {
  await using folder = await folderOf({
    'tests/test.sh': 'exit 0\n',
    'a.txt': 'grüße',
    'data/blob.bin': new Uint8Array([1, 0, 2]),
    'data/latin1.txt': new Uint8Array([0x67, 0xfc]),
    '.git/config': 'not part of the task',
  });
  expect(await listTaskFiles(folder.path)).toEqual([
    { path: 'a.txt', bytes: 7, executable: false, text: true },
    { path: 'data/blob.bin', bytes: 3, executable: false, text: false },
    { path: 'data/latin1.txt', bytes: 2, executable: false, text: false },
    { path: 'tests/test.sh', bytes: 7, executable: true, text: true },
  ]);
});

test('text is read whole or cut between characters; a binary file has no text', async () => {
  await using folder = await folderOf({ 'a.txt': 'aé€', 'b.bin': new Uint8Array([0]) });
  expect(await readTaskFile(folder.path, 'a.txt')).toEqual({ text: 'aé€', bytes: 6, cut: false });
  expect(await readTaskFile(folder.path, 'a.txt', 4)).toEqual({ text: 'aé', bytes: 6, cut: true });
  expect(await readTaskFile(folder.path, 'b.bin')).toEqual({ text: null, bytes: 1, cut: false });
});

test('no path and no link leads out of the folder', async () => {
  await using outside = await folderOf({ 'secret.txt': 'secret' });
  await using folder = await folderOf({ 'sub/a.txt': 'a' });
  await symlink(join(outside.path, 'secret.txt'), join(folder.path, 'link.txt'));
  await symlink(outside.path, join(folder.path, 'sub', 'door'));
  await symlink('a.txt', join(folder.path, 'sub', 'inside.txt'));
  for (const path of ['link.txt', 'sub/door/secret.txt', '../x', 'sub/../../x', '/etc/passwd', 'a\0b']) {
    await expect(readTaskFile(folder.path, path)).rejects.toMatchObject({ code: 'request.invalid' });
  }
  await expect(readTaskFile(folder.path, 'sub')).rejects.toMatchObject({ code: 'request.not_found' });
  await expect(readTaskFile(folder.path, 'sub/none')).rejects.toMatchObject({ code: 'request.not_found' });
  expect((await readTaskFile(folder.path, 'sub/inside.txt')).text).toBe('a');
  expect((await listTaskFiles(folder.path)).map(({ path }) => path)).toEqual(['sub/a.txt', 'sub/inside.txt']);
});

test('whatever path is asked for, only the one file can be read', async () => {
  await using folder = await folderOf({ 'only.txt': 'only' });
  const part = fc.constantFrom('..', '.', '', 'only.txt', '/', '~', '%2e%2e', '..\\', '\u2024\u2024');
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
      const answer = await readTaskFile(folder.path, parts.join('/')).catch((error: unknown) => error);
      if (answer instanceof Error) expect(answer).toMatchObject({ code: expect.stringMatching(/^request\./) });
      else expect(answer).toMatchObject({ text: 'only' });
    }),
    { numRuns: 200 },
  );
});
