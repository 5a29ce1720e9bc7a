// The shell as a whole: start order, what windows may do, what pages may ask for, what the preload script exposes.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { app, BrowserWindow, contextBridge, ipcRenderer, Menu, protocol, session, shell, utilityProcess } from '../testing/electron.ts';
import { isAppUrl, permissionGranted } from './permissions.ts';
import { openExternal } from './shell.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'termarium-shell-'));
  app.paths.appData = folder;
  await import('./main.ts');
  app.becomeReady();
  await Promise.resolve();
});
afterAll(() => rm(folder, { recursive: true }));

function window(): BrowserWindow {
  const first = BrowserWindow.all[0];
  if (!first) throw new Error('no window was opened');
  return first;
}

test('starts in the one order that is safe', () => {
  expect(app.calls).toEqual([
    'setName Termarium',
    'setPath userData',
    'crashReporter upload=false',
    'requestSingleInstanceLock',
    'enableSandbox',
    'registerSchemes',
    'whenReady',
    'setPermissionRequestHandler',
    'setPermissionCheckHandler',
    'handle app',
  ]);
  expect(protocol.schemes).toEqual([{ scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } }]);
  expect(utilityProcess.children[0]?.path).toMatch(/main[/\\]host\.js$/);
  expect(utilityProcess.children[0]?.heard).toEqual([{ message: { kind: 'start', root: app.getAppPath() }, ports: [] }]);
});

describe('the window', () => {
  test('shows our page, sandboxed and isolated', () => {
    expect(window().loaded).toEqual(['app://termarium/']);
    expect(window().options.webPreferences).toEqual({
      preload: expect.stringMatching(/preload\.cjs$/),
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
    });
    expect(window().options).toMatchObject({ name: 'main', windowStatePersistence: true });
    expect(window().shown).toBe(false);
    window().emit('ready-to-show');
    expect(window().shown).toBe(true);
  });

  test.each([
    ['app://termarium/runs', false],
    ['https://example.org/docs', true],
    ['http://localhost:3000/', true],
    ['file:///etc/passwd', true],
    ['app://other/', true],
    ['javascript:alert(1)', true],
  ])('navigation to %s is stopped: %s', (url, stopped) => {
    for (const kind of ['will-navigate', 'will-redirect']) {
      let prevented = false;
      window().webContents.emit(kind, {
        url,
        preventDefault: () => {
          prevented = true;
        },
      });
      expect(prevented).toBe(stopped);
    }
  });

  test('embeds nothing and opens no second window; https goes to the system browser', () => {
    let prevented = 0;
    const event = {
      isMainFrame: false,
      preventDefault: () => {
        prevented += 1;
      },
    };
    window().webContents.emit('will-attach-webview', event);
    window().webContents.emit('will-frame-navigate', event);
    expect(prevented).toBe(2);
    shell.opened.length = 0;
    for (const url of ['https://example.org/', 'file:///etc/passwd', 'app://termarium/']) {
      expect(window().webContents.windowOpenHandler?.({ url })).toEqual({ action: 'deny' });
    }
    expect(shell.opened).toEqual(['https://example.org/']);
  });

  test('is found again by a second start', () => {
    window().minimized = true;
    app.emit('second-instance');
    expect(window()).toMatchObject({ minimized: false, focused: 1 });
    expect(BrowserWindow.all).toHaveLength(1);
  });
});

describe('permissions', () => {
  const own = 'app://termarium/runs';

  test.each([
    ['clipboard-sanitized-write', own, true, true],
    ['notifications', own, true, true],
    ['clipboard-read', own, true, false],
    ['media', own, true, false],
    ['geolocation', own, true, false],
    ['openExternal', own, true, false],
    ['fileSystem', own, true, false],
    ['unknown', own, true, false],
    ['notifications', own, false, false],
    ['notifications', 'https://attacker.example/?app://termarium', true, false],
    ['notifications', 'app://termarium.attacker/', true, false],
    ['notifications', '', true, false],
  ])('%s for %s (main frame: %s) is %s', (permission, url, isMainFrame, granted) => {
    expect(permissionGranted(permission, url, isMainFrame)).toBe(granted);
    const answers: boolean[] = [];
    const { request, check } = session.defaultSession;
    (request as (...args: unknown[]) => void)({}, permission, (answer: boolean) => answers.push(answer), {
      requestingUrl: url,
      isMainFrame,
    });
    answers.push((check as (...args: unknown[]) => boolean)(null, permission, url, { isMainFrame }));
    expect(answers).toEqual([granted, granted]);
  });

  test('no device is ever handed out', () => {
    expect((session.defaultSession.device as () => boolean)()).toBe(false);
  });

  test('our origin is compared as parsed', () => {
    expect(isAppUrl('app://termarium')).toBe(true);
    expect(isAppUrl('APP://termarium/x')).toBe(true);
    for (const url of ['app://termarium@attacker/', 'app://termarium:80/', 'app:termarium', 'app:///termarium'])
      expect(isAppUrl(url)).toBe(false);
  });
});

