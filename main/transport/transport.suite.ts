// What every door must do, whatever carries the messages. Run once for each of them by transport.test.ts.
import { ORPCError } from '@orpc/client';
import { afterEach, describe, expect, test } from 'vitest';
import { AppError } from '../lib/errors.ts';
import { fromWire } from './errors.ts';
import { type TestClient, type TestLab, testLab } from './transport.lab.ts';

/** One door of a test lab. */
export interface Door extends AsyncDisposable {
  /** Another client: on a wire, a connection of its own. */
  connect(): Promise<DoorClient>;
}

interface DoorClient {
  client: TestClient;
  /** Breaks the connection as a cable would; null where there is none. */
  cut: (() => Promise<void>) | null;
}

export function describeTransport(name: string, open: (lab: TestLab) => Promise<Door>) {
  describe(`the lab over ${name}`, () => {
    const opened: Door[] = [];
    const enter = async () => {
      const lab = testLab();
      const door = await open(lab);
      opened.push(door);
      return { lab, door, ...(await door.connect()) };
    };
    afterEach(async () => {
      for (const door of opened.splice(0)) await door[Symbol.asyncDispose]();
    });

    test('answers a hello', async () => {
      const { client } = await enter();
      expect(await client.hello({ client: 'test' })).toEqual({ instance: 'test' });
    });

    test('tells what failed, where, and what to do', async () => {
      const { client, lab } = await enter();
      const error = await client.fail({ how: 'expected' }).catch(fromWire);
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({
        code: 'task.invalid',
        message: 'The task has no instruction.',
        hint: 'Add instruction.md.',
        where: 'task.toml:3',
        retryable: false,
      });
      expect(lab.logged).toEqual([]);
    });

    test('marks its errors as those of the contract', async () => {
      const { client } = await enter();
      const error = await client.fail({ how: 'expected' }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ORPCError);
      expect(error).toMatchObject({ defined: true, code: 'LAB' });
    });

    test('keeps the stack of a bug to the log', async () => {
      const { client, lab } = await enter();
      const error = await client.fail({ how: 'bug' }).catch(fromWire);
      expect(error).toMatchObject({ code: 'internal', message: 'fail failed: undefined is not a rollout' });
      expect(JSON.stringify(error instanceof AppError && error.toData())).not.toContain('transport.lab');
      expect(lab.logged).toEqual([{ level: 'error', message: 'fail failed' }]);
    });

    test('does not hand out an answer that breaks the contract', async () => {
      const { client, lab } = await enter();
      expect(await client.fail({ how: 'bad answer' }).catch(fromWire)).toMatchObject({ code: 'internal' });
      expect(lab.logged).toHaveLength(1);
    });

    test('refuses bad input in words that name the field', async () => {
      const { client, lab } = await enter();
      // @ts-expect-error: a client that does not know the contract
      const error = await client.echo({ text: 7 }).catch(fromWire);
      expect(error).toMatchObject({ code: 'request.invalid', message: expect.stringMatching(/expected string.*\n.*at text/s) });
      expect(lab.logged).toEqual([]);
    });

    test('refuses a text longer than its schema allows', async () => {
      const { client } = await enter();
      expect(await client.echo({ text: 'x'.repeat(65_537) }).catch(fromWire)).toMatchObject({ code: 'request.invalid' });
    });

    test('aborts the handler when the caller gives up', async () => {
      const { client, lab } = await enter();
      const caller = new AbortController();
      const call = client.park({}, { signal: caller.signal });
      await lab.untilParked(1);
      caller.abort();
      await expect(call).rejects.toMatchObject({ name: 'AbortError' });
      expect(await lab.untilAborted()).toMatchObject({ name: 'AbortError' });
      expect(lab.parked()).toBe(0);
      expect(lab.logged).toEqual([]);
    });

    test('carries any text unharmed', async () => {
      const { client } = await enter();
      const bytes = Buffer.from(Uint8Array.from({ length: 256 }, (_, byte) => byte));
      for (const text of [
        '\0\x01\x1b[31m\x1b]52;c;aGk=\x07',
        '\ud83d\ude00 \ud800 alone',
        '\u2028\u2029\ufeff\uffff',
        bytes.toString('latin1'),
      ]) {
        expect((await client.echo({ text })).text).toBe(text);
      }
      const through = await client.echo({ text: bytes.toString('base64') });
      expect(Buffer.from(through.text, 'base64')).toEqual(bytes);
    });

    test('parks a watch until there is something newer', async () => {
      const { client, lab } = await enter();
      lab.put('a', 'first');
      const all = await client.watch({});
      expect(all).toMatchObject({ kind: 'all', rows: [{ id: 'a', text: 'first' }] });
      const parked = client.watch({ after: all.cursor });
      await lab.untilParked(1);
      lab.put('b', 'second');
      expect(await parked).toMatchObject({ kind: 'changed', rows: [{ id: 'b', text: 'second' }] });
    });

    test('goes on from the cursor after the connection was lost', async (context) => {
      const { client, lab, door, cut } = await enter();
      if (!cut) return context.skip('there is no connection to lose');
      lab.put('a', 'before');
      const { cursor } = await client.watch({});
      const lost = client.watch({ after: cursor });
      const rejected = expect(lost).rejects.toThrow();
      await lab.untilParked(1);
      await cut();
      await rejected;
      expect(await lab.untilAborted()).toMatchObject({ name: 'AbortError' });
      lab.put('b', 'while away');
      const next = await door.connect();
      expect((await next.client.watch({ after: cursor })).rows).toMatchObject([{ id: 'b', text: 'while away' }]);
      expect(lab.logged.filter(({ level }) => level === 'error')).toEqual([]);
    });

    test('holds nothing for a reader that stalls, and shows it a screen when it is back', async () => {
      const { client, lab } = await enter();
      lab.terminal.append(Buffer.from('first'));
      const first = await client.terminal({ cursor: 0 });
      expect(first).toMatchObject({ kind: 'more', cursor: 5 });

      const chunk = Buffer.alloc(64 * 1024, 'y');
      const before = process.memoryUsage().rss;
      for (let written = 0; written < 200 * 1024 * 1024; written += chunk.length) lab.terminal.append(chunk);
      expect(lab.terminal.held).toBeLessThanOrEqual(256 * 1024 + chunk.length);
      expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);

      const back = await client.terminal({ cursor: first.cursor });
      expect(back).toMatchObject({ kind: 'screen', cursor: lab.terminal.end });
      lab.terminal.append(Buffer.from('live again'));
      const live = await client.terminal({ cursor: back.cursor });
      expect(live.kind === 'more' && Buffer.from(live.data, 'base64').toString()).toBe('live again');
    });

    test('parks a thousand watches cheaply and wakes the right one at once', async () => {
      const { client, lab } = await enter();
      lab.put('any', 'so that there is a cursor');
      const { cursor } = await client.watch({});
      const before = process.memoryUsage().heapUsed;
      const leave = new AbortController();
      const watches = Array.from({ length: 1_000 }, (_, index) =>
        client.watch({ id: `row ${index}`, after: cursor }, { signal: leave.signal }).catch(() => null),
      );
      await lab.untilParked(1_000);
      const kilobytesEach = (process.memoryUsage().heapUsed - before) / 1_000 / 1024;

      const latencies: number[] = [];
      for (let index = 100; index < 200; index += 1) {
        const started = performance.now();
        lab.put(`row ${index}`, 'now');
        expect(await watches[index]).toMatchObject({ rows: [{ id: `row ${index}` }] });
        latencies.push(performance.now() - started);
      }
      latencies.sort((a, b) => a - b);
      const median = latencies[50] ?? Number.NaN;
      console.info(`${name}: wake p50 ${median.toFixed(2)} ms, ${kilobytesEach.toFixed(1)} KiB heap a parked watch (both ends)`);
      expect(median).toBeLessThan(20);
      expect(kilobytesEach).toBeLessThan(64);

      leave.abort();
      await Promise.all(watches);
      const quiet = await client.echo({ text: 'still here' });
      expect(quiet.text).toBe('still here');
    });
  });
}
