// What the pool starts, and what it never starts: nothing that nobody will use.
import { expect, test } from 'vitest';
import { Pool } from './pool.ts';
import type { SandboxSpec } from './sandbox.ts';

const spec = (image: string, labels: Record<string, string> = {}): SandboxSpec => ({
  image,
  resources: {},
  network: { mode: 'none', allowedHosts: [] },
  profile: 'compatible',
  env: {},
  labels,
});

class Box implements AsyncDisposable {
  readonly name: string;
  removed = false;
  constructor(name: string) {
    this.name = name;
  }
  async [Symbol.asyncDispose](): Promise<void> {
    this.removed = true;
  }
}

function pool(start: (name: string) => Promise<Box> = async (name) => new Box(name)) {
  const started: string[] = [];
  const failures: unknown[] = [];
  const it = new Pool<Box>(
    ({ image }) => {
      const name = `${image} ${started.filter((one) => one.startsWith(image)).length + 1}`;
      started.push(name);
      return start(name);
    },
    (error) => failures.push(error),
  );
  return { it, started, failures };
}

test('starts as many as are said to come, and no more for those that came', async () => {
  const { it, started } = pool();
  it.warm(spec('a'), 2);
  expect(started).toEqual(['a 1', 'a 2']);
  expect((await it.take(spec('a', { rollout: 'r1' })))?.name).toBe('a 1');
  expect((await it.take(spec('a')))?.name).toBe('a 2');
  expect(it.take(spec('a'))).toBeUndefined();
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual(['a 1', 'a 2']);
});

test('a new count replaces the old one: what is ready is kept, what is too much is removed', async () => {
  const { it, started } = pool();
  it.warm(spec('a'), 2);
  await it.take(spec('a'));
  it.warm(spec('a'), 3);
  expect(started).toEqual(['a 1', 'a 2', 'a 3', 'a 4']);
  const box = await it.take(spec('a'));
  it.warm(spec('a'), 1);
  expect((await it.take(spec('a')))?.name).toBe('a 3');
  expect([box?.name, box?.removed]).toEqual(['a 2', false]);
  it.warm(spec('a'), 1);
  it.warm(spec('a'), 0);
  expect(it.take(spec('a'))).toBeUndefined();
});

test('specs that differ in more than labels do not share', async () => {
  const { it } = pool();
  it.warm(spec('a'), 1);
  expect(it.take(spec('b'))).toBeUndefined();
  expect(it.take({ ...spec('a'), env: { X: '1' } })).toBeUndefined();
  expect((await it.take(spec('a')))?.name).toBe('a 1');
});

test('what cannot be started is told once, and not tried again for a start that is served otherwise', async () => {
  const { it, started, failures } = pool(() => Promise.reject(new Error('no space left')));
  it.warm(spec('a'), 1);
  await expect.poll(() => failures).toHaveLength(1);
  expect(it.take(spec('a'))).toBeUndefined();
  expect(started).toEqual(['a 1']);
  it.warm(spec('a'), 1);
  await expect.poll(() => failures).toHaveLength(2);
});

test('closing removes what is ready and what is still being started', async () => {
  const boxes: Box[] = [];
  const { promise: slow, resolve } = Promise.withResolvers<void>();
  const { it } = pool(async (name) => {
    const box = new Box(name);
    boxes.push(box);
    if (name === 'a 2') await slow;
    return box;
  });
  it.warm(spec('a'), 2);
  const closing = it.close();
  resolve();
  await closing;
  expect(boxes.map((box) => box.removed)).toEqual([true, true]);
});