test.each(['http://example.org/', 'file:///etc/passwd', 'smb://host/share', 'https://user:pass@example.org/', 'ms-settings:', 'not a url'])(
  'never opens %s outside',
  async (url) => {
    shell.opened.length = 0;
    expect(await openExternal(url)).toBe(false);
    expect(shell.opened).toEqual([]);
  },
);

test('the menu offers the folders once the backend has told them, and developer tools only in development', () => {
  const items = Menu.current.flatMap((item) => item.submenu ?? []);
  expect(items.some((item) => item.role === 'toggleDevTools')).toBe(!app.isPackaged);
  const openData = items.find((item) => item.label === 'Open the data folder');
  shell.opened.length = 0;
  openData?.click?.();
  expect(shell.opened).toEqual([]);
  utilityProcess.children[0]?.emit('message', { kind: 'opening', data: '/data', logs: '/data/logs', logFile: '/data/logs/lab.log' });
  openData?.click?.();
  expect(shell.opened).toEqual(['/data']);
});

test('the preload script exposes a platform and a way to get a port, and nothing else', async () => {
  const received: { message: unknown; target: string; ports: unknown[] }[] = [];
  Object.assign(globalThis, {
    window: { postMessage: (message: unknown, target: string, ports: unknown[]) => received.push({ message, target, ports }) },
  });
  await import('./preload.ts');
  expect([...contextBridge.exposed.keys()]).toEqual(['termarium']);
  const bridge = contextBridge.exposed.get('termarium');
  expect(Object.keys(bridge ?? {})).toEqual(['platform', 'connect']);
  const connect = bridge?.connect;
  if (typeof connect !== 'function') throw new Error('the page cannot connect');
  connect();
  const [toBackend] = ipcRenderer.posted;
  expect(toBackend).toMatchObject({ channel: 'termarium:connect', ports: [expect.any(MessagePort)] });
  expect(received).toEqual([{ message: 'termarium:port', target: '/', ports: [expect.any(MessagePort)] }]);
  // The two ends belong together.
  const mine = received[0]?.ports[0] as MessagePort;
  const theirs = toBackend?.ports[0] as MessagePort;
  const heard = new Promise((resolve) => theirs.addEventListener('message', (event) => resolve(event.data), { once: true }));
  theirs.start();
  mine.postMessage('hello');
  expect(await heard).toBe('hello');
  mine.close();
});

test('a page that crashed is loaded again, but not in circles', () => {
  const before = window().loaded.length;
  app.emit('render-process-gone', {}, {}, { reason: 'crashed', exitCode: 11 });
  app.emit('render-process-gone', {}, {}, { reason: 'crashed', exitCode: 11 });
  expect(window().loaded.slice(before)).toEqual(['app://termarium/']);
});

test('quitting waits until the backend has closed', async () => {
  let prevented = 0;
  const quit = {
    preventDefault: () => {
      prevented += 1;
    },
  };
  const child = utilityProcess.children[0];
  app.calls.length = 0;
  app.emit('before-quit', quit);
  expect(prevented).toBe(1);
  expect(app.calls).toEqual([]);
  expect(child?.heard.at(-1)?.message).toEqual({ kind: 'close' });
  child?.emit('exit', 0);
  await new Promise((resolve) => setImmediate(resolve));
  expect(app.calls).toEqual(['quit']);
  app.emit('before-quit', quit);
  expect(prevented).toBe(1);
});
