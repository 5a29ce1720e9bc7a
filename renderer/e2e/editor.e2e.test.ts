// Editing tasks on the real lab: what is typed survives, what is saved is exactly that, and what others write is never overwritten unseen.
import { stat, writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { findings } from '../../testing/axe.ts';
import { closeBrowser } from '../../testing/browser.ts';
import { greetFiles as files, openGreetLab as openEditing, openMortalLab } from '../../testing/greet-lab.ts';

afterAll(closeBrowser);

const editor = (page: Page, path: string) => page.getByRole('textbox', { name: path, exact: true });

async function showFiles(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'lab/greet' }).waitFor();
  await page.keyboard.press('e');
  await editor(page, 'instruction.md').waitFor();
}

it('keeps what is typed over a reload, and saves it byte for byte, by keyboard alone', async () => {
  await using window = await openEditing();
  const { page } = window;
  await window.go(`/tasks/${window.taskId}`);
  await showFiles(page);
  await page.getByRole('region', { name: 'Preview' }).getByText('<script>alert(1)</script>').waitFor();
  await editor(page, 'instruction.md').focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('Say it twice.\n');
  await page.getByRole('status').getByText('kept as a draft').waitFor({ timeout: 1000 });

  await page.reload();
  await showFiles(page);
  await editor(page, 'instruction.md').getByText('Say it twice.').waitFor();
  expect(await window.read('instruction.md')).toBe(files['instruction.md']);

  await editor(page, 'instruction.md').focus();
  await page.keyboard.press('Control+S');
  await page.getByRole('status').getByText('saved', { exact: true }).waitFor();
  expect(await window.read('instruction.md')).toBe(`${files['instruction.md']}Say it twice.\r\n`);
  expect(await window.lab.client.files.drafts({ taskId: window.taskId })).toEqual({ drafts: [] });
  await page.getByRole('tab', { name: 'Instruction' }).click();
  await page.getByRole('region', { name: 'Instruction' }).getByText('Say it twice.').waitFor();
  expect(window.complaints).toEqual([]);
});

it('shows a change by another program beside what was typed, and writes only after both were seen', async () => {
  await using window = await openEditing();
  const { page } = window;
  await window.go(`/tasks/${window.taskId}`);
  await showFiles(page);
  await writeFile(`${window.folder}/instruction.md`, 'Changed while nothing was typed.\n');
  await editor(page, 'instruction.md').getByText('Changed while nothing was typed.').waitFor();

  await editor(page, 'instruction.md').focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('Mine.\n');
  await writeFile(`${window.folder}/instruction.md`, 'Theirs.\n');
  await page.getByRole('alert').getByText('changed on the disk by another program').waitFor();
  await page.keyboard.press('Control+S');
  await page.getByText('Not saved yet').waitFor();
  expect(await window.read('instruction.md')).toBe('Theirs.\n');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('textbox', { name: 'instruction.md on the disk' }).getByText('Theirs.').waitFor();
  await page.getByRole('textbox', { name: 'instruction.md as typed' }).getByText('Mine.').waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').getByText('saved', { exact: true }).waitFor();
  expect(await window.read('instruction.md')).toBe('Changed while nothing was typed.\nMine.\n');
  expect(window.complaints).toEqual([]);
});

