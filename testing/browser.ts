// A browser on a lab, for tests: the page as it is built, Chromium as it is installed, and every complaint of the console collected.
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { createBuilder } from 'vite';
import { type FakeLab, type FakeLabOptions, startLabServer } from './lab-server.ts';

const root = join(import.meta.dirname, '..');
const built = join(root, 'dist/renderer');

/** Folder of the built page; builds it where it is missing or older than its sources. */
export async function builtPage(): Promise<string> {
  const index = join(built, 'index.html');
  if (existsSync(index) && (await stat(index)).mtimeMs > (await newestSource())) return built;
  // A test runner says "test", which would build the page with React's development checks: another page than the one that is shipped.
  const environment = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  const builder = await createBuilder({ configFile: join(root, 'vite.config.ts'), logLevel: 'error' });
  const { client } = builder.environments;
  if (!client) throw new Error('vite.config.ts has no environment "client".');
  await builder.build(client);
  if (environment === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = environment;
  return built;
}

async function newestSource(): Promise<number> {
  const files = (await readdir(join(root, 'renderer'), { recursive: true })).filter(
    (path) => /\.(tsx?|css|html|svg)$/.test(path) && !path.startsWith('e2e'),
  );
  const times = await Promise.all(files.map(async (path) => (await stat(join(root, 'renderer', path))).mtimeMs));
  return Math.max(...times);
}

let started: Promise<Browser> | undefined;

/** The one browser of a test file. */
function browser(): Promise<Browser> {
  started ??= chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-background-networking', '--disable-gpu'],
  });
  return started;
}

export async function closeBrowser(): Promise<void> {
  await (await started)?.close();
  started = undefined;
}

interface Window extends AsyncDisposable {
  page: Page;
  /** Errors and warnings of the console, among them violations of the CSP, and faults that nobody caught. */
  complaints: string[];
  /** Goes to a screen by its address, `/runs`. */
  go(path: string): Promise<void>;
}

/** Opens a window with a link of the lab, as a user would. */
export async function openWindow(url: string, options: BrowserContextOptions = {}): Promise<Window> {
  const context = await (await browser()).newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  await page.getByTestId('connection').filter({ hasText: 'Connected' }).waitFor();
  return {
    page,
    complaints,
    go: (path) => page.evaluate((hash) => location.assign(`#${hash}`), path),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

export interface FakeWindow extends Window {
  lab: FakeLab;
}

/** A window on a fake lab of its own. */
export async function openFake(options: Omit<FakeLabOptions, 'rendererFolder'>, context: BrowserContextOptions = {}): Promise<FakeWindow> {
  const lab = await startLabServer({ ...options, rendererFolder: await builtPage() });
  const window = await openWindow(lab.door.issueUrl(), context);
  return {
    ...window,
    lab,
    async [Symbol.asyncDispose]() {
      await window[Symbol.asyncDispose]();
      await lab.close();
    },
  };
}
