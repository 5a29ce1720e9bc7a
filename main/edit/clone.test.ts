// Task sets from Git, on real repositories in a folder.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cloneTasks } from './clone.ts';

const run = promisify(execFile);
let root: string;
let repository: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'termarium-clone-'));
  repository = join(root, 'bench.git');
  await mkdir(join(repository, 'sets', 'small'), { recursive: true });
  await writeFile(join(repository, 'sets/small/task.toml'), 'schema_version = "1.4"\n');
  const git = (...args: string[]) => run('git', ['-C', repository, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args]);
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('commit', '--quiet', '-m', 'first');
  await git('tag', 'v1');
  await writeFile(join(repository, 'sets/small/task.toml'), 'schema_version = "1.3"\n');
  await git('commit', '--quiet', '-am', 'second');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const checkouts = () => join(root, 'data', 'checkouts');

test('the newest commit is fetched, or the one of a tag, each into a folder of its own', async () => {
  const newest = await cloneTasks(checkouts(), { url: `file://${repository}` });
  expect(newest.commit).toMatch(/^[0-9a-f]{40}$/);
  expect(await readFile(join(newest.folder, 'sets/small/task.toml'), 'utf8')).toContain('1.3');
  const tagged = await cloneTasks(checkouts(), { url: `file://${repository}`, ref: 'v1', folder: 'sets' });
  expect(await readFile(join(tagged.folder, 'small/task.toml'), 'utf8')).toContain('1.4');
  expect((await readdir(checkouts())).sort()).toEqual(['bench', 'bench@v1']);
  await expect(cloneTasks(checkouts(), { url: `file://${repository}` })).rejects.toMatchObject({ code: 'request.conflict' });
});

test.each([
  ['ext::sh -c touch% /tmp/x', undefined],
  ['--upload-pack=touch /tmp/x', undefined],
  ['fd::17', undefined],
  ['https://host/x', '--upload-pack=x'],
])('%s is never given to Git', async (url, ref) => {
  await expect(cloneTasks(checkouts(), { url, ref })).rejects.toMatchObject({ code: 'request.invalid' });
  await expect(readdir(checkouts())).rejects.toThrow();
});

test('what cannot be fetched leaves nothing behind, and no token in the message', async () => {
  const failed = cloneTasks(checkouts(), { url: 'http://user:secret@127.0.0.1:1/none.git' });
  const error = await failed.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'request.invalid', message: expect.stringContaining('127.0.0.1:1') });
  expect(String(error)).not.toContain('secret');
  await expect(cloneTasks(checkouts(), { url: `file://${repository}`, folder: '../..' })).rejects.toMatchObject({
    code: 'request.invalid',
  });
  expect(await readdir(checkouts())).toEqual([]);
});
