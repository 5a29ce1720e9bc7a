// Takes the pictures of the guide and the README from a real run of the demo: real tasks, real containers. Needs Docker, the base image and
// Chromium, as the tests do.
//
//   node scripts/screenshots.ts [--to docs/guide/pictures]
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { createApp } from '../main/app.ts';
import { loadRunConfig } from '../main/config/load.ts';
import { resolvePaths } from '../main/config/paths.ts';
import { silent } from '../main/lib/log.ts';
import { serveHttp } from '../main/transport/http.ts';
import { memoryClient } from '../main/transport/memory.ts';
import { builtPage, closeBrowser, openWindow } from '../testing/browser.ts';
import { untilRun } from '../testing/lab.ts';

const { values } = parseArgs({
  options: { to: { type: 'string', default: join(import.meta.dirname, '..', 'docs', 'guide', 'pictures') } },
});
const data = await mkdtemp(join(tmpdir(), 'termarium-pictures-'));
const paths = resolvePaths({ data });
const app = await createApp({ paths, log: silent });
const client = memoryClient({ router: app.router, log: silent });
// A copy: somebody may build again while the demo plays.
const rendererFolder = join(data, 'page');
await cp(await builtPage(), rendererFolder, { recursive: true });
const door = await serveHttp({ router: app.router, log: silent, port: 0, rendererFolder });
const window = await openWindow(door.issueUrl(), { colorScheme: 'light' });
const { page } = window;

try {
  await mkdir(values.to, { recursive: true });
  const { config } = await loadRunConfig({ files: [join(paths.configs, 'eval', 'demo.yaml')], overrides: [], paths });
  const { runId } = await client.runs.start({ config });
  await untilRun(client, runId, ({ counts }) => counts.finished >= counts.total / 2);
  await window.go(`/runs/${runId}`);
  await page.getByTestId('wall').locator('.tile', { hasText: 'terminus' }).first().waitFor();
  await page.getByTestId('wall').locator('.xterm-rows', { hasText: /\S/ }).nth(3).waitFor();
  await picture(page, 'run');

  await untilRun(client, runId, (run) => run.status !== 'running');
  const { rows } = await client.rollouts.watch({ runId });
  const [longest] = rows.filter((row) => row.agent === 'terminus' && row.outcome === 'solved').toSorted((a, b) => b.turns - a.turns);
  if (!longest) throw new Error('The demo agent solved nothing: there is no rollout to show.');
  await window.go(`/rollouts/${longest.id}`);
  await page.getByRole('region', { name: 'Verdict' }).waitFor();
  await page.getByTestId('turn').first().waitFor();
  await page.keyboard.press('Shift+G');
  await page.getByTestId('turn').and(page.locator('[data-current]')).getByText(`Turn ${longest.turns}`).waitFor();
  await picture(page, 'rollout');
} finally {
  await window[Symbol.asyncDispose]();
  await closeBrowser();
  await door.close();
  await app.close();
  await rm(data, { recursive: true, force: true });
}

async function picture(of: Page, name: string): Promise<void> {
  const path = join(values.to, `${name}.png`);
  await of.evaluate(() => document.fonts.ready);
  await of.screenshot({ path });
  console.log(path);
}
