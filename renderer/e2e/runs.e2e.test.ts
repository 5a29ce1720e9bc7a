// A researcher's first hour, on the fake lab: nothing yet, the demo, a run of one's own, and a rollout read turn by turn.
import { readFile } from 'node:fs/promises';
import { afterAll, expect, it } from 'vitest';
import { findings } from '../../testing/axe.ts';
import { closeBrowser, openFake } from '../../testing/browser.ts';

afterAll(closeBrowser);

it('starts the demo from an empty lab with one click, and shows its terminals live', async () => {
  await using window = await openFake({ seed: 'empty', pace: 0.2 });
  const { page } = window;
  await page.getByRole('heading', { name: 'Nothing has been run yet' }).waitFor();
  await page.getByRole('button', { name: 'Start the demo run' }).click();

  await page.getByRole('heading', { name: 'Demo' }).waitFor();
  const wall = page.getByTestId('wall');
  await wall.locator('.xterm-rows', { hasText: 'root@task:/app#' }).first().waitFor();
  expect(await wall.locator('.tile').count()).toBe(4);

  await page.getByRole('progressbar', { name: 'Rollouts ended' }).filter({ visible: true }).waitFor();
  await page.getByRole('grid', { name: 'Rollouts' }).getByText('Solved').first().waitFor();
  expect(window.complaints).toEqual([]);
});

