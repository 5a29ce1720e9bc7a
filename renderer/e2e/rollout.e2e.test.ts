// One rollout, read closely: its recording scrubbed and played, its text searched, its files and tokens looked at. By keyboard where a
// reader would.
import { afterAll, expect, it } from 'vitest';
import { findings } from '../../testing/axe.ts';
import { closeBrowser, type FakeWindow, openFake } from '../../testing/browser.ts';

afterAll(closeBrowser);

/** Opens the first rollout of the demo run in a window. */
async function openRollout(window: FakeWindow) {
  const { page, lab } = window;
  const [run] = lab.state.runs.rows.values();
  const rollout = [...lab.state.rollouts.rows.values()].find((row) => row.runId === run?.id && row.outcome === 'solved');
  if (!rollout) throw new Error('the seed has no such rollout');
  await window.go(`/rollouts/${rollout.id}`);
  await page.getByRole('region', { name: 'Turns' }).waitFor();
  return rollout;
}

it('scrubs the recording with one moment for terminal, track and turns', async () => {
  await using window = await openFake({ seed: 'demo' });
  const { page } = window;
  await openRollout(window);
  await page.getByRole('tab', { name: 'Terminal' }).click();
  const track = page.getByRole('slider', { name: 'Moment of the recording' });
  await track.focus();

  await page.keyboard.press('Home');
  const recorded = page.getByTestId('replay');
  await recorded.waitFor();
  expect(await track.getAttribute('aria-valuetext')).toMatch(/^0:00 of \d:\d\d, turn 1$/);
  expect(await recorded.locator('.xterm-rows').textContent()).not.toContain('summary.csv');

  await page.keyboard.press('PageDown');
  await page.getByTestId('turn').and(page.locator('[data-current]')).getByText('Turn 2').waitFor();
  await page.getByRole('navigation', { name: 'Outline of turns' }).locator('[aria-current]', { hasText: 'awk' }).waitFor();
  await recorded.getByText('head -n 3').waitFor();

  // The other way round: going to a turn takes the recording there.
  await page.getByRole('region', { name: 'Turns' }).focus();
  await page.keyboard.press('j');
  await page.getByTestId('turn').and(page.locator('[data-current]')).getByText('Turn 3').waitFor();
  await recorded.getByText('report.sh: line 7').waitFor();
  expect(await track.getAttribute('aria-valuetext')).toMatch(/turn 3$/);

  await page.keyboard.press('e');
  await recorded.waitFor({ state: 'detached' });
  expect(window.complaints).toEqual([]);
});

it('plays the recording, faster on request, and stops at its end', async () => {
  await using window = await openFake({ seed: 'demo' });
  const { page } = window;
  await openRollout(window);
  await page.getByRole('tab', { name: 'Terminal' }).click();
  await page.getByRole('button', { name: 'Play the recording' }).waitFor();
  for (let press = 0; press < 4; press += 1) await page.keyboard.press('>');
  await page.getByRole('combobox', { name: 'Speed' }).getByText('16×').waitFor();
  await page.keyboard.press('p');
  await page.getByRole('button', { name: 'Pause the recording' }).waitFor();
  await page.getByTestId('replay').getByText('cat summary.csv').first().waitFor();
  await page.getByRole('button', { name: 'Play the recording' }).waitFor();
  const track = page.getByRole('slider', { name: 'Moment of the recording' });
  expect(await track.getAttribute('aria-valuenow')).toBe(await track.getAttribute('aria-valuemax'));
  expect(window.complaints).toEqual([]);
});

