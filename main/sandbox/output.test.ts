// Output of a program on its way from the engine: taken out of frames, and kept within a limit.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDemux } from './frames.ts';
import { KeptOutput } from './kept.ts';

const stream = fc.constantFrom<('stdout' | 'stderr')[]>('stdout', 'stderr');
const writes = fc.array(fc.record({ stream, bytes: fc.uint8Array({ maxLength: 40 }) }), { maxLength: 30 });

function frame(name: 'stdout' | 'stderr', bytes: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header[0] = name === 'stdout' ? 1 : 2;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

test('frames give both streams whole, however the network cuts them', () => {
  fc.assert(
    fc.property(writes, fc.integer({ min: 1, max: 50 }), (sent, cut) => {
      const wire = Buffer.concat(sent.map((write) => frame(write.stream, write.bytes)));
      const got = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
      const take = createDemux((name, bytes) => got[name].push(bytes));
      for (let at = 0; at < wire.length; at += cut) take(wire.subarray(at, at + cut));
      for (const name of ['stdout', 'stderr'] as const) {
        const whole = Buffer.concat(sent.filter((write) => write.stream === name).map((write) => write.bytes));
        expect(Buffer.concat(got[name])).toEqual(whole);
      }
    }),
  );
});

test('output within the limit is kept as it is; beyond it, the first and the last halves, and the count of what is missing', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme-ascii', maxLength: 30 })), fc.integer({ min: 2, max: 100 }), (parts, limit) => {
      const kept = new KeptOutput(limit);
      for (const part of parts) kept.push('stdout', Buffer.from(part));
      const all = parts.join('');
      const half = Math.floor(limit / 2);
      const { stdout, omittedBytes } = kept.finish();
      if (all.length <= half * 2) expect({ stdout, omittedBytes }).toEqual({ stdout: all, omittedBytes: 0 });
      else {
        expect(omittedBytes).toBe(all.length - half * 2);
        expect(stdout).toBe(`${all.slice(0, half)}\n[... ${omittedBytes} bytes left out ...]\n${all.slice(-half)}`);
      }
    }),
  );
});

test('a flood is not held in memory', () => {
  const kept = new KeptOutput(1_000);
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const before = process.memoryUsage().arrayBuffers;
  for (let n = 0; n < 2_000; n += 1) kept.push('stdout', chunk);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20e6);
  expect(kept.finish().omittedBytes).toBe(2_000 * 64 * 1024 - 1_000);
});
