// The browser door with a real browser in it: the page's own client, built as it ships, against the real HTTP server and its guards.
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { implement } from '@orpc/server';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { contract } from '../main/contract/index.ts';
import { silent } from '../main/lib/log.ts';
import { type HttpDoor, serveHttp } from '../main/transport/http.ts';

const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const root = join(import.meta.dirname, '..');
let browser: Browser;
let context: BrowserContext;
let folder: string;
let complaints: string[];
const doors = new Set<HttpDoor>();

/** A page that connects, and writes down on itself what state it is in and who is at the other end. */
const script = `
import { connect } from ${JSON.stringify(join(root, 'renderer', 'client', 'index.ts'))};
const connection = connect();
const show = () => {
  const state = connection.state();
  document.body.dataset.state = state.kind;
  if (state.kind === 'connected') document.body.dataset.instance = state.peer.instance;
};
connection.onState(show);
show();
`;

beforeAll(async () => {
  if (!existsSync(chromiumPath)) return;
  folder = await mkdtemp(join(tmpdir(), 'termarium-door-'));
  await writeFile(
    join(folder, 'index.html'),
    '<!doctype html><title>door</title><link rel="icon" href="data:,"><body><script type="module" src="./page.ts"></script></body>',
  );
  await writeFile(join(folder, 'page.ts'), script);
  await build({
    configFile: false,
    root: folder,
    base: '/',
    logLevel: 'error',

    build: { outDir: 'built', target: 'es2024' },
  });
  browser = await chromium.launch({
    executablePath: chromiumPath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--host-resolver-rules=MAP rebound.example 127.0.0.1'],
  });
}, 60_000);
afterEach(async () => {
  await context.close();
  for (const door of doors) await door.close();
  doors.clear();
});
afterAll(async () => {
  await browser?.close();
  if (folder) await rm(folder, { recursive: true });
});

async function openDoor(instance: string, options: { port?: number; secret?: Uint8Array } = {}): Promise<HttpDoor> {
  const os = implement(contract);
  const router = { system: { hello: os.system.hello.handler(() => ({ version: '1.0', instance, platform: 'linux' })) } };
  const { port = 0, secret = Buffer.alloc(32, 1) } = options;
  const door = await serveHttp({ router, log: silent, port, secret, rendererFolder: join(folder, 'built') });
  doors.add(door);
  return door;
}

async function close(door: HttpDoor): Promise<void> {
  doors.delete(door);
  await door.close();
}

async function newPage(): Promise<Page> {
  context = await browser.newContext();
  const page = await context.newPage();
  complaints = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return page;
}

const state = (page: Page, kind: string) => page.waitForSelector(`body[data-state="${kind}"]`, { state: 'attached', timeout: 15_000 });

describe.skipIf(!existsSync(chromiumPath))(`in ${chromiumPath}`, () => {
  test('a one-time URL lets the page in, and nothing is left of it', async () => {
    const door = await openDoor('first life');
    const page = await newPage();
    await page.goto(door.issueUrl());
    await state(page, 'connected');
    expect(page.url()).toBe(`${door.url}/`);
    // A script that was injected could not read the session.
    expect(await page.evaluate('document.cookie')).toBe('');
    // Reloading needs no token any more, and the page keeps to its own policy.
    await page.reload();
    await state(page, 'connected');
    expect(complaints).toEqual([]);
  });

  test('the page finds the lab again after a restart', async () => {
    const first = await openDoor('first life');
    const page = await newPage();
    await page.goto(first.issueUrl());
    await state(page, 'connected');
    await close(first);
    await state(page, 'reconnecting');
    await openDoor('second life', { port: first.port });
    await page.waitForSelector('body[data-state="connected"][data-instance="second life"]', { state: 'attached', timeout: 15_000 });
  });

  test('a page whose session is no longer good says so instead of trying for ever', async () => {
    const first = await openDoor('first life');
    const page = await newPage();
    await page.goto(first.issueUrl());
    await state(page, 'connected');
    await close(first);
    await openDoor('another lab', { port: first.port, secret: Buffer.alloc(32, 2) });
    await state(page, 'unauthorized');
  });

  test('without a session there is a page that says what to do', async () => {
    const door = await openDoor('first life');
    const page = await newPage();
    const answer = await page.goto(door.url);
    expect(answer?.status()).toBe(401);
    expect(await page.textContent('body')).toContain('one-time address');
  });

  test('a name that was pointed here by somebody else does not get in', async () => {
    const door = await openDoor('first life');
    const page = await newPage();
    await page.goto(door.issueUrl());
    const answer = await page.goto(`http://rebound.example:${door.port}/`);
    expect(answer?.status()).toBe(403);
  });

  test('another site can link to the lab, but neither connect to it, read it nor frame it', async () => {
    const door = await openDoor('first life');
    const site = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<a href="${door.url}/">lab</a><iframe src="${door.url}/"></iframe>`);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    try {
      const page = await newPage();
      await page.goto(door.issueUrl());
      await state(page, 'connected');
      expect(door.sockets.count()).toBe(1);
      const address = site.address();
      if (address === null || typeof address === 'string') throw new Error('the other site has no port');
      // localhost is another site than 127.0.0.1.
      await page.goto(`http://localhost:${address.port}/`);
      const attempt = await page.evaluate(
        (url) =>
          new Promise<string>((resolve) => {
            const socket = new WebSocket(`${url.replace('http', 'ws')}/rpc`);
            socket.onopen = () => resolve('open');
            socket.onclose = () => resolve('closed');
          }),
        door.url,
      );
      expect(attempt).toBe('closed');
      const read = await page.evaluate(
        (url) =>
          fetch(`${url}/session`, { credentials: 'include' }).then(
            () => 'read',
            () => 'kept',
          ),
        door.url,
      );
      expect(read).toBe('kept');
      expect(page.frames().map((frame) => frame.url())).not.toContain(`${door.url}/`);

      await page.click('a');
      await page.waitForURL(`${door.url}/`);
      await state(page, 'connected');
    } finally {
      site.closeAllConnections();
      await new Promise((resolve) => site.close(resolve));
    }
  });
});