it('finds in commands, output and what was said, goes from hit to hit, and stays where it went', async () => {
  await using window = await openFake({ seed: 'demo' });
  const { page, lab } = window;
  const rollout = await openRollout(window);
  const last = [...lab.state.nodesOf(rollout.id).rows.values()].at(-1);
  if (!last) throw new Error('the rollout has no messages');
  // Deep in an output that is shown cut, with what a careless viewer would act on.
  const noise = Array.from({ length: 3_000 }, (_, line) => `line ${line} <b>summary</b> \u001b[31m`).join('\n');
  lab.state.nodesOf(rollout.id).put({ ...last, content: `${noise}\n\u202eneedle.csv 漢字 <img src=x>\n${noise}` });

  await page.keyboard.press('Control+f');
  const field = page.getByRole('textbox', { name: 'Find in rollout' });
  await field.waitFor();
  await page.keyboard.type('summary.csv');
  const status = page.getByRole('search').getByRole('status');
  await status.getByText(/^1 of \d+ · turn 1, message$/).waitFor();
  await page.keyboard.press('Enter');
  await status.getByText(/^2 of \d+ · turn 2, plan$/).waitFor();
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);

  await page.keyboard.press('Control+a');
  await page.keyboard.type('NEEDLE.csv 漢');
  await status.getByText('1 of 1 · turn 3, message').waitFor();
  const hit = page.locator('[data-find-excerpt] mark');
  await hit.waitFor();
  expect(await hit.textContent()).toBe('needle.csv 漢');
  await page.getByText('Line 3,001').waitFor();
  const inView = () =>
    hit.evaluate((element) => {
      const view = element.closest('.turns')?.getBoundingClientRect();
      const { top, bottom } = element.getBoundingClientRect();
      return view !== undefined && top >= view.top && bottom <= view.bottom ? Math.round(top) : null;
    });
  const top = await inView();
  expect(top).not.toBeNull();
  for (let frame = 0; frame < 20; frame += 1) await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(await inView()).toBe(top);

  await page.keyboard.press('Escape');
  await page.getByRole('search').waitFor({ state: 'detached' });
  expect(await page.getByRole('region', { name: 'Turns' }).evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await page.locator('.turn img, .turn b').count()).toBe(0);
  expect(window.complaints).toEqual([]);
});

it('lists the files that the agent left changed, and warns where tests are among them', async () => {
  await using window = await openFake({ seed: 'demo' });
  const { page, lab } = window;
  await openRollout(window);
  await page.getByRole('tab', { name: 'Files' }).click();
  const list = page.getByRole('list', { name: 'Changed files' });
  await list.getByText('/app/summary.csv').waitFor();
  await page.getByText('1 added · 1 modified · 1 deleted').waitFor();
  expect(await page.getByText('to tests.').count()).toBe(0);

  const wrong = [...lab.state.rollouts.rows.values()].find((row) => row.outcome === 'turn_limit');
  await window.go(`/rollouts/${wrong?.id}`);
  await page.locator('.page-head').getByText('Turn limit').waitFor();
  await page.getByRole('tab', { name: 'Files' }).click();
  await page.getByText('1 changed file belongs to tests.').waitFor();
  expect(window.complaints).toEqual([]);
});

it('shows the request, the answer and its tokens of a turn by keyboard alone', async () => {
  await using window = await openFake({ seed: 'demo' });
  const { page } = window;
  await openRollout(window);
  await page.keyboard.press('Control+g');
  await page.getByRole('spinbutton', { name: 'Turn' }).waitFor();
  await page.keyboard.type('9');
  await page.getByText('There are turns 1 to 3.').waitFor();
  await page.keyboard.press('Backspace');
  await page.keyboard.type('2');
  await page.keyboard.press('Enter');
  await page.getByTestId('turn').and(page.locator('[data-current]')).getByText('Turn 2').waitFor();

  await page.keyboard.press('x');
  const dialog = page.getByRole('dialog', { name: 'Request and answer, turn 2' });
  const sent = dialog.getByRole('region', { name: 'Messages that were sent' });
  await sent.getByText('── user ──').first().waitFor();
  await dialog.getByText('Sent: 3 messages').waitFor();
  await dialog.getByRole('button', { name: 'Came back' }).focus();
  await page.keyboard.press('Enter');
  await dialog.getByRole('region', { name: 'Text' }).getByText('"plan": "Sum the sizes').waitFor();
  const again = dialog.getByRole('status', { name: 'Re-encoded' });
  await again.getByText('Differs when re-encoded').waitFor();
  await again.getByText(/^From token 7 of \d+ on, 2 tokens became 1, after/).waitFor();
  await dialog.getByRole('button', { name: /tokens with probabilities/ }).focus();
  await page.keyboard.press('Enter');
  await dialog.getByRole('region', { name: /^Tokens/ }).focus();
  await page.keyboard.press('n');
  await dialog
    .getByRole('status')
    .getByText(/^[\d.]+ %$/)
    .waitFor();
  expect(
    Number.parseFloat(
      (await dialog
        .getByRole('status')
        .getByText(/^[\d.]+ %$/)
        .textContent()) ?? '',
    ),
  ).toBeLessThan(10);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await page.keyboard.press('f');
  await page.waitForFunction(() => document.querySelectorAll('.turn').length === 1 || document.querySelector('.turns-body[hidden]'));
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: 'Turn 3' }).filter({ visible: true }).waitFor();
  expect(await page.getByTestId('turn').filter({ visible: true }).count()).toBe(1);
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Turn 2' }).filter({ visible: true }).waitFor();
  expect(window.complaints).toEqual([]);
});

