// What holds on every screen: a lost connection, keys, themes, and that everybody can use it.
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { findings } from '../../testing/axe.ts';
import { builtPage, closeBrowser, openFake } from '../../testing/browser.ts';
import { startLabServer } from '../../testing/lab-server.ts';

afterAll(closeBrowser);

const screens: readonly { name: string; open: (page: Page) => Promise<void> }[] = [
  { name: 'runs', open: (page) => page.getByRole('grid', { name: 'Runs' }).waitFor() },
  {
    name: 'run',
    async open(page) {
      await page.getByText('Nightly, qwen3-4b').click();
      await page.getByRole('grid', { name: 'Rollouts' }).waitFor();
    },
  },
  {
    name: 'matrix',
    async open(page) {
      await page.getByText('Nightly, qwen3-4b').click();
      await page.getByRole('tab', { name: 'Tasks × attempts' }).click();
      await page.getByRole('region', { name: 'Tasks by attempts' }).waitFor();
    },
  },
  {
    name: 'rollout',
    async open(page) {
      await page.getByText('Nightly, qwen3-4b').click();
      await page.getByRole('grid', { name: 'Rollouts' }).getByText('Format limit').first().click();
      await page.getByRole('region', { name: 'Verdict' }).waitFor();
    },
  },
  {
    name: 'final screen',
    async open(page) {
      await page.getByText('Nightly, qwen3-4b').click();
      await page.getByRole('grid', { name: 'Rollouts' }).getByText('Format limit').first().click();
      await page.getByRole('tab', { name: 'Terminal' }).click();
      await page.getByTestId('terminal').getByText('grep -c').waitFor();
    },
  },
  {
    name: 'new run',
    async open(page) {
      await page.getByRole('button', { name: 'Start a run' }).click();
      await page.getByRole('checkbox', { name: /bundled/ }).click();
      await page.getByText('the chosen agent needs a model').first().waitFor();
    },
  },
  {
    name: 'task',
    async open(page) {
      await page.getByRole('link', { name: 'Tasks' }).click();
      await page.getByRole('grid', { name: 'Tasks' }).getByText('orphaned-processes').click();
      await page.getByRole('tab', { name: 'Check' }).click();
      await page.getByRole('list', { name: 'Gates' }).waitFor();
    },
  },
  {
    name: 'models',
    async open(page) {
      await page.getByRole('link', { name: 'Models' }).click();
      await page.getByRole('button', { name: 'Probe' }).nth(1).click();
      await page.getByText('Nothing listens').waitFor();
    },
  },
  {
    name: 'settings',
    async open(page) {
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('heading', { name: 'This lab' }).waitFor();
    },
  },
  {
    name: 'doctor',
    async open(page) {
      await page.getByRole('link', { name: 'Doctor' }).click();
      await page.getByText('1 thing to look at').waitFor();
    },
  },
  {
    name: 'palette',
    async open(page) {
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: /Go to Tasks/ }).waitFor();
    },
  },
  {
    name: 'keys',
    async open(page) {
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    },
  },
];

describe.each(['light', 'dark', 'contrast'] as const)('in the %s theme', (theme) => {
  it('no screen has a serious finding of axe', async () => {
    await using window = await openFake({ seed: 'demo' });
    const { page } = window;
    await page.evaluate((chosen) => localStorage.setItem('termarium.preferences', JSON.stringify({ theme: chosen })), theme);
    for (const { name, open } of screens) {
      await page.evaluate(() => {
        localStorage.removeItem('termarium.launch-draft');
        location.assign('#/runs');
      });
      await page.reload();
      await page.getByRole('grid', { name: 'Runs' }).waitFor();
      await open(page);
      expect(await findings(page), name).toEqual([]);
    }
  });
});

it('keeps what it shows while the lab is away, says so, and catches up when it is back', async () => {
  await using window = await openFake({ seed: 'demo' });
  const { page, lab } = window;
  await page.getByText('Nightly, qwen3-4b').waitFor();
  const { port } = lab.door;
  await lab.close();
  await page.getByText('The connection to the lab is lost.').waitFor();
  expect(await page.getByText('Nightly, qwen3-4b').isVisible()).toBe(true);

  const next = await startLabServer({ seed: 'empty', port, rendererFolder: await builtPage() });
  // A lab that was started anew does not know this browser; a real one remembers it by its secret.
  await page.getByRole('heading', { name: 'This browser is not signed in' }).waitFor();
  await page.goto(next.door.issueUrl());
  await page.getByRole('heading', { name: 'Nothing has been run yet' }).waitFor();
  await next.close();
});

it('closes dialogs with one Escape and gives the focus back', async () => {
  await using window = await openFake({ seed: 'demo' });
  const { page } = window;
  const button = page.getByRole('button', { name: 'Start a run' });
  await button.focus();
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
});

it('follows the system between light and dark, terminals too', async () => {
  await using window = await openFake({ seed: 'demo' }, { colorScheme: 'light' });
  const { page } = window;
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForFunction((before) => getComputedStyle(document.body).backgroundColor !== before, light);
  expect(await page.evaluate(() => document.documentElement.dataset.scheme)).toBe('dark');
});

it('gives an action other keys by keyboard alone, says what they clash with, and puts them back', async () => {
  await using window = await openFake({ seed: 'demo' });
  const { page } = window;
  await window.go('/settings');
  const recorder = page.getByRole('button', { name: /Change the keys of Go to Models/ });
  await recorder.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /New keys of Go to Models/ }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await page.getByText('also Go to Tasks').waitFor();
  expect(await findings(page)).toEqual([]);

  await recorder.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+m');
  await page.getByText('also Go to Tasks').waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('button', { name: /Change the keys of Go to Models: ?Ctrl ?M/ }).waitFor();
  await page.keyboard.press('Control+m');
  await page.getByRole('heading', { name: 'Models', exact: true }).waitFor();

  await window.go('/settings');
  await page.getByRole('button', { name: 'Reset the keys of Go to Models' }).click();
  await page.getByRole('button', { name: /Change the keys of Go to Models: ?G ?M/ }).waitFor();
});
