// A small lab for the tests of the doors: a contract of its own with one procedure for each way in which a call can go, and the state
// behind it. No fake transport and no fake client: only what is served is small.
import type { ContractRouterClient } from '@orpc/contract';
import { implement } from '@orpc/server';
import * as z from 'zod';
import { procedure } from '../contract/base.ts';
import { after, rowsOf, tailRead } from '../contract/watch.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { Tail } from '../lib/tail.ts';
import type { Served } from './rpc.ts';

const row = z.object({ id: z.string(), rev: z.number().int(), text: z.string() });
type Row = z.infer<typeof row>;

const testContract = {
  hello: procedure.input(z.object({ client: z.string().max(100) })).output(z.object({ instance: z.string() })),
  echo: procedure.input(z.object({ text: z.string().max(65_536) })).output(z.object({ text: z.string() })),
  bytes: procedure.input(z.object({ count: z.number().int() })).output(z.object({ text: z.string() })),
  fail: procedure.input(z.object({ how: z.enum(['expected', 'bug', 'bad answer']) })).output(z.object({ ok: z.literal(true) })),
  park: procedure.input(z.object({})).output(z.object({})),
  watch: procedure.input(z.object({ id: z.string().optional(), after })).output(rowsOf(row)),
  terminal: procedure.input(z.object({ cursor: z.number().int() })).output(tailRead),
};
export type TestClient = ContractRouterClient<typeof testContract>;

export interface TestLab {
  served: Served;
  /** Lines that were logged. */
  logged: { level: string; message: string }[];
  /** Writes a row and wakes who waits for it. */
  put(id: string, text: string): void;
  terminal: Tail;
  /** Answers that were made, of whatever size was asked for. */
  answered(): number;
  /** Calls that are parked now. */
  parked(): number;
  /** Resolves when `count` calls are parked. */
  untilParked(count: number): Promise<void>;
  /** Resolves with the reason when the signal of a parked call aborts. */
  untilAborted(): Promise<unknown>;
}

export function testLab(): TestLab {
  const logged: TestLab['logged'] = [];
  const line = (level: string) => (_facts: object, message: string) => void logged.push({ level, message });
  const log: Log = { info: line('info'), warn: line('warn'), error: line('error') };

  const rows = new Map<string, Row>();
  let rev = 0;
  const waiting = new Map<() => void, string | undefined>();
  const terminal = new Tail();
  const changed = new Set<() => void>();
  let answered = 0;
  const aborts: PromiseWithResolvers<unknown> = Promise.withResolvers();

  /** Parks until a row of this id (or any) is written. */
  const nextWrite = (id: string | undefined, signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.delete(wake);
        signal?.removeEventListener('abort', abort);
      };
      const wake = () => {
        leave();
        resolve();
      };
      const abort = () => {
        leave();
        aborts.resolve(signal?.reason);
        reject(signal?.reason);
      };
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', abort);
      waiting.set(wake, id);
      for (const listener of [...changed]) listener();
    });

  const build = implement(testContract);
  const router = build.router({
    hello: build.hello.handler(() => ({ instance: 'test' })),
    echo: build.echo.handler(({ input }) => ({ text: input.text })),
    bytes: build.bytes.handler(({ input }) => {
      answered += 1;
      return { text: 'x'.repeat(input.count) };
    }),
    fail: build.fail.handler(({ input }) => {
      switch (input.how) {
        case 'expected':
          throw new AppError('task.invalid', 'The task has no instruction.', { hint: 'Add instruction.md.', where: 'task.toml:3' });
        case 'bug':
          throw new TypeError('undefined is not a rollout');
        case 'bad answer':
          return { ok: JSON.parse('"yes"') };
      }
    }),
    park: build.park.handler(async ({ signal }) => {
      await nextWrite('never written', signal);
      return {};
    }),
    watch: build.watch.handler(async ({ input, signal }) => {
      const newer = () => [...rows.values()].filter((found) => found.rev > (input.after ?? 0) && (input.id ?? found.id) === found.id);
      if (input.after !== undefined) while (newer().length === 0) await nextWrite(input.id, signal);
      return { kind: input.after === undefined ? 'all' : 'changed', rows: newer(), removed: [], cursor: rev, more: false };
    }),
    terminal: build.terminal.handler(async ({ input, signal }) => {
      const read = await terminal.next(input.cursor, signal ?? new AbortController().signal);
      if (read.kind === 'end') return { kind: 'exit', cursor: read.cursor };
      if (read.kind === 'lost') return { kind: 'screen', screen: 'the screen now', cols: 80, rows: 24, cursor: terminal.end };
      return { kind: 'more', data: Buffer.from(read.data).toString('base64'), cursor: read.cursor };
    }),
  });

  return {
    served: { router, log },
    logged,
    terminal,
    put(id, text) {
      rev += 1;
      rows.set(id, { id, rev, text });
      for (const [wake, wanted] of [...waiting]) if (wanted === undefined || wanted === id) wake();
    },
    answered: () => answered,
    parked: () => waiting.size,
    untilParked: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (waiting.size < count) return;
          changed.delete(look);
          resolve();
        };
        changed.add(look);
        look();
      }),
    untilAborted: () => aborts.promise,
  };
}
