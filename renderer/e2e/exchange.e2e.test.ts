// Rollouts out to files and in again, on the real lab: real Docker for the rollouts, real folders for the exchange.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { afterAll, expect, it } from 'vitest';
import { runConfig } from '../../main/contract/schema/config.ts';
import { silent } from '../../main/lib/log.ts';
import { serveHttp } from '../../main/transport/http.ts';
import { findings } from '../../testing/axe.ts';
import { builtPage, closeBrowser, openWindow } from '../../testing/browser.ts';
import { answerTest, openTestLab, writeTask } from '../../testing/lab.ts';

afterAll(closeBrowser);

it('exports a run as a Harbor job and imports it again, by keyboard, with what is broken told by name', async () => {
  await using lab = await openTestLab();
  for (const name of ['first', 'second'])
    await writeTask(`${lab.folder}/tasks`, { name, test: answerTest, solution: 'echo done > /app/answer.txt' });
  await lab.play(runConfig.parse({ name: 'To share', tasks: [`${lab.folder}/tasks`], agents: ['oracle'] }));
  await using door = await openDoor(lab.app.router);
  await using window = await openWindow(door.url);
  const { page } = window;
  const choose = async (title: string) => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(title);
    await page.getByRole('option', { name: title }).first().waitFor();
    await page.keyboard.press('Enter');
  };
  const dialog = page.getByRole('dialog');
  const job = `${lab.folder}/job`;

  await window.go('/runs');
  await page.getByRole('grid', { name: 'Runs' }).getByText('To share').click();
  await page.getByRole('grid', { name: 'Rollouts' }).getByText('Solved').first().waitFor();
  await choose('Export the run');
  await dialog.getByText('Every rollout of To share that has ended.').waitFor();
  expect(await findings(page)).toEqual([]);
  await dialog.getByLabel('To').focus();
  await page.keyboard.type('relative/path');
  await page.keyboard.press('Enter');
  await dialog.getByText('relative/path is no absolute path').waitFor();
  await dialog.getByLabel('To').fill(job);
  await page.keyboard.press('Enter');
  await dialog.getByText('2 rollouts').waitFor();
  expect((await readdir(job)).length).toBeGreaterThanOrEqual(2);
  await page.keyboard.press('Escape');

  // One file of it is damaged, as files are that were copied while they were written.
  const trial = (await readdir(job, { withFileTypes: true })).find((entry) => entry.isDirectory());
  const damaged = `${job}/${trial?.name}/agent/trajectory.json`;
  await writeFile(damaged, (await readFile(damaged, 'utf8')).slice(0, 60));

  await window.go('/runs');
  await page.getByRole('grid', { name: 'Runs' }).getByText('To share').waitFor();
  const bringIn = async () => {
    await choose('Import rollouts');
    await dialog.getByLabel('File or folder').fill(job);
    await page.keyboard.press('Enter');
    await dialog.getByText('Done').waitFor();
  };
  await bringIn();
  const figure = (title: string) => dialog.locator('dl > div', { hasText: title }).locator('dd').textContent();
  expect([await figure('imported'), await figure('there already'), await figure('left out')]).toEqual(['1', '0', '1']);
  await dialog.getByText('is not whole JSON').waitFor();
  await dialog.getByText(damaged).waitFor();
  expect(await findings(page)).toEqual([]);

  await page.reload();
  await page.getByRole('grid', { name: 'Runs' }).getByText('To share').waitFor();
  await choose('Import rollouts');
  await dialog.getByText('Done').waitFor();
  await dialog.getByRole('button', { name: 'Import something else' }).click();
  await page.keyboard.press('Escape');
  await bringIn();
  expect([await figure('imported'), await figure('there already')]).toEqual(['0', '1']);
  await dialog.getByRole('button', { name: /nothing new/ }).click();
  await page.getByRole('grid', { name: 'Rollouts' }).getByText('Solved').click();
  // A record need not say when a command ended; in a rollout that has, none runs.
  await page.getByTestId('turn').getByText('not timed').waitFor();
  expect(window.complaints).toEqual([]);
});

async function openDoor(router: Parameters<typeof serveHttp>[0]['router']) {
  const door = await serveHttp({ router, log: silent, port: 0, rendererFolder: await builtPage() });
  return { url: door.issueUrl(), [Symbol.asyncDispose]: () => door.close() };
}
