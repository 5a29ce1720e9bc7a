import { existsSync, mkdtempDisposableSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openBlobs } from './blobs.ts';
import { cutText, loadBlob } from './text.ts';

let folder: ReturnType<typeof mkdtempDisposableSync>;
beforeEach(() => {
  folder = mkdtempDisposableSync(join(tmpdir(), 'termarium-blobs-'));
});
afterEach(() => folder.remove());

const files = () => readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.zst'));

test('content is stored once, small, under its hash, and comes back from the disk byte by byte', () => {
  const log = Buffer.from('drwxr-xr-x 2 root root 4096 ..\r\n'.repeat(3000));
  const hash = openBlobs(folder.path).put(log);
  expect(openBlobs(folder.path).put(log.toString())).toBe(hash);
  expect(files()).toEqual([join(hash.slice(0, 2), `${hash.slice(2)}.zst`)]);
  expect(statSync(join(folder.path, files()[0] ?? '')).size).toBeLessThan(log.length / 50);
  expect(openBlobs(folder.path).get(hash)?.equals(log)).toBe(true);
});

test('a hash is the only way to name one', () => {
  const blobs = openBlobs(folder.path);
  writeFileSync(join(folder.path, 'secret'), 'x');
  expect(blobs.get('../secret')).toBeNull();
  expect(blobs.get(`${'/'.repeat(2)}${'a'.repeat(62)}`)).toBeNull();
  expect(blobs.get('a'.repeat(64))).toBeNull();
  expect(() => loadBlob(blobs, 'a'.repeat(64))).toThrow(expect.objectContaining({ code: 'data.corrupt' }));
});

test('the caller may reuse its buffer', () => {
  const blobs = openBlobs(folder.path);
  const buffer = Buffer.from('first');
  const hash = blobs.put(buffer);
  buffer.fill(0);
  expect(String(blobs.get(hash))).toBe('first');
});

test('what a killed process was writing is swept away', () => {
  openBlobs(folder.path);
  const draft = join(folder.path, 'unfinished', '1');
  writeFileSync(draft, 'half of');
  openBlobs(folder.path);
  expect(existsSync(draft)).toBe(false);
});

test('a file that was changed on the disk is reported, not shown', () => {
  const hash = openBlobs(folder.path).put('the real output');
  const path = join(folder.path, files()[0] ?? '');
  const corrupt = expect.objectContaining({ code: 'data.corrupt', message: expect.stringContaining(path) });
  writeFileSync(path, zstdCompressSync(Buffer.from('another output')));
  expect(() => openBlobs(folder.path).get(hash)).toThrow(corrupt);
  writeFileSync(path, readFileSync(path).subarray(0, 9));
  expect(() => openBlobs(folder.path).get(hash)).toThrow(corrupt);
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
