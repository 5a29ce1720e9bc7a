// Digests equal Harbor's, so that results made there and here speak of the same task.
import { createHash } from 'node:crypto';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contentDigest, legacyDigest, wholeDigest } from './digest.ts';
import { loadTasks } from './load.ts';
import { fixturePack, folderOf, harborFiles, hasFixturePack, packNote } from './test-folder.ts';

describe.skipIf(!hasFixturePack)(`real results${packNote}`, () => {
  test('the older digest of 47 of the 51 task folders is the task_checksum of the trials that played them', async () => {
    const trials = (await readFile(join(fixturePack, 'tb2_tmax/trials.jsonl'), 'utf8')).split('\n').filter((line) => line !== '');
    const checksums = new Map(trials.map((line) => JSON.parse(line)).map((trial) => [trial.task, trial.task_checksum]));
    const { tasks } = await loadTasks(join(fixturePack, 'tb2_tasks'));
    const different: string[] = [];
    for (const task of tasks) if ((await legacyDigest(task.folder)) !== checksums.get(task.name)) different.push(task.name);
    // The pack leaves out two large files of the first and has other versions of the rest.
    expect(different).toEqual(['gpt2-codegolf', 'install-windows-3.11', 'pytorch-model-recovery', 'query-optimize']);
  });
});

const sha = (text: string) => createHash('sha256').update(text).digest('hex');
const expected = (files: Record<string, string>) =>
  sha(
    Object.keys(files)
      .sort()
      .map((path) => `${path}\0${sha(files[path] ?? '')}\n`)
      .join(''),
  );

test('the content digest is the sum over sorted paths and hashes of what belongs to the task', async () => {
  const files = harborFiles({ 'README.md': 'about' });
  await using folder = await folderOf({ ...files, 'notes.txt': 'not part of it', 'tests/__pycache__/a.pyc': 'x', 'environment/a~': 'x' });
  expect(await contentDigest(folder.path)).toBe(expected(files));
});

test('a .gitignore replaces the default list, and follows its own rules of negation and folders', async () => {
  const files = harborFiles({ 'environment/data/keep.csv': '1', 'tests/cache.pyc': 'now counted' });
  await using folder = await folderOf({
    ...files,
    '.gitignore': 'environment/data/*\n!environment/data/keep.csv\nbuild/\n',
    'environment/data/drop.csv': '2',
    'environment/build/out.bin': '3',
  });
  expect(await contentDigest(folder.path)).toBe(expected(files));
});

test('links inside count as what they lead to; links that leave the task or go in circles are left out', async () => {
  const files = harborFiles();
  await using folder = await folderOf(files);
  await symlink('../instruction.md', join(folder.path, 'tests', 'copy.md'));
  await symlink('/etc/hostname', join(folder.path, 'tests', 'outside'));
  await symlink('..', join(folder.path, 'environment', 'circle'));
  expect(await contentDigest(folder.path)).toBe(expected({ ...files, 'tests/copy.md': files['instruction.md'] ?? '' }));
  expect(await legacyDigest(folder.path)).toMatch(/^[0-9a-f]{64}$/);
});

test('any change of content, name or place changes the digest; a mode or a date does not', async () => {
  await using a = await folderOf({ 'x/one': '1', 'x/two': '2' });
  await using b = await folderOf({ 'x/one': '2', 'x/two': '1' });
  await using c = await folderOf({ 'x/one': '1', 'y/two': '2' });
  const all = await Promise.all([a, b, c].map((folder) => wholeDigest(folder.path)));
  const old = await Promise.all([a, b, c].map((folder) => legacyDigest(folder.path)));
  expect(new Set([...all, ...old]).size).toBe(6);
});
