// Editing a task as the window does it, on real folders and a real store: nothing is written that was not asked for, nothing is overwritten
// unseen, and whatever is removed can be put back.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { resolvePaths } from '../config/paths.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { loadTasks } from '../task/load.ts';
import { taskRowOf } from '../task/row.ts';
import { examineToml } from './examine.ts';
import { existing, readEditable, renamePath, saveFile, watchFolder } from './files.ts';
import { createTask, duplicateTask, refreshTask, removeTask, requireTask, restoreTask } from './tasks.ts';
import { discard, putBack } from './trash.ts';

const signal = new AbortController().signal;
let root: string;
let task: string;
let store: Store;

const files: Record<string, string> = {
  'task.toml': '# kept\r\nschema_version = "1.4"\r\n[task]\r\nname = "lab/greet"\r\n[agent]\r\ntimeout_sec = 60.0\r\n',
  'instruction.md': '\uFEFFSay hello.\n',
  'environment/Dockerfile': 'FROM termarium/base:1\n',
  'tests/test.sh': '#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n',
};

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'termarium-edit-'));
  task = join(root, 'set', 'greet');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(task, path)), { recursive: true });
    await writeFile(join(task, path), text);
  }
  await chmod(join(task, 'tests/test.sh'), 0o750);
  store = openStore(join(root, 'data'));
});
afterEach(async () => {
  store[Symbol.dispose]();
  await rm(root, { recursive: true, force: true });
});

async function imported(origin: 'imported' | 'bundled' = 'imported') {
  const { tasks } = await loadTasks(join(root, 'set'));
  const setId = store.tasks.putSet({ name: 'set', path: join(root, 'set'), origin }, tasks.map(taskRowOf));
  const row = store.tasks.read({ setId }).rows[0];
  if (!row) throw new Error('the set holds no task');
  return row;
}
const place = () => ({ store, paths: resolvePaths({ data: join(root, 'data') }) });

describe('a file', () => {
  test('is read and written byte by byte, with its mode', async () => {
    const { text, digest } = await readEditable(task, 'instruction.md');
    expect(text).toBe(files['instruction.md']);
    await saveFile(task, 'instruction.md', `${text}And wave.\r\n`, digest);
    expect(await readFile(join(task, 'instruction.md'), 'utf8')).toBe('\uFEFFSay hello.\nAnd wave.\r\n');
    const script = await readEditable(task, 'tests/test.sh');
    await saveFile(task, 'tests/test.sh', '#!/bin/bash\nexit 1\n', script.digest);
    expect((await stat(join(task, 'tests/test.sh'))).mode & 0o777).toBe(0o750);
    expect((await readdir(join(task, 'tests'))).sort()).toEqual(['test.sh']);
  });

  test('that somebody else wrote meanwhile is not overwritten', async () => {
    const { digest } = await readEditable(task, 'instruction.md');
    await writeFile(join(task, 'instruction.md'), 'theirs\n');
    await expect(saveFile(task, 'instruction.md', 'mine\n', digest)).rejects.toMatchObject({ code: 'request.conflict' });
    await expect(saveFile(task, 'instruction.md', 'mine\n', null)).rejects.toMatchObject({ code: 'request.conflict' });
    expect(await readFile(join(task, 'instruction.md'), 'utf8')).toBe('theirs\n');
  });

  test('is never reached outside the task, whatever path or link asks for it', async () => {
    await writeFile(join(root, 'secret'), 'secret');
    await symlink(root, join(task, 'out'));
    for (const path of ['../../secret', 'out/secret', '/etc/passwd']) {
      await expect(readEditable(task, path)).rejects.toMatchObject({ code: 'request.invalid' });
      await expect(saveFile(task, path, 'x', null)).rejects.toMatchObject({ code: 'request.invalid' });
      await expect(existing(task, path)).rejects.toMatchObject({ code: 'request.invalid' });
      await expect(renamePath(task, 'instruction.md', path)).rejects.toMatchObject({ code: 'request.invalid' });
    }
    expect(await readFile(join(root, 'secret'), 'utf8')).toBe('secret');
  });

  test('keeps its place when it is new, renamed, removed and put back', async () => {
    await saveFile(task, 'tests/data/new.sh', '#!/bin/sh\n', null);
    expect((await stat(join(task, 'tests/data/new.sh'))).mode & 0o100).toBe(0o100);
    await expect(renamePath(task, 'tests/data/new.sh', 'instruction.md')).rejects.toMatchObject({ code: 'request.conflict' });
    await renamePath(task, 'tests/data', 'tests/more');
    const trash = join(root, 'trash');
    const token = await discard(trash, await existing(task, 'tests/more'));
    await expect(stat(join(task, 'tests/more'))).rejects.toThrow();
    await putBack(trash, token);
    expect((await stat(join(task, 'tests/more/new.sh'))).mode & 0o100).toBe(0o100);
    await expect(putBack(trash, '../../set')).rejects.toMatchObject({ code: 'request.invalid' });
  });
});

