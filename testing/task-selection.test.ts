// A run names a folder: what is read from it anew, and what becomes of a task that cannot be read any more.
import { mkdtempDisposableSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allTasks, selectTasks } from '../main/rollout/select.ts';
import { answerTest, openTestLab, writeTask } from './lab.ts';

test('a task that broke stays listed with its line at fault, is not played, and heals', async () => {
  await using lab = await openTestLab();
  using folder = mkdtempDisposableSync(join(tmpdir(), 'termarium-select-'));
  for (const name of ['good', 'other']) await writeTask(folder.path, { name, test: answerTest });
  const { store } = lab.app.lab;
  const select = () => selectTasks([folder.path], [], store);
  const [setId] = new Set((await select()).tasks.map((task) => task.setId));
  const listed = () => allTasks(store, setId).toSorted((a, b) => a.name.localeCompare(b.name));
  const whole = listed();
  expect(whole.map((task) => task.name)).toEqual(['test/good', 'test/other']);

  await writeFile(join(folder.path, 'good', 'task.toml'), '[agent]\ntimeout_sec = "soon"\n');
  const { tasks, issues } = await select();
  expect(tasks.map((task) => task.name)).toEqual(['test/other']);
  expect(issues).toMatchObject([{ level: 'error', file: join(folder.path, 'good', 'task.toml'), line: 2 }]);
  expect(listed()).toMatchObject([
    { id: whole[0]?.id, name: 'test/good', gates: [], issues: [{ level: 'error', file: 'task.toml', line: 2 }] },
    { id: whole[1]?.id, issues: [] },
  ]);

  await writeTask(folder.path, { name: 'good', test: answerTest });
  expect((await select()).tasks).toHaveLength(2);
  expect(listed()).toMatchObject([{ id: whole[0]?.id, issues: [] }, { id: whole[1]?.id }]);
});