it('follows an answer while it is sampled, and lets go when its reader scrolls up', async () => {
  await using window = await openFake({ seed: 'empty', pace: 1 });
  const { page } = window;
  await page.getByRole('button', { name: 'Start the demo run' }).click();
  await page.getByTestId('wall').locator('.tile', { hasText: 'terminus' }).click();
  await page.getByLabel('Being sampled').getByText('Analysis').waitFor();
  await page.getByTestId('turn').getByText('exit 0').first().waitFor();
  await page.getByRole('heading', { name: 'Turn 2' }).waitFor();

  await page.getByRole('region', { name: 'Turns' }).hover();
  await page.mouse.wheel(0, -4000);
  await page.getByRole('button', { name: 'Follow' }).waitFor();
  await page.getByRole('heading', { name: 'Turn 1', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Follow' }).click();
  await page.getByRole('button', { name: 'Follow' }).waitFor({ state: 'detached' });
  expect(window.complaints).toEqual([]);
});

it('sets up a run by keyboard alone and starts what it said it would', async () => {
  await using window = await openFake({ seed: 'demo', pace: 0.2 });
  const { page } = window;
  await page.keyboard.press('Control+k');
  await page.keyboard.type('start a run');
  await page.keyboard.press('Enter');
  const set = page.getByRole('checkbox', { name: /bundled/ });
  await set.focus();
  await page.keyboard.press('Space');
  await page.getByRole('checkbox', { name: /terminus/ }).focus();
  await page.keyboard.press('Space');
  await page.getByRole('checkbox', { name: /oracle/ }).focus();
  await page.keyboard.press('Space');
  await page.getByLabel('Attempts').focus();
  await page.keyboard.type('2');
  await page.getByText('rollouts = 12 tasks × 1 agent × 2 attempts').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByRole('region', { name: 'Summary' }).getByText('/ 24').waitFor();
});

it('says what is wrong with a run beside the field, and keeps what was typed over a reload', async () => {
  await using window = await openFake({ seed: 'demo' });
  const { page } = window;
  await window.go('/runs/new');
  await page.getByRole('checkbox', { name: /bundled/ }).click();
  await page.getByText('the chosen agent needs a model').first().waitFor();
  await page.getByLabel('Concurrency').fill('0');
  await page.getByText('Too small').first().waitFor();
  expect(await page.getByRole('button', { name: 'Start', exact: true }).isDisabled()).toBe(true);
  await page.reload();
  await page.getByText('Too small').first().waitFor();
  expect(await page.getByLabel('Concurrency').inputValue()).toBe('0');
});

it('pauses, resumes and cancels a run, and asks before it cancels', async () => {
  await using window = await openFake({ seed: 'empty', pace: 2 });
  const { page } = window;
  await page.getByRole('button', { name: 'Start the demo run' }).click();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.locator('.page-head').getByText('Paused').waitFor();
  await page.keyboard.press('p');
  await page.locator('.page-head').getByText('Running').waitFor();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page
    .getByRole('alertdialog')
    .getByText(/rollouts stop where they are/)
    .waitFor();
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await page.locator('.page-head').getByText('Cancelled').waitFor();
});

it('reads a finished rollout by keyboard: turns, verdict, tests, final screen', async () => {
  await using window = await openFake({ seed: 'demo' });
  const { page } = window;
  await page.getByRole('grid', { name: 'Runs' }).getByText('Nightly, qwen3-4b').click();
  const grid = page.getByRole('grid', { name: 'Rollouts' });
  await grid.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Verdict' }).getByText('test_order').first().waitFor();
  await page.getByText("assert ['carol', 'alice', 'bob']").first().waitFor();

  await page.keyboard.press('j');
  await page.getByTestId('turn').and(page.locator('[data-current]')).getByText('Turn 2').waitFor();
  await page.getByRole('navigation', { name: 'Outline of turns' }).locator('[aria-current]', { hasText: 'awk' }).waitFor();
  await page.getByRole('button', { name: 'Raw' }).first().click();
  await page.getByText('"analysis":').first().waitFor();

  // Going to a turn took the recording there; its end is the final screen.
  await page.keyboard.press('t');
  await page.keyboard.press('e');
  await page.getByTestId('terminal').getByText('grep -c').waitFor();
  expect(window.complaints).toEqual([]);
});

it('tells tampering and broken verifiers apart from failures of the agent', async () => {
  await using window = await openFake({ seed: 'demo' });
  const { page, lab } = window;
  const [cheat] = [...lab.state.verdicts].find(([, graded]) => graded.verdict.tampering.length > 0) ?? [''];
  await window.go(`/rollouts/${cheat}`);
  await page.getByText('1 sign of tampering').waitFor();
  await page.getByText('/logs/verifier/reward.txt existed before the tests ran').waitFor();
  const [broken] = [...lab.state.verdicts].find(([, graded]) => graded.verdict.state === 'verifier_failed') ?? [''];
  await window.go(`/rollouts/${broken}`);
  await page.locator('.page-head').getByText('Verifier failed').waitFor();
});

it('shows hostile text as text', async () => {
  await using window = await openFake({ seed: 'demo' });
  const { page, lab } = window;
  const run = [...lab.state.runs.rows.values()][0];
  const rollout = [...lab.state.rollouts.rows.values()].find((row) => row.runId === run?.id);
  const node = rollout && [...lab.state.nodesOf(rollout.id).rows.values()].find((row) => row.author === 'environment');
  if (!rollout || !node) throw new Error('the seed has no such rollout');
  const hostile = '<img src=x onerror="document.title=1"> \u001b]0;owned\u0007 \u202egnp.exe [x](javascript:alert(1))';
  lab.state.nodesOf(rollout.id).put({ ...node, content: hostile });
  lab.state.screens.set(rollout.id, `\u001b]0;owned\u0007\u001b]52;c;b3duZWQ=\u0007<b>bold</b>`);
  await window.go(`/rollouts/${rollout.id}`);
  await page.getByTestId('turn').getByText('<img src=x onerror=').waitFor();
  await page.getByRole('tab', { name: 'Terminal' }).click();
  await page.getByTestId('terminal').getByText('<b>bold</b>').waitFor();
  expect(await page.title()).toBe(`${rollout.taskName} · Termarium`);
  expect(await page.locator('.turn img, .xterm b').count()).toBe(0);
  expect(window.complaints).toEqual([]);
});

it('goes back to where a list was left', async () => {
  await using window = await openFake({ seed: 'demo' });
  const { page } = window;
  await page.getByRole('grid', { name: 'Runs' }).getByText('Nightly, qwen3-4b').click();
  const grid = page.getByRole('grid', { name: 'Rollouts' });
  await grid.getByText('access-log-summary').first().waitFor();
  await grid.evaluate((element) => element.scrollTo(0, 300));
  await grid.getByText('parse-nginx-config').first().click();
  await page.getByRole('region', { name: 'Verdict' }).waitFor();
  await page.goBack();
  await grid.waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-label="Rollouts"]')?.scrollTop === 300);
});

it('does things with a run of the list by its menu, by keyboard alone: compare, export, run again', async () => {
  await using window = await openFake({ seed: 'demo' });
  const { page } = window;
  const grid = page.getByRole('grid', { name: 'Runs' });
  const nightly = grid.getByRole('row', { name: /Nightly, qwen3-4b/ });
  await nightly.waitFor();
  await grid.focus();
  await page.keyboard.press('Home');
  while (!(await nightly.getAttribute('data-cursor'))) await page.keyboard.press('ArrowDown');
  const choose = async (title: string) => {
    await grid.focus();
    await page.keyboard.press('Shift+F10');
    await page.locator('[role="menu"]:focus-within').waitFor();
    const item = page.getByRole('menuitem', { name: title });
    while (!(await item.evaluate((element) => element === document.activeElement))) await page.keyboard.press('ArrowDown');
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Enter');
  };

  await choose('Compare its configuration');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /oracle/i })
    .first()
    .click();
  await page.getByRole('dialog').getByRole('rowheader', { name: 'agents' }).waitFor();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  const saved = page.waitForEvent('download');
  await choose('Download its table as CSV');
  const file = await saved;
  expect(file.suggestedFilename()).toBe('Nightly-qwen3-4b.csv');
  const text = await readFile(await file.path(), 'utf8');
  expect(text.split('\n')[0]).toContain('rollout,task,task_digest,agent,model,attempt');
  expect(text.trimEnd().split('\n').length).toBeGreaterThan(10);

  await choose('Run again with changes');
  await page.getByRole('heading', { name: 'New run' }).waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Nightly, qwen3-4b');
  expect(window.complaints).toEqual([]);
});

