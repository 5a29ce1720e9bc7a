// The backend's life as the shell manages it. The test plays the backend's process.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { FromHost } from '../main/lib/host-messages.ts';
import { silent } from '../main/lib/log.ts';
import { type FakeChild, FakePort, ipcMain, utilityProcess } from '../testing/electron.ts';
import { acceptPages, type Backend, startBackend } from './backend.ts';

let failed: number;

beforeEach(() => {
  vi.useFakeTimers();
  utilityProcess.children.length = 0;
  failed = 0;
});
afterEach(() => {
  vi.useRealTimers();
  ipcMain.removeAllListeners();
});

function start(): Backend {
  return startBackend({
    host: '/app/dist/main/host.js',
    start: { kind: 'start', root: '/app' },
    log: silent,
    onFailed: () => {
      failed += 1;
    },
  });
}

/** The newest process. */
function child(): FakeChild {
  const newest = utilityProcess.children.at(-1);
  if (!newest) throw new Error('no process was started');
  return newest;
}

const says = (message: FromHost) => child().emit('message', message);
const asPort = (port: FakePort) => port as unknown as Parameters<Backend['connect']>[0]; // The fake of the only part that is used.

describe('starting', () => {
  test('tells the process where things are, then hands ports over', () => {
    const backend = start();
    expect(child().path).toBe('/app/dist/main/host.js');
    const port = new FakePort();
    backend.connect(asPort(port));
    expect(child().heard).toEqual([
      { message: { kind: 'start', root: '/app' }, ports: [] },
      { message: { kind: 'window' }, ports: [port] },
    ]);
    expect(backend.folders()).toBeNull();
    says({ kind: 'opening', data: '/data', logs: '/data/logs', logFile: '/data/logs/lab.log' });
    expect(backend.folders()).toEqual({ data: '/data', logs: '/data/logs' });
  });

  test('says why a lab cannot be opened, and tries again when asked', () => {
    const backend = start();
    says({ kind: 'failed', error: { code: 'data.locked', message: 'Another lab owns the folder.', hint: 'Close it.', retryable: false } });
    expect(backend.failure()).toEqual({ title: 'The lab cannot be opened', text: 'Another lab owns the folder.', hint: 'Close it.' });
    expect(failed).toBe(1);
    expect(child().heard.at(-1)).toEqual({ message: { kind: 'close' }, ports: [] });

    const port = new FakePort();
    backend.connect(asPort(port));
    expect(port.closed).toBe(true);
    child().emit('exit', 0);
    vi.advanceTimersByTime(60_000);
    expect(utilityProcess.children).toHaveLength(1);

    backend.retry();
    expect(utilityProcess.children).toHaveLength(2);
    expect(backend.failure()).toBeNull();
  });
});

describe('dying', () => {
  test('three deaths in a minute are forgiven with growing pauses, the fourth is not', () => {
    const backend = start();
    for (const pause of [500, 1_000, 2_000]) {
      const before = utilityProcess.children.length;
      child().emit('exit', 139);
      vi.advanceTimersByTime(pause - 1);
      expect(utilityProcess.children).toHaveLength(before);
      vi.advanceTimersByTime(1);
      expect(utilityProcess.children).toHaveLength(before + 1);
    }
    expect(failed).toBe(0);
    says({ kind: 'opening', data: '/data', logs: '/data/logs', logFile: '/data/logs/lab.log' });
    child().emit('exit', 139);
    vi.advanceTimersByTime(60_000);
    expect(utilityProcess.children).toHaveLength(4);
    expect(failed).toBe(1);
    expect(backend.failure()).toMatchObject({ text: expect.stringContaining('139'), hint: expect.stringContaining('/data/logs/lab.log') });
  });

  test('deaths that are far apart are forgiven for ever', () => {
    start();
    for (let death = 0; death < 10; death += 1) {
      child().emit('exit', 1);
      vi.advanceTimersByTime(61_000);
    }
    expect(utilityProcess.children).toHaveLength(11);
    expect(failed).toBe(0);
  });

  test('a port that comes between two lives waits for the next', () => {
    const backend = start();
    child().emit('exit', 1);
    const port = new FakePort();
    backend.connect(asPort(port));
    vi.advanceTimersByTime(500);
    expect(child().heard.at(-1)).toEqual({ message: { kind: 'window' }, ports: [port] });
  });
});

describe('closing', () => {
  test('asks for an orderly end and starts nothing afterwards', async () => {
    const backend = start();
    const closed = backend.close();
    expect(child().heard.at(-1)).toEqual({ message: { kind: 'close' }, ports: [] });
    child().emit('exit', 0);
    await closed;
    vi.advanceTimersByTime(60_000);
    expect(utilityProcess.children).toHaveLength(1);
    expect(child().killed).toBe(false);
  });

  test('insists after ten seconds', async () => {
    const backend = start();
    const closed = backend.close();
    vi.advanceTimersByTime(10_000);
    expect(child().killed).toBe(false);
    vi.advanceTimersByTime(1_000);
    await closed;
    expect(child().killed).toBe(true);
  });
});

test.each([
  ['our page', { url: 'app://termarium/runs', parent: null }, true],
  ['a frame inside our page', { url: 'app://termarium/', parent: {} }, false],
  ['another site', { url: 'https://attacker.example/', parent: null }, false],
  ['a site that looks like us', { url: 'https://attacker.example/#app://termarium/', parent: null }, false],
  ['another host of ours', { url: 'app://other/', parent: null }, false],
  ['a frame that is gone', null, false],
])('a port from %s', (_who, senderFrame, accepted) => {
  const backend = start();
  acceptPages(backend, silent);
  const port = new FakePort();
  ipcMain.emit('termarium:connect', { ports: [port], senderFrame });
  expect(child().heard.some(({ ports }) => ports.includes(port))).toBe(accepted);
  expect(port.closed).toBe(!accepted);
});