test('a change on the disk by any other program ends the wait for one', async () => {
  const before = await watchFolder(task, undefined, 10_000, signal);
  const waiting = watchFolder(task, before.version, 10_000, signal);
  await writeFile(join(task, 'instruction.md'), 'changed outside\n');
  const after = await waiting;
  const stampOf = (state: typeof before) => state.files.find((file) => file.path === 'instruction.md')?.stamp;
  expect(after.version).not.toBe(before.version);
  expect(stampOf(after)).not.toBe(stampOf(before));
  expect(after.folders).toEqual(['environment', 'tests']);
});

test('a task.toml is examined as the reader of tasks would, before it is written', async () => {
  const wrong = '[agent]\ntimeout_sec = "soon"\n';
  expect((await examineToml(task, wrong)).issues).toMatchObject([{ level: 'error', file: 'task.toml', line: 2 }]);
  expect((await examineToml(task, '[agent\n')).values).toBeNull();
  const odd = await examineToml(task, '[agent]\ntimout_sec = 3\n[metadata]\ntags = ["a", "b"]\n');
  expect(odd.issues).toMatchObject([{ level: 'warning', line: 2, message: expect.stringContaining('did you mean "timeout_sec"') }]);
  expect(odd.values).toMatchObject({ 'metadata.tags': ['a', 'b'] });
  expect(await readFile(join(task, 'task.toml'), 'utf8')).toBe(files['task.toml']);
});

describe('a task', () => {
  test('that an edit broke stays listed with the line at fault, and heals', async () => {
    const row = await imported();
    store.tasks.putGates(row.id, [{ gate: 'build', state: 'passed', detail: '', seconds: 1 }]);
    await writeFile(join(task, 'task.toml'), '[agent]\ntimeout_sec = "soon"\n');
    await refreshTask(store, row);
    expect(store.tasks.get(row.id)).toMatchObject({ issues: [{ level: 'error', file: 'task.toml', line: 2 }], gates: [] });
    await writeFile(join(task, 'task.toml'), files['task.toml'] ?? '');
    await refreshTask(store, requireTask(store, row.id));
    expect(store.tasks.get(row.id)).toMatchObject({ issues: [], digest: row.digest });
  });

  test('is duplicated beside itself with only its name changed', async () => {
    const row = await imported();
    const copy = requireTask(store, await duplicateTask(place(), row, 'greet-2'));
    expect(copy).toMatchObject({ name: 'lab/greet-2', path: join(root, 'set', 'greet-2'), setId: row.setId });
    const toml = await readFile(join(copy.path, 'task.toml'), 'utf8');
    expect(toml).toBe(files['task.toml']?.replace('lab/greet', 'lab/greet-2'));
    await expect(duplicateTask(place(), row, 'greet-2')).rejects.toMatchObject({ code: 'request.conflict' });
    await expect(duplicateTask(place(), row, '../out')).rejects.toMatchObject({ code: 'request.invalid' });
  });

  test("that is shipped with the lab is duplicated among the user's own, and refuses to be removed", async () => {
    const row = await imported('bundled');
    await expect(removeTask(place(), row)).rejects.toMatchObject({ code: 'request.conflict' });
    const copy = requireTask(store, await duplicateTask(place(), row, 'greet'));
    expect(copy.path).toBe(join(root, 'data', 'tasks', 'greet'));
    expect(store.tasks.setByName('my-tasks')).toMatchObject({ id: copy.setId, taskCount: 1 });
  });

  test('is removed with its folder and put back', async () => {
    const row = await imported();
    const token = await removeTask(place(), row);
    expect(store.tasks.get(row.id)).toBeNull();
    await expect(stat(task)).rejects.toThrow();
    const id = await restoreTask(place(), row.setId, token);
    expect(store.tasks.get(id)).toMatchObject({ name: 'lab/greet', digest: row.digest });
  });

  test.each(['shell', 'pytest'])('is made from the template %s and can be read without a complaint', async (template) => {
    const made = requireTask(store, await createTask(place(), { setId: null, name: 'fresh-one', template }));
    expect(made).toMatchObject({ name: 'my-lab/fresh-one', issues: [], hasSolution: true });
  });
});
