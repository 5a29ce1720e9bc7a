// More than anybody reads: 5,000 runs, 100,000 rollouts, 2,000 turns. Budgets are those of the design with slack for a shared machine.
import { afterAll, expect, it } from 'vitest';
import { closeBrowser, openFake } from '../../testing/browser.ts';

afterAll(closeBrowser);

it('shows a hundred thousand rollouts and two thousand turns without having them all in the document', async () => {
  await using window = await openFake({ seed: 'large' });
  const { page, lab } = window;
  await page.getByText('5,000 runs').waitFor();
  expect(await page.locator('.table-row').count()).toBeLessThan(80);

  const large = [...lab.state.runs.rows.values()].find((run) => run.name === 'A hundred thousand');
  await window.go(`/runs/${large?.id}`);
  await page.getByText('100,000 rollouts').waitFor({ timeout: 60_000 });
  expect(await page.locator('.table-row').count()).toBeLessThan(80);

  await page.getByRole('searchbox', { name: /Filter/ }).fill('slow-query');
  const filtered = await page.evaluate(async () => {
    const input = document.querySelector<HTMLInputElement>('#rollouts-filter');
    const started = performance.now();
    while (!document.body.textContent?.includes('8,333 of 100,000')) await new Promise(requestAnimationFrame);
    return { ms: performance.now() - started, value: input?.value };
  });
  expect(filtered.value).toBe('slow-query');
  expect(filtered.ms).toBeLessThan(1500);

  const long = [...lab.state.rollouts.rows.keys()][0];
  await window.go(`/rollouts/${long}`);
  await page.getByRole('heading', { name: 'Turn 1', exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Verdict' }).waitFor();
  await page.waitForFunction(() => document.querySelector('.outline ol')?.getBoundingClientRect().height === 2000 * 26);
  await page.keyboard.press('Shift+G');
  await page.getByRole('heading', { name: 'Turn 2000' }).waitFor();
  expect(await page.getByTestId('turn').count()).toBeLessThan(30);

  // Going somewhere ends exactly there, although no height between was known before.
  await page.keyboard.press('g');
  await page.keyboard.press('g');
  await page.getByRole('heading', { name: 'Turn 1', exact: true }).waitFor();
  expect(await page.getByRole('region', { name: 'Turns' }).evaluate((element) => element.scrollTop)).toBe(0);
  expect(window.complaints).toEqual([]);
});
