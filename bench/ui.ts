// Speed of the page: Chromium against the real backend through its browser door, on a lab that is fuller than anybody's.
import { cp, mkdtempDisposable, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { createApp } from '../main/app.ts';
import { resolvePaths } from '../main/config/paths.ts';
import { silent } from '../main/lib/log.ts';
import { serveHttp } from '../main/transport/http.ts';
import { builtPage, closeBrowser, openWindow } from '../testing/browser.ts';
import { fillLab, sizes } from './lib/full-lab.ts';
import { measureTerminals } from './lib/wall.ts';
import { quantile, type Report } from './report.ts';

export async function run(report: Report): Promise<void> {
  const tell = (metric: string, value: number, unit: string, bar: string | null = null) =>
    report({ bench: 'ui', metric, value: Number(value.toPrecision(4)), unit, bar });
  await using folder = await mkdtempDisposable(join(tmpdir(), 'termarium-bench-ui-'));
  const full = fillLab(folder.path);
  const app = await createApp({ paths: resolvePaths({ data: folder.path }), log: silent });
  // A copy: somebody may build again meanwhile.
  const rendererFolder = join(folder.path, 'page');
  await cp(await builtPage(), rendererFolder, { recursive: true });
  const door = await serveHttp({ router: app.router, log: silent, port: 0, rendererFolder });
  try {
    tell('initial JavaScript', (await initialScripts(rendererFolder)) / 1e6, 'MB', '<= 1.5');
    {
      await using window = await openWindow(door.issueUrl());
      const { page } = window;
      const paints: number[] = [];
      for (let round = 0; round < 5; round += 1) {
        await page.reload();
        await page.getByRole('grid', { name: 'Runs' }).getByRole('row').nth(10).waitFor();
        paints.push(await page.evaluate(() => performance.now()));
      }
      tell(`first rows of ${sizes.runs} runs after a reload, p50`, quantile(paints, 0.5), 'ms', '<= 1500');

      await window.go(`/runs/${full.largeRun}`);
      await page.getByText('100,000 rollouts').waitFor({ timeout: 120_000 });
      for (const [pace, pixels] of [
        ['100 rows a second', 50],
        ['1,000 rows a second', 500],
      ] as const) {
        const rates = await series(() => scrolled(page, pixels));
        tell(`scrolling ${sizes.rollouts} rollouts at ${pace}, p50`, Math.max(...rates), 'frames/s', '>= 55');
      }
      const filters: number[] = [];
      for (const words of ['slow-query', 'solved', 'leaked', 'time limit', 'flaky queued']) {
        const times = await series(async () => {
          const took = await filtered(page, words);
          await filtered(page, '');
          return took;
        });
        filters.push(Math.min(...times));
      }
      tell(`filtering ${sizes.rollouts} rollouts, slowest of ${filters.length}`, Math.max(...filters), 'ms', '<= 150');

      const opened = await series(async () => {
        await window.go('/settings');
        await page.reload();
        await page.getByRole('heading', { name: 'This lab' }).waitFor();
        return openedIn(page, `/rollouts/${full.longRollout}`);
      });
      tell(`opening a rollout of ${sizes.turns} turns`, Math.min(...opened), 'ms', '<= 500');
      await page.waitForFunction(
        (height) => document.querySelector('.outline ol')?.getBoundingClientRect().height === height,
        sizes.turns * 26,
      );
      const jumps = await series(async () => [await jumped(page, 'G', 'Turn 2000'), await jumped(page, 'gg', 'Turn 1')]);
      tell('jumping from end to end of it, slower way', Math.min(...jumps.map((both) => Math.max(...both))), 'ms', '<= 100');

      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').waitFor();
      // Runs and tasks are read when the palette opens for the first time; the last of them is there when all are.
      await page.keyboard.type(full.lastTask);
      await page.getByRole('option', { name: full.lastTask }).waitFor({ timeout: 60_000 });
      const typed = await series(() => wordsTyped(page, 'slow query 421'));
      const letters = (typed[0] ?? []).map((_, place) => Math.min(...typed.map((times) => times[place] ?? Number.NaN)));
      tell(`palette over ${sizes.runs + sizes.tasks} names, slowest of ${letters.length} letters`, Math.max(...letters), 'ms', '<= 30');
    }
    await measureTerminals(app.lab, door, full, tell);
  } finally {
    await closeBrowser();
    await door.close();
    await app.close();
  }
}

/** Times of so many tries. The best of them counts: whatever else runs on the machine can only make one worse. */
async function series<Value>(measure: () => Promise<Value>): Promise<Value[]> {
  const values: Value[] = [];
  for (let round = 0; round < 5; round += 1) values.push(await measure());
  return values;
}

/** Bytes of the scripts that are there before the first screen is. */
async function initialScripts(folder: string): Promise<number> {
  const assets = join(folder, 'assets');
  const entries = (await readdir(assets)).filter((name) => /^index-.*\.js$/.test(name));
  return (await Promise.all(entries.map(async (name) => (await stat(join(assets, name))).size))).reduce((sum, size) => sum + size, 0);
}

/** Frames a second, as the median of frame times, while the table scrolls so many pixels every frame of a 60 Hz screen. */
async function scrolled(page: Page, pixels: number): Promise<number> {
  const frames = await page.evaluate(
    (step) =>
      new Promise<number[]>((resolve) => {
        const grid = document.querySelector('[role="grid"][aria-label="Rollouts"]');
        const times: number[] = [];
        let last = performance.now();
        const frame = (now: number) => {
          times.push(now - last);
          last = now;
          if (grid) grid.scrollTop += step;
          if (times.length < 240) requestAnimationFrame(frame);
          else resolve(times.slice(10));
        };
        requestAnimationFrame(frame);
      }),
    pixels,
  );
  return 1000 / quantile(frames, 0.5);
}

/** From the click on a link to the frame that shows the first turn. */
async function openedIn(page: Page, path: string): Promise<number> {
  return page.evaluate(async (hash) => {
    const started = performance.now();
    location.hash = hash;
    while (!document.querySelector('[data-testid="turn"]')) await new Promise(requestAnimationFrame);
    return performance.now() - started;
  }, path);
}

/** From the change of the filter to the frame that shows its result. */
async function filtered(page: Page, words: string): Promise<number> {
  return page.evaluate(async (text) => {
    const input = document.querySelector<HTMLInputElement>('#rollouts-filter');
    const figure = () => document.querySelector('[aria-label="Filter rollouts"] .figures')?.textContent;
    const before = figure();
    if (!input) throw new Error('there is no filter');
    const started = performance.now();
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
    while (figure() === before) await new Promise(requestAnimationFrame);
    return performance.now() - started;
  }, words);
}

async function jumped(page: Page, keys: string, title: string): Promise<number> {
  await page.evaluate((heading) => {
    const told = { ms: 0 };
    Object.assign(globalThis, { told });
    addEventListener(
      'keydown',
      () => {
        const started = performance.now();
        const look = () => {
          if ([...document.querySelectorAll('h2, h3')].some((found) => found.textContent === heading))
            told.ms = performance.now() - started;
          else requestAnimationFrame(look);
        };
        look();
      },
      { capture: true, once: true },
    );
  }, title);
  if (keys === 'G') await page.keyboard.press('Shift+G');
  else for (const key of keys) await page.keyboard.press(key);
  return toldTime(page);
}

/** Types into the emptied palette; the time of each letter. */
async function wordsTyped(page: Page, words: string): Promise<number[]> {
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  const times: number[] = [];
  for (const [place, letter] of [...words].entries()) {
    if (letter === ' ') await page.keyboard.type(letter);
    else times.push(await letterTyped(page, letter, words.slice(0, place + 1)));
  }
  return times;
}

/** From a letter's input to the list that marks it in its first entry. */
async function letterTyped(page: Page, letter: string, sofar: string): Promise<number> {
  await page.evaluate(
    (wanted) => {
      const told = { ms: 0 };
      Object.assign(globalThis, { told });
      addEventListener(
        'input',
        () => {
          const started = performance.now();
          const channel = new MessageChannel();
          channel.port1.onmessage = () => {
            const marks = document.querySelector('.palette-item')?.querySelectorAll('mark') ?? [];
            if (
              [...marks]
                .map((mark) => mark.textContent)
                .join('')
                .toLowerCase() === wanted
            )
              told.ms = performance.now() - started;
            else channel.port2.postMessage(null);
          };
          channel.port2.postMessage(null);
        },
        { capture: true, once: true },
      );
    },
    sofar.replaceAll(' ', ''),
  );
  await page.keyboard.type(letter);
  return toldTime(page);
}

async function toldTime(page: Page): Promise<number> {
  const told = await page.waitForFunction(() => (globalThis as unknown as { told: { ms: number } }).told.ms); // put there by the caller
  return Number(await told.jsonValue());
}