it.each(['light', 'dark', 'contrast'] as const)('has no serious finding of axe in the %s theme, whatever is open', async (theme) => {
  await using window = await openFake({ seed: 'demo' });
  const { page, lab } = window;
  await page.evaluate((chosen) => localStorage.setItem('termarium.preferences', JSON.stringify({ theme: chosen })), theme);
  await page.reload();
  await openRollout(window);
  await page.getByRole('tab', { name: 'Terminal' }).click();
  await page.getByRole('slider').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('PageDown');
  await page.getByTestId('replay').getByText('head -n 3').waitFor();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('summary.csv');
  await page.getByRole('status').getByText(/^1 of/).waitFor();
  expect(await findings(page), 'recording and find').toEqual([]);
  await page.keyboard.press('Escape');

  await page.keyboard.press('x');
  for (const side of [/^Sent/, 'Came back', /tokens/]) {
    await page.getByRole('dialog').getByRole('button', { name: side }).click();
    expect(await findings(page), String(side)).toEqual([]);
  }
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  const wrong = [...lab.state.rollouts.rows.values()].find((row) => row.outcome === 'turn_limit');
  await window.go(`/rollouts/${wrong?.id}`);
  await page.locator('.page-head').getByText('Turn limit').waitFor();
  await page.getByRole('tab', { name: 'Files' }).click();
  await page.getByText('1 changed file belongs to tests.').waitFor();
  await page.keyboard.press('f');
  expect(await findings(page), 'files and focus').toEqual([]);
});

it('opens and searches two thousand turns without stalling, and lands exactly where it is sent', async () => {
  await using window = await openFake({ seed: 'large' });
  const { page, lab } = window;
  const long = [...lab.state.rollouts.rows.keys()][0];
  await page.getByText('5,000 runs').waitFor();
  const opened = await page.evaluate(async (id) => {
    const started = performance.now();
    location.assign(`#/rollouts/${id}`);
    while (!document.querySelector('.turn h3') && performance.now() - started < 10_000) await new Promise(requestAnimationFrame);
    return performance.now() - started;
  }, long);
  await page.waitForFunction(() => document.querySelector('.outline ol')?.getBoundingClientRect().height === 2000 * 26);

  await page.keyboard.press('Control+g');
  await page.getByRole('spinbutton', { name: 'Turn' }).fill('1234');
  // Listens before the key is pressed: what is asked of the page afterwards may come too late.
  await page.evaluate(() => {
    document.addEventListener('submit', () => performance.mark('sent'), { capture: true, once: true });
  });
  await page.keyboard.press('Enter');
  const ms = await page.evaluate(async () => {
    const reached = () => [...document.querySelectorAll('.turn[data-current] h3')].some((title) => title.textContent === 'Turn 1234');
    const asked = performance.now();
    while (!reached() && performance.now() - asked < 10_000) await new Promise(requestAnimationFrame);
    return performance.now() - (performance.getEntriesByName('sent')[0]?.startTime ?? Number.NEGATIVE_INFINITY);
  });
  const top = () =>
    page
      .locator('.turn[data-current]')
      .evaluate((element) =>
        Math.round(element.getBoundingClientRect().top - (element.closest('.turns')?.getBoundingClientRect().top ?? 0)),
      );
  await page.waitForFunction(() => document.querySelector('.turn[data-current]') !== null);
  for (let frame = 0; frame < 10; frame += 1) await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(Math.abs(await top())).toBeLessThan(2);

  await page.keyboard.press('Control+f');
  await page.keyboard.type('step 1777 line');
  await page.getByRole('search').getByRole('status').getByText('1 of 8 · turn 1778, message').waitFor();
  await page.locator('.turn[data-current]').getByText('Turn 1778').waitFor();
  for (let frame = 0; frame < 10; frame += 1) await page.evaluate(() => new Promise(requestAnimationFrame));
  const highlighted = await page.evaluate(() => {
    const [range] = CSS.highlights.get('find-current') ?? [];
    const view = document.querySelector('.turns')?.getBoundingClientRect();
    if (!(range instanceof Range) || !view) return null;
    const box = range.getBoundingClientRect();
    return { text: range.toString(), inView: box.top >= view.top && box.bottom <= view.bottom };
  });
  expect(highlighted).toEqual({ text: 'step 1777 line', inView: true });
  // The bars are 500 and 100 ms; a machine that does other things too is given three times as long.
  expect({ opened: opened < 1500, jumped: ms < 300 }, `${Math.round(opened)} ms, ${Math.round(ms)} ms`).toEqual({
    opened: true,
    jumped: true,
  });
  console.info(`opened in ${Math.round(opened)} ms, jumped in ${Math.round(ms)} ms`);
});
