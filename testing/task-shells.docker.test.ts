// A shell in a real container: its start is told, keys go in, output comes back, and nothing of it is left when nobody watches any more.
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { TaskShells } from '../main/edit/shells.ts';
import { loadTask } from '../main/task/load.ts';
import { openTestLab, type TestLab, writeTask } from './lab.ts';

let lab: TestLab;
let taskId: string;
beforeAll(async () => {
  lab = await openTestLab();
  await writeTask(`${lab.folder}/set`, { name: 'look', test: 'true' });
  const { setId } = await lab.client.tasks.importFolder({ path: `${lab.folder}/set` });
  taskId = (await lab.client.tasks.watch({ setId })).rows[0]?.id ?? '';
});
afterAll(async () => {
  await lab.client.system.clean({ remove: true, images: true });
  await lab[Symbol.asyncDispose]();
});

/** Reads on from `cursor` until the text holds `wanted` or the shell has ended. */
async function readUntil(shellId: string, wanted: RegExp, from = 0): Promise<{ text: string; cursor: number; ended: boolean }> {
  let text = '';
  for (let cursor = from; ; ) {
    const answer = await lab.client.shells.watch({ shellId, cursor });
    if (answer.kind === 'exit') return { text, cursor, ended: true };
    text += answer.kind === 'more' ? Buffer.from(answer.data, 'base64').toString() : answer.screen;
    cursor = answer.cursor;
    if (wanted.test(text)) return { text, cursor, ended: false };
  }
}

const shellContainers = async () => (await lab.client.system.clean({ remove: false })).found.filter((thing) => thing.kind === 'container');

test('opens, is typed into, and is gone when it is closed', async () => {
  const { shellId } = await lab.client.shells.open({ taskId, cols: 100, rows: 30 });
  const started = await readUntil(shellId, /root@.*#/);
  expect(started.text).toContain('Starting a container');
  await lab.client.shells.type({ shellId, data: 'echo $((6*7)) at $PWD\r' });
  await readUntil(shellId, /42 at \/app/, started.cursor);
  // Whoever comes later, as a page does after a reload, sees the screen as it is.
  expect((await readUntil(shellId, /42 at \/app/)).ended).toBe(false);
  expect(await shellContainers()).toHaveLength(1);
  await lab.client.shells.close({ shellId });
  expect(await shellContainers()).toEqual([]);
  expect((await readUntil(shellId, /never/)).ended).toBe(true);
});

test('that is left by its program ends, and says so', async () => {
  const { shellId } = await lab.client.shells.open({ taskId, cols: 80, rows: 24 });
  const { cursor } = await readUntil(shellId, /root@.*#/);
  await lab.client.shells.type({ shellId, data: 'exit\r' });
  expect((await readUntil(shellId, /never/, cursor)).ended).toBe(true);
});

test('whose image cannot be built says why and ends', async () => {
  const path = await writeTask(`${lab.folder}/broken`, { name: 'broken', test: 'true', dockerfile: 'RUN false' });
  const { setId } = await lab.client.tasks.importFolder({ path });
  const broken = (await lab.client.tasks.watch({ setId })).rows[0]?.id ?? '';
  const { shellId } = await lab.client.shells.open({ taskId: broken, cols: 80, rows: 24 });
  const { text, ended } = await readUntil(shellId, /never/);
  expect({ text, ended }).toEqual({ text: expect.stringContaining('RUN false'), ended: true });
  await rm(path, { recursive: true });
});

test('that nobody watches is closed with its container', async () => {
  await using shells = new TaskShells(lab.app.lab, 300);
  const shellId = shells.open(await loadTask(`${lab.folder}/set/look`), { cols: 80, rows: 24 });
  const signal = new AbortController().signal;
  for (let cursor = 0; cursor < 2 ** 40; ) cursor = (await shells.watch(shellId, cursor, 20_000, signal)).cursor;
  expect(await shellContainers()).toHaveLength(1);
  await vi.waitFor(async () => expect(await shellContainers()).toEqual([]), { timeout: 15_000 });
});
