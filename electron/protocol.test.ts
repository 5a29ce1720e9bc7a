import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentSecurityPolicy } from '../main/lib/csp.ts';
import { answer, type PageSource } from './protocol.ts';

let parent: string;
let source: PageSource;
let opened = 0;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'termarium-protocol-'));
  const folder = join(parent, 'renderer');
  await mkdir(join(folder, 'assets'), { recursive: true });
  await writeFile(join(folder, 'index.html'), 'the page');
  await writeFile(join(folder, 'assets', 'index.js'), 'export {};');
  await writeFile(join(parent, 'secret.js'), 'secret');
  await mkdir(join(parent, 'renderer-other'));
  await writeFile(join(parent, 'renderer-other', 'secret.js'), 'secret');
  source = {
    folder,
    failure: () => ({ title: 'The lab keeps stopping', text: '<script>alert(1)</script>', hint: 'Look at the log.' }),
    onOpened: () => {
      opened += 1;
    },
  };
});
afterAll(() => rm(parent, { recursive: true }));

const get = (url: string, method = 'GET') =>
  answer(Object.defineProperty(new Request('app://termarium/', { method }), 'url', { value: url }), source);

test('serves the page and its files with their types and the policy', async () => {
  const page = await get('app://termarium/');
  expect(await page.text()).toBe('the page');
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toBe(contentSecurityPolicy);
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  const script = await get('app://termarium/assets/index.js?v=1#top');
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(script.headers.get('content-security-policy')).toBe(contentSecurityPolicy);
});

test("answers the page's own routes with the page, and tells that it was opened", async () => {
  const before = opened;
  expect(await (await get('app://termarium/runs/some-run')).text()).toBe('the page');
  expect(opened).toBe(before + 1);
  await get('app://termarium/assets/index.js');
  expect(opened).toBe(before + 1);
});

test.each([
  'app://termarium/../secret.js',
  'app://termarium/..%2fsecret.js',
  'app://termarium/%2e%2e/secret.js',
  'app://termarium/%2e%2e%2fsecret.js',
  'app://termarium/assets/..%2f..%2fsecret.js',
  'app://termarium/..%2frenderer-other%2fsecret.js',
  'app://termarium/..%5csecret.js',
  'app://termarium/index.js%00.html',
  'app://termarium/%',
  'app://termarium//etc/passwd.js',
  'app://attacker/index.html',
  'app://termarium.attacker/index.html',
  'app://termarium:1/index.html',
  'https://termarium/index.html',
])('keeps %s out', async (url) => {
  const answered = await get(url);
  expect([403, 404]).toContain(answered.status);
  expect(await answered.text()).not.toContain('secret');
});

test('only GET', async () => {
  expect((await get('app://termarium/', 'POST')).status).toBe(405);
});

test('tells as text why the lab does not run', async () => {
  const page = await get('app://termarium/failed');
  const html = await page.text();
  expect(html).toContain('The lab keeps stopping');
  expect(html).toContain('&lt;script&gt;');
  expect(html).not.toContain('<script');
  expect(html).toContain('<a href="/">Try again</a>');
});
