// Tasks on the fake lab: found, read, checked, imported, and taken by the person at the screen.
import { afterAll, expect, it } from 'vitest';
import { closeBrowser, openFake } from '../../testing/browser.ts';

afterAll(closeBrowser);

it('finds a task by a word of its text and reads its files', async () => {
  await using window = await openFake({ seed: 'demo' });
  const { page } = window;
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await page.getByRole('grid', { name: 'Tasks' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('bisect');
  await page.getByText('1 of 12').waitFor();
  await page.getByRole('grid', { name: 'Tasks' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: /Files/ }).click();
  await page.getByRole('treeitem', { name: 'test_outputs.py' }).click();
  await page.getByRole('textbox', { name: 'tests/test_outputs.py' }).getByText('def test_header():').waitFor();
  await page.getByRole('treeitem', { name: 'access.bin' }).click();
  await page.getByRole('heading', { name: 'Not text' }).waitFor();
});

it('checks a task with its log live', async () => {
  await using window = await openFake({ seed: 'demo', pace: 0.3 });
  const { page } = window;
  await window.go('/tasks/task-slow-query');
  await page.getByRole('heading', { name: 'slow-query' }).waitFor();
  await page.keyboard.press('c');
  await page.getByRole('region', { name: 'Log of the check' }).getByText('── oracle ──').waitFor();
  await page.getByText('slow-query passes its gates').waitFor();
  expect(await page.getByRole('list', { name: 'Gates' }).getByText('Passed').count()).toBe(6);
});

it('imports a folder and reports what was left out and why', async () => {
  await using window = await openFake({ seed: 'empty' });
  const { page } = window;
  await window.go('/tasks');
  await page.getByRole('grid', { name: 'Tasks' }).waitFor();
  await page.keyboard.press('i');
  await page.getByLabel('Folder').fill('relative/path');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('relative/path is not an absolute path.').waitFor();
  await page.getByLabel('Folder').fill('/data/my-tasks');
  await page.keyboard.press('Enter');
  await page.getByText('instruction.md is missing').waitFor();
  await page.getByRole('button', { name: 'Show the tasks' }).click();
  await page.getByRole('grid', { name: 'Tasks' }).getByText('imported-task').waitFor();
});

it('lets a person take a task: type, note, stop the clock, submit, and be graded', async () => {
  await using window = await openFake({ seed: 'demo' });
  const { page } = window;
  await window.go('/tasks/task-slow-query');
  await page.getByRole('heading', { name: 'slow-query' }).waitFor();
  await page.keyboard.press('h');

  const terminal = page.getByRole('region', { name: 'Interactive terminal' });
  await terminal.getByText('root@task:/app#').waitFor();
  await terminal.click();
  // Keys of the page do nothing while the terminal has the focus: this is a p and a q, not "pause" and "close".
  await page.keyboard.type('pwdq');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Enter');
  await terminal.getByText('/app', { exact: true }).waitFor();
  await page.getByTestId('turn').getByText('pwd', { exact: true }).waitFor();

  await page.keyboard.press('Control+Shift+P');
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  await page.keyboard.type('stop the clock');
  await page.keyboard.press('Enter');
  await page.getByRole('timer').getByText('stopped').waitFor();

  await page.getByRole('button', { name: 'Note' }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('The index is missing.');
  await page.getByRole('button', { name: 'Keep the note' }).click();
  await page.getByRole('tab', { name: 'Details' }).click();
  await page.getByText('The index is missing.').waitFor();
  await page.getByRole('tab', { name: 'Terminal' }).click();

  await page.getByRole('button', { name: 'Submit' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Submit' }).click();
  await page.locator('.page-head').getByText('Solved').waitFor();
  expect(window.complaints).toEqual([]);
});
