import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempDisposableSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openStore } from './open.ts';
import { cutText, loadBlob } from './text.ts';

let folder: ReturnType<typeof mkdtempDisposableSync>;
beforeEach(() => {
  folder = mkdtempDisposableSync(join(tmpdir(), 'termarium-blobs-'));
});
afterEach(() => folder.remove());

const log = Buffer.from('drwxr-xr-x 2 root root 4096 ..\r\n'.repeat(3000));
/** What zstd cannot make smaller than a row may be. */
const noise = randomBytes(200 * 1024);

const files = () => readdirSync(join(folder.path, 'blobs'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.zst'));
/** A new store each time: nothing comes from a cache. */
function put(content: Uint8Array | string): string {
  using store = openStore(folder.path);
  return store.blobs.put(content);
}
function get(hash: string): Buffer | null {
  using store = openStore(folder.path);
  return store.blobs.get(hash);
}
function change(hash: string, packed: Uint8Array): void {
  const db = new Database(join(folder.path, 'lab.sqlite'));
  db.prepare('UPDATE blob SET content = ? WHERE hash = ?').run(packed, hash);
  db.close();
}
function rows(): number[] {
  const db = new Database(join(folder.path, 'lab.sqlite'));
  try {
    // Only numbers come of length().
    return db.prepare('SELECT length(content) FROM blob').pluck().all() as number[];
  } finally {
    db.close();
  }
}

test('small content is a row, stored once and small, and comes back byte by byte', () => {
  const hash = put(log);
  expect(put(log.toString())).toBe(hash);
  expect(files()).toEqual([]);
  expect(rows()).toHaveLength(1);
  expect(rows()[0]).toBeLessThan(log.length / 50);
  expect(get(hash)?.equals(log)).toBe(true);
});

test('large content is a file under its hash, stored once, and comes back byte by byte', () => {
  const hash = put(noise);
  expect(put(noise)).toBe(hash);
  expect(rows()).toEqual([]);
  expect(files()).toEqual([join(hash.slice(0, 2), `${hash.slice(2)}.zst`)]);
  expect(statSync(join(folder.path, 'blobs', files()[0] ?? '')).size).toBeLessThan(noise.length * 1.01);
  expect(get(hash)?.equals(noise)).toBe(true);
});

test('a file that an older version wrote for small content is still read, and no row is added to it', () => {
  const hash = put(log);
  const path = join(folder.path, 'blobs', hash.slice(0, 2), `${hash.slice(2)}.zst`);
  const db = new Database(join(folder.path, 'lab.sqlite'));
  db.exec('DELETE FROM blob');
  db.close();
  expect(get(hash)).toBeNull();
  mkdirSync(dirname(path));
  writeFileSync(path, zstdCompressSync(log));
  expect(get(hash)?.equals(log)).toBe(true);
  expect(put(log)).toBe(hash);
  expect(rows()).toEqual([]);
});

test('what a transaction took back is not taken for stored', () => {
  using store = openStore(folder.path);
  const runId = store.imports.runOf({ format: 'chat', path: '/there', source: '/there' }, 'there');
  const add = (id: string, hash: string) => ({
    id,
    rollout: {
      ...{ runId, taskId: 't', taskName: 't', taskDigest: '', attempt: 0, agent: 'a', model: null, status: 'finished' as const },
      ...{
        outcome: null,
        error: null,
        turns: 0,
        promptTokens: 0,
        completionTokens: 0,
        timings: {},
        queuedAt: 1,
        startedAt: null,
        endedAt: null,
      },
    },
    nodes: [],
    verdict: {
      ...{ state: 'no_verdict' as const, reward: null, rewards: {}, partial: null, tests: [], box: 'none' as const },
      ...{ tampering: [], reason: '', seconds: 0 },
    },
    verifierOutput: log.toString(),
    origin: { format: 'chat' as const, file: '/there', line: null, hash },
    rest: {},
    notes: [],
  });
  // The second is a copy of the first: the batch is refused whole, its payloads with it.
  expect(() => store.imports.add([add('one', 'same'), add('two', 'same')])).toThrow(expect.objectContaining({ code: 'request.conflict' }));
  expect(store.rollouts.get('one')).toBeNull();
  expect(rows()).toEqual([]);
  store.imports.add([add('one', 'same')]);
  expect(get(store.blobs.put(log))?.equals(log)).toBe(true);
});

test('a hash is the only way to name one', () => {
  using store = openStore(folder.path);
  writeFileSync(join(folder.path, 'blobs', 'secret'), 'x');
  expect(store.blobs.get('../secret')).toBeNull();
  expect(store.blobs.get(`${'/'.repeat(2)}${'a'.repeat(62)}`)).toBeNull();
  expect(store.blobs.get('a'.repeat(64))).toBeNull();
  expect(() => loadBlob(store.blobs, 'a'.repeat(64))).toThrow(expect.objectContaining({ code: 'data.corrupt' }));
});

test('the caller may reuse its buffer', () => {
  using store = openStore(folder.path);
  const buffer = Buffer.from('first');
  const hash = store.blobs.put(buffer);
  buffer.fill(0);
  expect(String(store.blobs.get(hash))).toBe('first');
});

test('what a killed process was writing is swept away', () => {
  put('x');
  const draft = join(folder.path, 'blobs', 'unfinished', '1');
  writeFileSync(draft, 'half of');
  put('x');
  expect(existsSync(draft)).toBe(false);
});

describe('what was changed on the disk is reported, not shown:', () => {
  const another = zstdCompressSync(Buffer.from('another output'));

  test('a file', () => {
    const hash = put(noise);
    const path = join(folder.path, 'blobs', files()[0] ?? '');
    const corrupt = expect.objectContaining({ code: 'data.corrupt', message: expect.stringContaining(path) });
    writeFileSync(path, another);
    expect(() => get(hash)).toThrow(corrupt);
    writeFileSync(path, readFileSync(path).subarray(0, 9));
    expect(() => get(hash)).toThrow(corrupt);
  });

  test('a row', () => {
    const hash = put(log);
    const corrupt = expect.objectContaining({ code: 'data.corrupt', message: expect.stringContaining(hash) });
    change(hash, another);
    expect(() => get(hash)).toThrow(corrupt);
    change(hash, another.subarray(0, 9));
    expect(() => get(hash)).toThrow(corrupt);
  });
});

test('a cut text is a beginning of the whole, of at most that many bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.nat({ max: 40 }), (text, bytes) => {
      const [kept = '', mark] = cutText(text, bytes).split('\n[… cut here');
      if (mark === undefined) expect(kept).toBe(text);
      else expect(text.startsWith(kept) && Buffer.byteLength(kept) <= bytes && Buffer.byteLength(kept) > bytes - 4).toBe(true);
    }),
  );
});
