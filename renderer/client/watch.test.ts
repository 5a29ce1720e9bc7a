import { ORPCError } from '@orpc/client';
import { describe, expect, test } from 'vitest';
import type { TailAnswer } from '../../main/contract/watch.ts';
import { backoff } from './backoff.ts';
import { DisconnectedError, labError } from './errors.ts';
import { type RowsAnswer, type RowsChange, watchLoop, watchRows, watchTail } from './watch.ts';

interface Row {
  id: string;
  rev: number;
}

/** A server that answers these one after another, then parks until the watch is given up. */
function script<Answer>(answers: (Answer | Error)[], end: AbortController) {
  const asked: unknown[] = [];
  const call = async (input: unknown, { signal }: { signal: AbortSignal }): Promise<Answer> => {
    asked.push(input);
    const next = answers.shift();
    if (next instanceof Error) throw next;
    if (next) return next;
    end.abort();
    throw signal.reason;
  };
  return { asked, call };
}

const rows = (kind: 'all' | 'changed', cursor: number, ids: string[], removed: string[] = []): RowsAnswer<Row> => ({
  kind,
  rows: ids.map((id) => ({ id, rev: cursor })),
  removed,
  cursor,
  more: false,
});
const labFailure = (code: string, retryable = false) => new ORPCError('LAB', { data: { code, message: `it is ${code}`, retryable } });

describe('following rows', () => {
  test('asks from nothing, then from its cursor, and hands over each change', async () => {
    const end = new AbortController();
    const { asked, call } = script<RowsAnswer<Row>>([rows('all', 3, ['a', 'b']), rows('changed', 4, ['b'], ['a'])], end);
    const changes: RowsChange<Row>[] = [];
    await watchRows<Row>(call, (change) => changes.push(change), end.signal);
    expect(asked).toEqual([{}, { after: 3 }, { after: 4 }]);
    expect(changes).toEqual([
      {
        kind: 'all',
        rows: [
          { id: 'a', rev: 3 },
          { id: 'b', rev: 3 },
        ],
        removed: [],
      },
      { kind: 'changed', rows: [{ id: 'b', rev: 4 }], removed: ['a'] },
    ]);
  });

  test('goes on from its cursor when the connection was lost, without telling anybody', async () => {
    const end = new AbortController();
    const { asked, call } = script<RowsAnswer<Row>>(
      [rows('all', 3, ['a']), new DisconnectedError('gone', { sent: true }), rows('changed', 5, ['c'])],
      end,
    );
    const errors: unknown[] = [];
    await watchRows<Row>(
      call,
      () => {},
      end.signal,
      (error) => errors.push(error),
    );
    expect(asked).toEqual([{}, { after: 3 }, { after: 3 }, { after: 5 }]);
    expect(errors).toEqual([]);
  });

  test('shows that there is nothing, but not that nothing changed', async () => {
    const end = new AbortController();
    const { call } = script<RowsAnswer<Row>>([rows('all', 3, []), rows('changed', 3, []), rows('all', 1, [])], end);
    const kinds: string[] = [];
    await watchRows<Row>(call, ({ kind }) => kinds.push(kind), end.signal);
    expect(kinds).toEqual(['all', 'all']);
  });

  test('ends without a word when it is given up', async () => {
    const end = new AbortController();
    end.abort();
    const errors: unknown[] = [];
    await watchRows<Row>(
      async () => rows('all', 1, []),
      () => expect.unreachable(),
      end.signal,
      (error) => errors.push(error),
    );
    expect(errors).toEqual([]);
  });
});

describe('when the lab refuses', () => {
  test.each(['request.not_found', 'request.invalid', 'server.unauthorized'])('%s is reported once and ends the loop', async (code) => {
    let calls = 0;
    const errors: unknown[] = [];
    await watchLoop(
      async () => {
        calls += 1;
        throw labFailure(code);
      },
      new AbortController().signal,
      (error) => errors.push(labError(error)?.code),
    );
    expect(calls).toBe(1);
    expect(errors).toEqual([code]);
  });

  test('what may pass is reported and tried again', async () => {
    const failures = [labFailure('docker.unreachable', true), labFailure('internal')];
    const errors: unknown[] = [];
    await watchLoop(
      async () => {
        const failure = failures.shift();
        if (failure) throw failure;
        return 'end';
      },
      new AbortController().signal,
      (error) => errors.push(labError(error)?.code),
    );
    expect(errors).toEqual(['docker.unreachable', 'internal']);
  });
});

describe('following a terminal', () => {
  test('hands over bytes as they were, a screen where it fell behind, and the exit', async () => {
    const end = new AbortController();
    const { asked, call } = script<TailAnswer>(
      [
        { kind: 'more', data: btoa('\x1b[31m\xff\xfe\0'), cursor: 8 },
        { kind: 'screen', screen: 'now', cols: 80, rows: 24, cursor: 900 },
        { kind: 'more', data: btoa('x'), cursor: 901 },
        { kind: 'exit', cursor: 901 },
      ],
      end,
    );
    const seen: unknown[] = [];
    await watchTail(
      call,
      { data: (bytes) => void seen.push([...bytes]), screen: (screen) => void seen.push(screen), exit: () => seen.push('exit') },
      end.signal,
    );
    expect(asked).toEqual([{ cursor: 0 }, { cursor: 8 }, { cursor: 900 }, { cursor: 901 }]);
    expect(seen).toEqual([[27, 91, 51, 49, 109, 255, 254, 0], { text: 'now', cols: 80, rows: 24 }, [120], 'exit']);
  });

  test('asks for more only when the terminal has written what it got', async () => {
    const end = new AbortController();
    const { asked, call } = script<TailAnswer>([{ kind: 'more', data: btoa('slow'), cursor: 4 }], end);
    const written = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const watching = watchTail(
      call,
      {
        data: () => {
          started.resolve();
          return written.promise;
        },
        screen: () => {},
      },
      end.signal,
    );
    await started.promise;
    await Promise.resolve();
    expect(asked).toHaveLength(1);
    written.resolve();
    await watching;
    expect(asked).toHaveLength(2);
  });
});

test('pauses double up to ten seconds, each shortened by chance', () => {
  expect([0, 1, 2, 10, 1_000].map((attempt) => backoff(attempt, () => 1))).toEqual([250, 500, 1_000, 10_000, 10_000]);
  expect([0, 1, 2].map((attempt) => backoff(attempt, () => 0))).toEqual([125, 250, 500]);
});

test('errors are told in the words of the lab, and aborted calls not at all', () => {
  expect(labError(labFailure('task.invalid'))).toEqual({ code: 'task.invalid', message: 'it is task.invalid', retryable: false });
  expect(labError(new DOMException('stop', 'AbortError'))).toBeNull();
  expect(labError(new DisconnectedError('gone', { sent: true }))?.hint).toContain('took effect');
  expect(labError(new DisconnectedError('gone', { sent: false }))?.hint).toContain('Nothing was sent');
  expect(labError(new ORPCError('LAB', { data: { code: 'made up' } }))).toMatchObject({ code: 'internal' });
  expect(labError(new TypeError('x is undefined'))).toEqual({ code: 'internal', message: 'x is undefined', retryable: false });
});