it('keeps form and source of task.toml in step, and marks what is wrong at its line', async () => {
  await using window = await openEditing();
  const { page } = window;
  await window.go(`/tasks/${window.taskId}`);
  await showFiles(page);
  await page.getByRole('treeitem', { name: 'task.toml' }).click();
  const source = editor(page, 'task.toml');
  await page.getByRole('spinbutton', { name: 'Agent' }).fill('90');
  await page.keyboard.press('Enter');
  await source.getByText('timeout_sec = 90').waitFor();
  await page.getByRole('combobox', { name: 'Difficulty' }).click();
  await page.getByRole('option', { name: 'hard' }).click();
  await source.getByText('difficulty = "hard"   # so far').waitFor();

  await source.getByText('timeout_sec = 90').click();
  await page.keyboard.press('End');
  await page.keyboard.type('\ntimout = 3\ncpus = "two"');
  const issues = page.getByRole('region', { name: 'Issues of task.toml' });
  await issues.getByText('task.toml:9').waitFor();
  await page.getByRole('treeitem', { name: 'task.toml' }).getByText('not saved').waitFor({ state: 'attached' });
  expect(await findings(page)).toEqual([]);
  await source.focus();
  for (let key = 0; key < 'cpus = "two"\n'.length; key += 1) await page.keyboard.press('Backspace');
  await issues.getByText('agent.timout: unknown key').waitFor();
  await issues.getByText('cpus').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+S');
  await page.getByRole('status').getByText('saved', { exact: true }).waitFor();
  expect(await window.read('task.toml')).toBe(files['task.toml'].replace('"easy"', '"hard"').replace('60.0\n', '90\ntimout = 3\n'));
  await page.getByRole('tab', { name: /Issues/ }).click();
  await page.getByText('agent.timout: unknown key').waitFor();
  expect(window.complaints).toEqual([]);
});

it('adds, renames, removes and puts back files, and shows a binary one as such', async () => {
  await using window = await openEditing();
  const { page } = window;
  await window.go(`/tasks/${window.taskId}`);
  await showFiles(page);
  await page.getByRole('tree', { name: 'Files' }).focus();
  await page.keyboard.press('n');
  await page.getByRole('textbox', { name: 'Path' }).fill('solution/solve.sh');
  await page.keyboard.press('Enter');
  await editor(page, 'solution/solve.sh').waitFor();
  await editor(page, 'solution/solve.sh').focus();
  await page.keyboard.type('#!/bin/bash\necho hello > /app/greeting.txt\n');
  await page.keyboard.press('Control+S');
  await page.getByRole('status').getByText('saved', { exact: true }).waitFor();
  expect((await stat(`${window.folder}/solution/solve.sh`)).mode & 0o111).not.toBe(0);

  await page.getByRole('tree', { name: 'Files' }).focus();
  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: 'New path' }).fill('solution/answer.sh');
  await page.keyboard.press('Enter');
  await editor(page, 'solution/answer.sh').getByText('echo hello').waitFor();
  await page.getByRole('tree', { name: 'Files' }).focus();
  await page.keyboard.press('Delete');
  await page.getByText('solution/answer.sh removed').waitFor();
  await expect(stat(`${window.folder}/solution/answer.sh`)).rejects.toThrow();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('treeitem', { name: 'answer.sh' }).click();
  await editor(page, 'solution/answer.sh').getByText('echo hello').waitFor();
  await page.getByRole('treeitem', { name: 'data.bin' }).click();
  await page.getByRole('heading', { name: 'Not text' }).waitFor();
  expect(window.complaints).toEqual([]);
});

it('lets a bundled task be read but not changed, until it is duplicated; removing the copy can be undone', async () => {
  await using window = await openEditing();
  const { page } = window;
  await window.go('/tasks');
  await page.getByRole('grid', { name: 'Tasks' }).getByText('tidy-inbox').click();
  await page.getByRole('heading', { name: 'termarium/tidy-inbox' }).waitFor();
  await page.keyboard.press('e');
  await page.getByRole('status').getByText('read only').waitFor();
  await page.getByRole('button', { name: 'Duplicate…' }).click();
  await page.getByRole('textbox', { name: 'Name of the copy' }).fill('tidier-inbox');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'termarium/tidier-inbox' }).waitFor();
  await page.getByText('my-tasks').first().waitFor();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('its folder removed').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('region', { name: 'Task termarium/tidier-inbox' }).waitFor();
  expect(window.complaints).toEqual([]);
});

