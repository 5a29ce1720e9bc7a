// Real task collections load as they are: every task is either read or rejected with the reason.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadTask, loadTasks } from './load.ts';
import { fixturePack, folderOf, harborFiles, hasFixturePack, packNote } from './test-folder.ts';
import { rejectionOf } from './unreadable.ts';

describe.skipIf(!hasFixturePack)(`real collections${packNote}`, () => {
  test.each([
    ['tb2_tasks', 51, 'harbor'],
    ['harbor_examples', 10, 'harbor'],
    ['jbarnes_meta_control', 28, 'harbor'],
    ['endless_playground/harbor_tasks', 60, 'harbor'],
  ])('%s: all %i tasks load', async (folder, count, format) => {
    const { tasks, rejected } = await loadTasks(join(fixturePack, folder));
    expect(rejected).toEqual([]);
    expect(tasks).toHaveLength(count);
    expect(tasks.every((task) => task.format === format)).toBe(true);
    expect(tasks.filter((task) => task.instruction.trim() === '' || !/^[0-9a-f]{64}$/.test(task.digest))).toEqual([]);
    expect(new Set(tasks.map((task) => task.name)).size).toBe(count);
  });

  test('tb1_tasks: seven load, and the one without task.yaml is refused in words', async () => {
    const { tasks, rejected } = await loadTasks(join(fixturePack, 'tb1_tasks'));
    expect(tasks.map((task) => task.name)).toEqual([
      'aider_polyglot__polyglot_python_bowling',
      'aider_polyglot__polyglot_rust_wordy',
      'evoeval__0',
      'evoeval__10',
      'longcli__pytest_pytest_example',
      'swebench-verified__psf__requests-1142',
      'swebench-verified__pytest-dev__pytest-5262',
    ]);
    const folder = join(fixturePack, 'tb1_tasks/longcli__template-task');
    expect(rejected.map(({ folder: path, error }) => rejectionOf(path, error))).toEqual([
      { level: 'error', file: folder, message: expect.stringContaining('longcli__template-task: has a solution.yaml but no task.yaml') },
    ]);
  });

  test('a solution that was left out on purpose is missing, with the words of its author', async () => {
    const { tasks } = await loadTasks(join(fixturePack, 'jbarnes_meta_control'));
    for (const task of tasks) {
      expect(task.solution).toMatchObject({
        kind: 'missing',
        reason: expect.stringMatching(/^solution\/solve\.sh is a placeholder: "Oracle/),
      });
    }
  });

  test('tasks made from Endless bring the tests of their untouched environment along', async () => {
    const { tasks } = await loadTasks(join(fixturePack, 'endless_playground/harbor_tasks'));
    expect(tasks.every((task) => task.initialTests === join(task.folder, 'environment/test_initial_state.py'))).toBe(true);
  });

  test('what the lab cannot play yet says why', async () => {
    const { tasks } = await loadTasks(join(fixturePack, 'harbor_examples'));
    const unsupported = Object.fromEntries(tasks.filter((task) => task.unsupported).map((task) => [task.name, task.unsupported]));
    expect(unsupported['harbor/hello-mcp']).toMatch(/Docker Compose.*mcp-server/);
    expect(unsupported['harbor/hello-multi-step-full']).toMatch(/3 steps/);
    expect(unsupported['harbor/separate-verifier-environment']).toMatch(/environment of its own/);
    expect(tasks.filter((task) => task.unsupported === null).map((task) => task.name)).toEqual([
      'harbor/hello-healthcheck',
      'harbor/hello-user',
      'harbor/hello-world',
      'harbor/network-policy-static-e-allowlist',
    ]);
  });
});

test('a broken task is reported with its file and line, and the others still load', async () => {
  const good = harborFiles();
  const bad = harborFiles({ 'task.toml': '[agent]\ntimeout_sec = \n' });
  const files = { ...below('good', good), ...below('bad', bad), 'notes/README.md': 'no task' };
  await using folder = await folderOf(files);
  const { tasks, rejected } = await loadTasks(folder.path);
  expect(tasks.map((task) => task.name)).toEqual(['tests/greet']);
  expect(rejected.map(({ folder: path, error }) => rejectionOf(path, error))).toEqual([
    { level: 'error', message: expect.stringMatching(/^bad: not valid TOML/), file: join(folder.path, 'bad', 'task.toml'), line: 2 },
  ]);
});

test('tasks are found below tasks/ and in the order of their names', async () => {
  await using folder = await folderOf({
    ...below('tasks/b', harborFiles({ 'task.toml': '' })),
    ...below('tasks/a', harborFiles({ 'task.toml': '' })),
    'manifest.json': '{}',
  });
  const { tasks } = await loadTasks(folder.path);
  expect(tasks.map((task) => task.name)).toEqual(['a', 'b']);
});

test('a script for all tests beside the tasks does not make the collection one broken task', async () => {
  await using folder = await folderOf({ ...below('tasks/a', harborFiles()), 'run-tests.sh': 'for task in tasks/*; do :; done' });
  const { tasks, rejected } = await loadTasks(folder.path);
  expect([tasks.length, rejected.length]).toEqual([1, 0]);
});

test('a single task can be given instead of a folder of them, and a broken one is rejected with its reason', async () => {
  await using good = await folderOf(harborFiles());
  expect((await loadTasks(good.path)).tasks).toHaveLength(1);
  await using native = await folderOf({ 'task.json': '{}', 'container.def': '' });
  const { rejected } = await loadTasks(native.path);
  expect(rejected[0]?.error.message).toContain('native Endless task');
});

test('a folder without tasks and a folder that does not exist are told apart', async () => {
  await using folder = await folderOf({ 'README.md': 'nothing here' });
  await expect(loadTasks(folder.path)).rejects.toMatchObject({ code: 'task.not_found', message: expect.stringContaining('no task in') });
  await expect(loadTask(folder.path)).rejects.toMatchObject({ code: 'task.not_found', hint: expect.stringContaining('Harbor') });
  await expect(loadTask(join(folder.path, 'gone'))).rejects.toMatchObject({
    code: 'task.not_found',
    message: expect.stringContaining('no folder'),
  });
});

test('a cancelled load stops', async () => {
  await using folder = await folderOf(harborFiles());
  await expect(loadTasks(folder.path, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
});

function below(name: string, files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`${name}/${path}`, content]));
}
