import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Admission, type Need } from './admission.ts';

const capacity: Need = { containers: 4, cpus: 4, memoryMb: 4096, gpus: 1 };
const small: Need = { containers: 1, cpus: 1, memoryMb: 512, gpus: 0 };
const never = new AbortController().signal;

/** Whether a promise has resolved by the time all that is ready has run. */
async function settledNow(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => {
      settled = true;
    },
    () => {},
  );
  await new Promise(setImmediate);
  return settled;
}

it('admits what fits and makes the rest wait in order', async () => {
  const admission = new Admission(capacity);
  const held = await Promise.all([1, 2, 3, 4].map(() => admission.acquire(small, never)));
  const fifth = admission.acquire(small, never);
  expect(await settledNow(fifth)).toBe(false);
  held[0]?.[Symbol.dispose]();
  expect(await settledNow(fifth)).toBe(true);
});

it('never starves a large job behind small ones that came later', async () => {
  const admission = new Admission(capacity);
  const first = await admission.acquire(small, never);
  const large = admission.acquire({ ...small, memoryMb: 4096 }, never);
  const later = admission.acquire(small, never);
  expect(await settledNow(later)).toBe(false);
  first[Symbol.dispose]();
  expect(await settledNow(large)).toBe(true);
  expect(await settledNow(later)).toBe(false);
});

it('plays a task that declares more than the machine has, alone', async () => {
  const admission = new Admission(capacity);
  const giant = await admission.acquire({ ...small, cpus: 64, memoryMb: 1e6 }, never);
  expect(await settledNow(admission.acquire(small, never))).toBe(false);
  giant[Symbol.dispose]();
});

it('refuses GPUs that are not there at once', async () => {
  const admission = new Admission(capacity);
  await expect(admission.acquire({ ...small, gpus: 2 }, never)).rejects.toMatchObject({ code: 'sandbox.start_failed' });
});

it('lets the next go when the head of the queue gives up', async () => {
  const admission = new Admission(capacity);
  await admission.acquire(small, never);
  const controller = new AbortController();
  const large = admission.acquire({ ...small, cpus: 4 }, controller.signal);
  const later = admission.acquire(small, never);
  controller.abort();
  await expect(large).rejects.toThrow();
  expect(await settledNow(later)).toBe(true);
});

it('never exceeds its capacity (unless one job alone does), and gives everything back', async () => {
  const need = fc.record({
    containers: fc.constant(1),
    cpus: fc.integer({ min: 1, max: 4 }),
    memoryMb: fc.integer({ min: 1, max: 4096 }),
    gpus: fc.integer({ min: 0, max: 1 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(need, { maxLength: 20 }), async (needs) => {
      const admission = new Admission(capacity);
      await Promise.all(
        needs.map(async (wanted) => {
          using _room = await admission.acquire(wanted, never);
          for (const kind of ['containers', 'cpus', 'memoryMb', 'gpus'] as const)
            expect(admission.used[kind]).toBeLessThanOrEqual(capacity[kind]);
          await new Promise(setImmediate);
        }),
      );
      expect(admission.used).toEqual({ containers: 0, cpus: 0, memoryMb: 0, gpus: 0 });
    }),
    { numRuns: 50 },
  );
});