it('opens a shell in a fresh container beside the files, and takes it away with the task', async () => {
  await using window = await openEditing();
  const { page } = window;
  const containers = async () =>
    (await window.lab.client.system.clean({ remove: false })).found.filter((thing) => thing.kind === 'container').length;
  await window.go(`/tasks/${window.taskId}`);
  await showFiles(page);
  await page.getByRole('tree', { name: 'Files' }).focus();
  await page.keyboard.press('s');
  const terminal = page.getByRole('region', { name: 'Interactive terminal' });
  await terminal.getByText(/root@termarium/).waitFor({ timeout: 60_000 });
  await page.keyboard.type('echo $((6 * 7))');
  await page.keyboard.press('Enter');
  await terminal.getByText('42', { exact: true }).waitFor();
  await editor(page, 'instruction.md').waitFor();
  expect(await findings(page)).toEqual([]);
  expect(await containers()).toBe(1);
  await window.go('/runs');
  await expect.poll(containers, { timeout: 20_000 }).toBe(0);
  await window.lab.client.system.clean({ remove: true, images: true });
  expect(window.complaints).toEqual([]);
});

it('makes a task from a template by keyboard, and finds it by an expression', async () => {
  await using window = await openEditing();
  const { page } = window;
  await window.go('/tasks');
  await page.getByRole('grid', { name: 'Tasks' }).waitFor();
  await page.keyboard.press('Shift+N');
  await page.getByRole('textbox', { name: 'Name' }).fill('sort-words');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Task my-lab/sort-words' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('set = my-tasks difficulty = easy and text ~ "each of them once"');
  await page.getByText('1 of 14').waitFor();
  await page.keyboard.type(' or (');
  await page.getByRole('status').getByText('missing').waitFor();
  await page.getByText('1 of 14').waitFor();
  expect(await findings(page)).toEqual([]);
  expect(window.complaints).toEqual([]);
});

it('fetches a set with Git, and says what was kept without effect', async () => {
  await using window = await openEditing();
  const { page } = window;
  await writeFile(`${window.folder}/task.toml`, files['task.toml'].replace('timeout_sec', 'timout_sec'));
  const address = await window.publish();
  await window.go('/tasks');
  await page.getByRole('grid', { name: 'Tasks' }).waitFor();
  await page.keyboard.press('i');
  await page.getByRole('button', { name: 'Git repository' }).press('Enter');
  await page.getByRole('textbox', { name: 'Address' }).fill('ext::sh -c true');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('no address that Git may fetch from').waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole('textbox', { name: 'Address' }).fill(address);
  await page.getByRole('textbox', { name: 'Name of the set' }).fill('fetched');
  await page.keyboard.press('Enter');
  await page.getByText('(1 Harbor)').waitFor();
  await page.getByRole('heading', { name: 'Kept in the files, without effect here' }).waitFor();
  await page.getByText('did you mean "timeout_sec"').waitFor();
  await page.getByRole('button', { name: 'Show the tasks' }).press('Enter');
  await page.getByRole('grid', { name: 'Tasks' }).getByText('lab/greet').waitFor();
  expect(window.complaints).toEqual([]);
});

it('loses nothing that is typed when the lab is killed, not even what is typed while it is dead', async () => {
  await using window = await openMortalLab();
  const { page } = window;
  await window.go('/tasks');
  await page.getByRole('grid', { name: 'Tasks' }).waitFor();
  await page.keyboard.press('Shift+N');
  await page.getByRole('textbox', { name: 'Name' }).fill('survivor');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Task my-lab/survivor' }).waitFor();
  await page.keyboard.press('e');
  const source = editor(page, 'instruction.md');
  await source.focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('Typed before. ');
  await page.getByRole('status').getByText('kept as a draft').waitFor();
  await window.kill();
  await page.keyboard.type('Typed meanwhile.');
  await page.getByRole('status').getByText('typing…').waitFor();
  await window.restart();
  await page.getByRole('status').getByText('kept as a draft').waitFor();

  await window.kill();
  await window.restart();
  await page.reload();
  await page.getByRole('region', { name: 'Task my-lab/survivor' }).waitFor();
  await page.keyboard.press('e');
  await editor(page, 'instruction.md').getByText('Typed before. Typed meanwhile.').waitFor();
});
