// A task that is written out again is the same task.
import { chmod, mkdtemp, readFile, readlink, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contentDigest, wholeDigest } from './digest.ts';
import { walk } from './files.ts';
import { loadTask, loadTasks } from './load.ts';
import { fixturePack, folderOf, harborFiles, hasFixturePack, packNote } from './test-folder.ts';
import { editTask, exportTask } from './write.ts';

describe.skipIf(!hasFixturePack)(`real tasks${packNote}`, () => {
  test.each(['tb2_tasks', 'tb1_tasks', 'harbor_examples', 'jbarnes_meta_control', 'endless_playground/harbor_tasks'])(
    '%s: every exported task is byte-identical, executable bits too',
    async (collection) => {
      const { tasks } = await loadTasks(join(fixturePack, collection));
      const target = await mkdtemp(join(tmpdir(), 'termarium-test-'));
      try {
        for (const task of tasks) {
          const copy = join(target, task.name.replaceAll('/', '_'));
          await exportTask(task.folder, copy);
          expect(await facts(copy)).toEqual(await facts(task.folder));
          expect((await loadTask(copy)).digest).toBe(task.digest);
        }
      } finally {
        await rm(target, { recursive: true, force: true });
      }
    },
    60_000,
  );
});

test('links are copied as links, empty folders stay, and a script stays executable', async () => {
  await using folder = await folderOf(harborFiles());
  await using target = await folderOf({});
  await symlink('/etc/passwd', join(folder.path, 'environment', 'outside'));
  await chmod(join(folder.path, 'tests', 'test.sh'), 0o555);
  await exportTask(folder.path, target.path);
  expect(await readlink(join(target.path, 'environment', 'outside'))).toBe('/etc/passwd');
  expect((await stat(join(target.path, 'tests', 'test.sh'))).mode & 0o777).toBe(0o755);
});

test('an edited field changes the digest and nothing else in the file', async () => {
  const toml = '# mine\nschema_version = "1.4"\n[agent]\ntimeout_sec = 60.0 # enough\nfavourite = "blue"\n';
  await using folder = await folderOf(harborFiles({ 'task.toml': toml }));
  await using target = await folderOf({});
  await exportTask(folder.path, target.path, {
    toml: [{ path: ['agent', 'timeout_sec'], value: 120 }],
    files: { 'tests/new/data.txt': 'x' },
  });
  expect(await readFile(join(target.path, 'task.toml'), 'utf8')).toBe(toml.replace('60.0', '120'));
  expect(await readFile(join(target.path, 'tests/new/data.txt'), 'utf8')).toBe('x');
  expect((await loadTask(target.path)).agent.timeoutSec).toBe(120);
  expect(await contentDigest(target.path)).not.toBe(await contentDigest(folder.path));
});

test('nothing is written outside the task or over other work', async () => {
  await using folder = await folderOf(harborFiles());
  await using elsewhere = await folderOf({ 'kept.txt': 'mine' });
  await symlink(elsewhere.path, join(folder.path, 'environment', 'door'));
  for (const path of ['../out.txt', '/tmp/out.txt', 'environment/door/kept.txt', 'environment/door/new.txt']) {
    await expect(editTask(folder.path, { files: { [path]: 'planted' } })).rejects.toMatchObject({ code: 'request.invalid' });
  }
  expect(await readFile(join(elsewhere.path, 'kept.txt'), 'utf8')).toBe('mine');
  await expect(exportTask(folder.path, elsewhere.path)).rejects.toMatchObject({ code: 'request.conflict' });
  await expect(exportTask(folder.path, join(folder.path, 'copy'))).rejects.toMatchObject({ code: 'request.conflict' });
});

async function facts(folder: string): Promise<unknown> {
  const modes = await Promise.all(
    (await walk(folder)).map(async (entry) => [
      entry.path,
      entry.kind,
      entry.kind === 'file' ? (await stat(join(folder, entry.path))).mode & 0o111 : 0,
    ]),
  );
  return { modes: modes.map(([path, kind, bits]) => [path, kind, bits === 0 ? 'plain' : 'executable']), bytes: await wholeDigest(folder) };
}
