import { expect, it } from 'vitest';
import { createTypist } from './typist.ts';

it('keeps keys in order and sends what gathered meanwhile as one', async () => {
  const sent: string[] = [];
  let answer = () => {};
  const type = createTypist((data) => {
    sent.push(data);
    return new Promise<void>((resolve) => {
      answer = resolve;
    });
  });
  for (const key of 'ls -la') type(key);
  expect(sent).toEqual(['l']);
  answer();
  await Promise.resolve();
  expect(sent).toEqual(['l', 's -la']);
});

it('cuts a large paste into pieces and loses nothing', async () => {
  const sent: string[] = [];
  const paste = 'x'.repeat(40_000);
  const done = Promise.withResolvers<void>();
  const type = createTypist(async (data) => {
    sent.push(data);
    if (sent.join('').length === paste.length) done.resolve();
  });
  type(paste);
  await done.promise;
  expect(sent.map((piece) => piece.length)).toEqual([16_384, 16_384, 7_232]);
});
