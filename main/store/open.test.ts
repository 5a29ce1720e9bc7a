// What happens with a data folder that cannot be used: one clear error that says what to do, and nothing in it is changed.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempDisposableSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runConfig } from '../contract/schema/config.ts';
import { AppError } from '../lib/errors.ts';
import { openStore } from './open.ts';

let folder: ReturnType<typeof mkdtempDisposableSync>;
let file: string;
beforeEach(() => {
  folder = mkdtempDisposableSync(join(tmpdir(), 'termarium-open-'));
  file = join(folder.path, 'lab.sqlite');
});
afterEach(() => {
  chmodSync(folder.path, 0o700);
  folder.remove();
});

function openError(path: string): AppError {
  try {
    openStore(path)[Symbol.dispose]();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the store opened');
}

function fillStore(runs: number): void {
  using store = openStore(folder.path);
  const rollout = { taskId: 't', taskName: 't', taskDigest: 'd', attempt: 1, agent: 'nop', model: null };
  for (let n = 0; n < runs; n += 1) store.runs.create(runConfig.parse({ tasks: ['t'] }), `run ${n}`, Array(20).fill(rollout));
}

function alter(sql: string): void {
  const db = new Database(file);
  db.exec(sql);
  db.close();
}

test('a fresh folder becomes a store, also several levels deep', () => {
  const deep = join(folder.path, 'a', 'b');
  openStore(deep)[Symbol.dispose]();
  expect(readdirSync(deep).toSorted()).toEqual(['blobs', 'lab.sqlite']);
});

test('the database is kept as the design says', () => {
  fillStore(1);
  const db = new Database(file);
  expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
  expect(db.pragma('user_version', { simple: true })).toBe(4);
  const loose = db.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0").pluck().all();
  expect(loose).toEqual(['sqlite_schema']);
  db.close();
});

test('a database of a newer version is refused and left as it is', () => {
  fillStore(1);
  alter('PRAGMA user_version = 99');
  const before = readFileSync(file);
  const error = openError(folder.path);
  expect(error).toMatchObject({ code: 'data.newer', hint: expect.stringContaining('Update Termarium') });
  expect(error.message).toContain('schema 99, this version knows 4');
  expect(readFileSync(file).equals(before)).toBe(true);
});

describe('a file that is not ours or is damaged', () => {
  const corrupt = { code: 'data.corrupt', hint: expect.stringMatching(/[Mm]ove (it|that file) away/) };

  test('text in its place', () => {
    writeFileSync(file, 'these are my notes\n'.repeat(500));
    const before = readFileSync(file);
    expect(openError(folder.path)).toMatchObject(corrupt);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('the database of another program', () => {
    alter('CREATE TABLE bookmarks (url TEXT)');
    const before = readFileSync(file);
    expect(openError(folder.path)).toMatchObject({ ...corrupt, message: expect.stringContaining('another program') });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('cut short', () => {
    fillStore(1);
    truncateSync(file, 8192);
    expect(openError(folder.path)).toMatchObject(corrupt);
  });

  test('garbage in the middle is reported by what reads it', () => {
    fillStore(50);
    const bytes = readFileSync(file);
    bytes.fill(0x5a, Math.floor(bytes.length / 4));
    writeFileSync(file, bytes);
    const read = () => {
      using store = openStore(folder.path);
      for (const run of store.runs.read().rows) store.rollouts.ofRun(run.id);
    };
    expect(read).toThrow(expect.objectContaining(corrupt));
  });
});

describe('a folder that cannot be written', () => {
  // Root may write anywhere, so the attempt is made by a process of a user who may not.
  function openAsOther(path: string): unknown {
    const script = `
      const { openStore } = await import(${JSON.stringify(new URL('./open.ts', import.meta.url).href)});
      try { openStore(process.argv[1]); console.log('{"code":"opened"}'); } catch (error) { console.log(JSON.stringify(error.toData())); }
    `;
    const other = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script, path], { encoding: 'utf8', ...other });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout);
  }
  const readOnly = { code: 'data.read_only', hint: expect.stringContaining('write permission') };

  test('with no store in it yet', () => {
    chmodSync(folder.path, 0o555);
    expect(openAsOther(folder.path)).toMatchObject(readOnly);
    expect(openAsOther(join(folder.path, 'sub'))).toMatchObject(readOnly);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('with a store in it', () => {
    fillStore(1);
    chmodSync(folder.path, 0o555);
    expect(openAsOther(folder.path)).toMatchObject(readOnly);
  });

  test('a database file that is write-protected', () => {
    fillStore(1);
    for (const path of [folder.path, join(folder.path, 'blobs'), join(folder.path, 'blobs', 'unfinished')]) chmodSync(path, 0o777);
    chmodSync(file, 0o444);
    expect(openAsOther(folder.path)).toMatchObject(readOnly);
  });

  test('a file where the folder should be', () => {
    const path = join(folder.path, 'data');
    writeFileSync(path, 'x');
    expect(openError(path)).toMatchObject({ code: 'data.read_only', message: expect.stringContaining('a file lies where a folder') });
  });
});

test('while another process holds a write open, a fact is refused as locked and nothing of it is stored', () => {
  using store = openStore(folder.path, { busyMs: 20 });
  const other = new Database(file);
  other.exec('BEGIN IMMEDIATE');
  expect(() => store.settings.put('a', 1)).toThrow(expect.objectContaining({ code: 'data.locked', retryable: true }));
  other.exec('ROLLBACK');
  other.close();
  expect(store.settings.get('a')).toBeUndefined();
  store.settings.put('a', 1);
  expect(store.settings.get('a')).toBe(1);
});

test('a slow query is told to the log', () => {
  fillStore(1);
  const slow: { data: Record<string, unknown>; message: string }[] = [];
  const log = { info: (data: object, message: string) => slow.push({ data: { ...data }, message }) };
  using store = openStore(folder.path, { log, busyMs: 60 });
  const other = new Database(file);
  other.exec('BEGIN IMMEDIATE');
  expect(() => store.settings.put('a', 1)).toThrow();
  other.close();
  expect(slow).toEqual([{ message: 'slow query', data: { sql: 'BEGIN IMMEDIATE', ms: expect.any(Number) } }]);
});
