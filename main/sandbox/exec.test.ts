// When a program counts as ended, on an engine that keeps its output open for as long as anything holds it. Newer engines do.
import { PassThrough } from 'node:stream';
import type Docker from 'dockerode';
import { expect, test } from 'vitest';
import type { Box } from './box.ts';
import { runExec } from './exec.ts';

/** One frame of the engine's output: 1 is stdout. */
function frame(text: string): Buffer {
  const header = Buffer.alloc(8);
  header[0] = 1;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

/** A container whose only program is given by its output; it has ended with exit code 3 once the first line is out. */
function boxWith(stream: PassThrough): Box {
  const exec = { start: async () => stream, inspect: async () => ({ Running: false, ExitCode: 3 }) };
  const container = { id: 'container', exec: async () => exec };
  // Nothing else of the client is used on the way of a program that ends by itself.
  return { docker: {} as Docker, container: container as unknown as Docker.Container, user: undefined, locked: false };
}

test('a daemon that a program left behind and that prints without end does not hold up its result', async () => {
  const stream = new PassThrough();
  stream.write(frame('17\npassed\n'));
  const daemon = setInterval(() => stream.write(frame('noise\n')), 10);
  const result = await runExec(boxWith(stream), ['/tests/test.sh']).finally(() => clearInterval(daemon));
  expect(result).toMatchObject({ exitCode: 3, timedOut: false, stdout: expect.stringMatching(/^passed\n(noise\n)+$/) });
});

test('one that prints nothing does neither', async () => {
  const stream = new PassThrough();
  stream.write(frame('17\npassed\n'));
  expect(await runExec(boxWith(stream), ['/tests/test.sh'])).toMatchObject({ exitCode: 3, stdout: 'passed\n' });
});
