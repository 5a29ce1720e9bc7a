// The window that viewers of terminals and of streamed answers read from.
import { expect, test } from 'vitest';
import { Tail } from './tail.ts';

const text = (data: Uint8Array) => Buffer.from(data).toString();

test('is read from any offset in it, in pieces of any size', () => {
  const tail = new Tail(50_000);
  let all = '';
  for (let n = 0; n < 2000; n += 1) {
    const piece = n % 100 === 99 ? `${n}`.repeat(2000) : `${n},`;
    tail.append(Buffer.from(piece));
    all += piece;
  }
  expect(tail.end).toBe(all.length);
  expect(tail.oldest).toBeGreaterThan(0);
  for (let cursor = tail.oldest; cursor < tail.end; ) {
    const read = tail.read(cursor, 5000);
    if (read?.kind !== 'more') throw new Error('nothing to read');
    expect(text(read.data)).toBe(all.slice(cursor, read.cursor));
    cursor = read.cursor;
  }
  expect(tail.read(tail.end)).toBeNull();
  expect(tail.read(tail.oldest - 1)).toMatchObject({ kind: 'lost', oldest: tail.oldest });
});

test('does not change what was read by what comes next', () => {
  const tail = new Tail();
  tail.append(Buffer.from('one'));
  const read = tail.read(0);
  tail.append(Buffer.from('two'));
  expect(read).toMatchObject({ kind: 'more', data: Buffer.from('one'), cursor: 3 });
});

test('holds its limit and little more, whatever comes', () => {
  const tail = new Tail(1000);
  for (const size of [1, 10, 999, 5000, 3, 100_000, 1, 1]) {
    tail.append(Buffer.alloc(size, 'a'));
    expect(tail.held).toBeLessThanOrEqual(1000 + Math.max(size, 100_000));
  }
  for (let n = 0; n < 10_000; n += 1) tail.append(Buffer.from('abc'));
  expect(tail.held).toBeGreaterThanOrEqual(1000);
  expect(tail.held).toBeLessThanOrEqual(2000);
});

test('takes a long answer token by token as quickly at its end as at its beginning', () => {
  const tail = new Tail();
  const token = Buffer.from('abc ');
  const time = (count: number) => {
    const began = performance.now();
    for (let n = 0; n < count; n += 1) tail.append(token);
    return performance.now() - began;
  };
  time(50_000);
  const early = time(50_000);
  const late = time(200_000);
  expect(late).toBeLessThan(Math.max(100, early * 40));
});
