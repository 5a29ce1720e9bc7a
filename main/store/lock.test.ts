// One backend owns a data folder, for as long as its process lives and not longer.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposableSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acquireLock, readLock } from './lock.ts';

let folder: ReturnType<typeof mkdtempDisposableSync>;
beforeEach(() => {
  folder = mkdtempDisposableSync(join(tmpdir(), 'termarium-lock-'));
});
afterEach(() => folder.remove());

const locked = expect.objectContaining({ code: 'data.locked', hint: expect.stringContaining('--data') });

/** Another process that takes the folder, says so, and keeps it until it is killed. */
async function otherOwner(): Promise<ChildProcess> {
  const script = `
    const { acquireLock } = await import(${JSON.stringify(new URL('./lock.ts', import.meta.url).href)});
    const lock = acquireLock(process.argv[1]);
    lock.update({ url: 'http://127.0.0.1:7777', token: 'secret' });
    console.log('held');
    setInterval(() => lock, 1000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, folder.path], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

test('the owner can be found by others: process, address, and a note that only this user can read', () => {
  expect(readLock(folder.path)).toBeNull();
  using lock = acquireLock(folder.path);
  expect(readLock(folder.path)).toMatchObject({ pid: process.pid, url: null, token: null });
  lock.update({ url: 'http://127.0.0.1:4321', token: 'secret' });
  expect(readLock(folder.path)).toMatchObject({ pid: process.pid, url: 'http://127.0.0.1:4321', token: 'secret' });
  expect(statSync(join(folder.path, 'lab.owner.json')).mode & 0o777).toBe(0o600);
});

test('a second owner is refused and told who the first is, without its token', () => {
  using lock = acquireLock(folder.path, { url: 'http://127.0.0.1:4321', token: 'secret' });
  expect(() => acquireLock(folder.path)).toThrow(locked);
  expect(() => acquireLock(folder.path)).toThrow(`in use by process ${process.pid}`);
  expect(() => acquireLock(folder.path)).toThrow(/listening at http:\/\/127\.0\.0\.1:4321$/);
  expect(readLock(folder.path)).toMatchObject({ url: 'http://127.0.0.1:4321' });
  lock[Symbol.dispose]();
  lock[Symbol.dispose]();
  expect(readLock(folder.path)).toBeNull();
  acquireLock(folder.path)[Symbol.dispose]();
});

test('looking does not disturb the lock, and a note cut short does not matter', () => {
  using _lock = acquireLock(folder.path);
  for (let n = 0; n < 200; n += 1) expect(readLock(folder.path)?.pid).toBe(process.pid);
  writeFileSync(join(folder.path, 'lab.owner.json'), '{"pid": 1');
  expect(readLock(folder.path)).toBeNull();
  expect(() => acquireLock(folder.path)).toThrow(locked);
  expect(() => acquireLock(folder.path)).toThrow('in use by another process');
});

test('kill -9 of the owner frees the folder at once, whatever its note still says', async () => {
  const owner = await otherOwner();
  try {
    expect(readLock(folder.path)).toMatchObject({ pid: owner.pid, url: 'http://127.0.0.1:7777', token: 'secret' });
    expect(() => acquireLock(folder.path)).toThrow(`in use by process ${owner.pid}`);
  } finally {
    await kill(owner);
  }
  expect(readFileSync(join(folder.path, 'lab.owner.json'), 'utf8')).toContain('7777');
  expect(readLock(folder.path)).toBeNull();
  using _lock = acquireLock(folder.path);
  expect(readLock(folder.path)).toMatchObject({ pid: process.pid, url: null });
});

test('of several starters on the folder of a killed lab, one gets it', async () => {
  await kill(await otherOwner());
  const script = `
    const { acquireLock } = await import(${JSON.stringify(new URL('./lock.ts', import.meta.url).href)});
    try {
      const lock = acquireLock(process.argv[1]);
      console.log('held');
      setInterval(() => lock, 1000);
    } catch (error) {
      console.log(error.code);
    }
  `;
  const starters = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--input-type=module', '--eval', script, folder.path], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  const said = await Promise.all(starters.map(async (starter) => String((await once(starter.stdout, 'data'))[0]).trim()));
  await Promise.all(starters.filter((starter) => starter.exitCode === null).map(kill));
  expect(said.toSorted()).toEqual(['data.locked', 'data.locked', 'data.locked', 'held']);
});
