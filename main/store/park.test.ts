import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { Parking } from './park.ts';

const never = new AbortController().signal;

test('a thousand waits for other rollouts are not touched by a write, and leave nothing behind', async () => {
  using parking = new Parking(10);
  const leave = new AbortController();
  let woken = 0;
  const others = Array.from({ length: 1000 }, (_, n) =>
    parking.wait(['rollout', 'node'], 10, leave.signal, { scope: `rollout ${n}` }).then(() => {
      woken += 1;
    }),
  );
  const mine = parking.wait(['node'], 10, never, { scope: 'mine' });
  parking.changed([{ table: 'node', scopes: ['node id', 'mine'], rev: 11 }]);
  await mine;
  expect(woken).toBe(0);
  expect(parking.size).toBe(2000);
  leave.abort(new DOMException('page closed', 'AbortError'));
  const ends = await Promise.allSettled(others);
  expect(ends.every((end) => end.status === 'rejected' && end.reason.message === 'page closed')).toBe(true);
  expect(parking.size).toBe(0);
  expect(getEventListeners(leave.signal, 'abort')).toEqual([]);
  expect(getEventListeners(never, 'abort')).toEqual([]);
});

test('a change before the wait is not missed, and one of another table does not count', async () => {
  using parking = new Parking(10);
  parking.changed([{ table: 'run', scopes: ['a'], rev: 11 }]);
  await parking.wait(['run'], 10, never);
  await parking.wait(['run'], 10, never, { scope: 'a' });
  await parking.wait(['node', 'run'], 9, never);
  const late = parking.wait(['rollout'], 10, never);
  parking.changed([{ table: 'rollout', scopes: [], rev: 12 }]);
  await late;
});

test('ends by itself after the time asked for', async () => {
  using parking = new Parking(1);
  await parking.wait(['run'], 1, never, { maxMs: 1 });
  expect(parking.size).toBe(0);
});

test('what is no longer remembered makes a wait return early, never late', async () => {
  using parking = new Parking(0, 2);
  for (const [n, scope] of ['a', 'b', 'c', 'd'].entries()) parking.changed([{ table: 'node', scopes: [scope], rev: n + 1 }]);
  await parking.wait(['node'], 0, never, { scope: 'a' });
  await parking.wait(['node'], 3, never, { scope: 'd' });
  const parked = parking.wait(['node'], 2, never, { scope: 'a' });
  expect(parking.size).toBe(1);
  parking.changed([{ table: 'node', scopes: ['a'], rev: 5 }]);
  await parked;
});

test('an aborted signal, and a closed store, reject as an abort', async () => {
  const parking = new Parking(1);
  await expect(parking.wait(['run'], 1, AbortSignal.abort())).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
  const parked = parking.wait(['run'], 1, never);
  parking[Symbol.dispose]();
  await expect(parked).rejects.toThrow('the store was closed');
  await expect(parking.wait(['run'], 1, never)).rejects.toThrow('the store was closed');
});