it('edits a run as YAML in step with the form, and keeps the text over a reload', async () => {
  await using window = await openFake({ seed: 'demo', pace: 0.2 });
  const { page } = window;
  await window.go('/runs/new');
  await page.getByRole('checkbox', { name: /bundled/ }).click();
  await page.getByRole('checkbox', { name: /terminus/ }).click();
  await page.getByRole('checkbox', { name: /nop/ }).click();
  await page.getByRole('button', { name: 'YAML' }).click();
  const source = page.getByRole('textbox', { name: 'Configuration as YAML' });
  expect(await source.inputValue()).toBe('tasks:\n  - bundled\nagents:\n  - nop\n');
  expect(await findings(page)).toEqual([]);

  await source.fill('tasks: [bundled]\nagents: [nop]\nattempts: 3\n');
  await page.getByText('rollouts = 12 tasks × 1 agent × 3 attempts').waitFor();
  await page.reload();
  expect(await source.inputValue()).toContain('attempts: 3');
  await page.getByRole('button', { name: 'Form' }).click();
  expect(await page.getByLabel('Attempts').inputValue()).toBe('3');

  await page.getByRole('button', { name: 'YAML' }).click();
  await source.fill('tasks: [bundled]\nagents: [nobody]\n');
  await page.getByText(/Invalid option/).waitFor();
  expect(await page.getByRole('button', { name: 'Start', exact: true }).isDisabled()).toBe(true);
});

it('keeps the filter of a run over a reload, and for that run alone', async () => {
  await using window = await openFake({ seed: 'demo' });
  const { page } = window;
  await page.getByRole('grid', { name: 'Runs' }).getByText('Nightly, qwen3-4b').click();
  const filter = page.getByRole('searchbox', { name: /Filter by task/ });
  await filter.fill('access format');
  await page.getByText(/^\d+ of \d+$/).waitFor();
  await page.reload();
  expect(await filter.inputValue()).toBe('access format');
  await page.getByText(/^\d+ of \d+$/).waitFor();
  await window.go('/runs');
  await page.getByRole('grid', { name: 'Runs' }).getByText('Oracle and nop').click();
  expect(await filter.inputValue()).toBe('');
});
