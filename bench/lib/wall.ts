// Terminals under load: 62 live ones that redraw 30 times a second, of which the page shows 12, and one beside them that is typed into.
import { PassThrough } from 'node:stream';
import type { Page } from 'playwright-core';
import type { TtyConnection } from '../../main/lib/connection.ts';
import type { Lab } from '../../main/rollout/lab.ts';
import { openLocalTty } from '../../main/terminal/local.ts';
import { openTerminal } from '../../main/terminal/session.ts';
import type { HttpDoor } from '../../main/transport/http.ts';
import { openWindow } from '../../testing/browser.ts';
import { quantile } from '../report.ts';
import type { FullLab } from './full-lab.ts';

type Tell = (metric: string, value: number, unit: string, bar?: string | null) => void;

const UPDATES_A_SECOND = 30;
const SHOWN = 12;
const KEYS = 60;

/** The page shows both at once: wall and typing share one main thread, as two windows of one browser do. */
export async function measureTerminals(lab: Lab, door: HttpDoor, full: FullLab, tell: Tell): Promise<void> {
  await using ending = new AsyncDisposableStack();
  lab.store.runs.setStatus(full.wallRun, 'running');
  const busy = lab.store.rollouts.ofRun(full.wallRun);
  for (const { id, runId } of busy) ending.use(await play(lab, id, runId, redrawing()));
  const typed = lab.store.rollouts.get(full.typed);
  if (!typed) throw new Error('the rollout to type into is gone');
  ending.use(await play(lab, typed.id, typed.runId, await openLocalTty({ command: ['cat'], cols: 160, rows: 40 }), true));

  const window = ending.use(await openWindow(door.issueUrl()));
  const { page } = window;
  await window.go(`/runs/${full.wallRun}`);
  await page
    .getByTestId('wall')
    .locator('.xterm-rows', { hasText: 'update' })
    .nth(SHOWN - 1)
    .waitFor({ timeout: 60_000 });
  const [typing] = await Promise.all([
    page.context().waitForEvent('page'),
    page.evaluate((hash) => void open(`${location.pathname}#${hash}`), `/rollouts/${full.typed}`),
  ]);
  await typing.getByRole('region', { name: 'Interactive terminal' }).locator('.xterm-rows').waitFor();

  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const work = async () => (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  const [started, before] = [performance.now(), await work()];
  const series: number[][] = [];
  for (let round = 0; round < 3; round += 1) series.push(await echoTimes(typing));
  const best = (share: number) => Math.min(...series.map((echoes) => quantile(echoes, share)));
  const share = ((await work()) - before) / ((performance.now() - started) / 1000);
  tell(`key to echo beside ${SHOWN} shown and ${busy.length - SHOWN} hidden terminals, p95`, best(0.95), 'ms', '<= 50');
  tell('key to echo, p50', best(0.5), 'ms');
  tell('main thread meanwhile', share * 100, '% busy', '<= 60');
}

async function play(lab: Lab, rolloutId: string, runId: string, connection: TtyConnection, human = false): Promise<AsyncDisposable> {
  const live = lab.live.add(rolloutId, runId, human);
  const terminal = await openTerminal(connection, { cols: 160, rows: 40 });
  live.terminal = terminal;
  lab.store.rollouts.update(rolloutId, 'started', { status: 'running', startedAt: Date.now() });
  const { human: input } = live;
  const typed = (async () => {
    for await (const action of input ?? []) if (action.action === 'type') await terminal.send(action.data);
  })();
  return {
    async [Symbol.asyncDispose]() {
      lab.live.remove(rolloutId);
      await typed;
      await terminal[Symbol.asyncDispose]();
    },
  };
}

/** What a program with a spinner and a progress table prints: a few lines of its screen anew, 30 times a second. */
function redrawing(): TtyConnection {
  const output = new PassThrough();
  let update = 0;
  let end = () => {};
  const exited = new Promise<number | null>((resolve) => {
    end = () => resolve(0);
  });
  const timer = setInterval(() => {
    update += 1;
    const lines = Array.from(
      { length: 6 },
      (_, line) =>
        `\u001b[${line + 1};1H\u001b[3${line + 1}m${'⠋⠙⠹⠸⠼⠴⠦⠧'.charAt(update % 8)}\u001b[0m update ${update} of stage ${line} ${'#'.repeat(update % 60)}\u001b[K`,
    );
    output.write(lines.join(''));
  }, 1000 / UPDATES_A_SECOND);
  return {
    output,
    exited,
    async write() {},
    async resize() {},
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      output.end();
      end();
    },
  };
}

/** From each key to the frame in which the terminal's text holds it, in ms. */
async function echoTimes(page: Page): Promise<number[]> {
  await page.getByRole('textbox', { name: 'Terminal, type here' }).focus();
  const times: number[] = [];
  // Ctrl+U empties the line that is being typed.
  await page.keyboard.press('Control+u');
  let line = '';
  for (let index = 0; index < KEYS; index += 1) {
    const letter = 'abcdefghij'.charAt(index % 10);
    line += letter;
    const seen = page.evaluate(
      (wanted) =>
        new Promise<number>((resolve) => {
          const look = (started: number) => {
            if (document.querySelector('.terminal-host .xterm-rows')?.textContent?.includes(wanted)) resolve(performance.now() - started);
            else requestAnimationFrame(() => look(started));
          };
          addEventListener('keydown', () => look(performance.now()), { capture: true, once: true });
        }),
      line,
    );
    await page.evaluate(() => new Promise(requestAnimationFrame));
    await page.keyboard.press(letter);
    times.push(await seen);
  }
  return times;
}
