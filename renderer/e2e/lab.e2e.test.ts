// The page on the real lab: real Docker, real containers, real tests. One task, solved by its oracle and then taken by hand.
import { afterAll, expect, it } from 'vitest';
import { silent } from '../../main/lib/log.ts';
import { serveHttp } from '../../main/transport/http.ts';
import { builtPage, closeBrowser, openWindow } from '../../testing/browser.ts';
import { openTestLab } from '../../testing/lab.ts';

afterAll(closeBrowser);

async function openLab() {
  const lab = await openTestLab();
  const door = await serveHttp({ router: lab.app.router, log: silent, port: 0, rendererFolder: await builtPage() });
  const window = await openWindow(door.issueUrl());
  return {
    ...window,
    async [Symbol.asyncDispose]() {
      await window[Symbol.asyncDispose]();
      await door.close();
      await lab[Symbol.asyncDispose]();
    },
  };
}

it('starts a run of one task, watches its container, reads the verdict, and plays the same task by hand', async () => {
  await using window = await openLab();
  const { page } = window;
  await window.go('/tasks');
  await page.getByRole('grid', { name: 'Tasks' }).getByText('tidy-inbox').click();
  await page.getByRole('region', { name: 'Task termarium/tidy-inbox' }).getByRole('button', { name: 'Run…' }).click();
  await page.getByRole('checkbox', { name: /terminus/ }).click();
  await page.getByRole('checkbox', { name: /oracle/ }).click();
  await page.getByRole('button', { name: 'Start 1 rollout' }).click();

  await page.getByTestId('wall').locator('.tile').click();
  await page.locator('.page-head').getByText('Solved').waitFor({ timeout: 90_000 });
  await page.getByRole('tab', { name: 'Verdict' }).click();
  await page.getByRole('region', { name: 'Verdict' }).getByText('Tests ran').waitFor();

  await page.getByRole('button', { name: 'Take as human' }).click();
  const terminal = page.getByRole('region', { name: 'Interactive terminal' });
  await terminal.getByText(/root@termarium/).waitFor({ timeout: 60_000 });
  await page.keyboard.type('echo $((6 * 7))');
  await page.keyboard.press('Enter');
  await terminal.getByText('42', { exact: true }).waitFor();
  await page.getByTestId('turn').getByText('echo $((6 * 7))').first().waitFor();

  await page.getByRole('button', { name: 'Submit' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Submit' }).click();
  await page.locator('.page-head').getByText('Unsolved').waitFor({ timeout: 90_000 });
  expect(window.complaints).toEqual([]);
});
