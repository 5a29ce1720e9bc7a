// What an agent is shown, and that no output, however much or broken, harms the lab.
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { TtyConnection } from '../lib/connection.ts';
import { Gathered } from './observe.ts';
import { openTerminal } from './session.ts';
import type { Terminal } from './terminal.ts';

/** A terminal whose program is this test: `print` is its output, `typed` what it got. */
async function program(cols = 80, rows = 24) {
  const output = new Readable({ read() {} });
  const typed: string[] = [];
  let resolveExit = (_code: number | null) => {};
  const exited = new Promise<number | null>((resolve) => {
    resolveExit = resolve;
  });
  const connection: TtyConnection = {
    output,
    exited,
    write: async (data) => void typed.push(Buffer.from(data).toString('latin1')),
    resize: async () => {},
    async [Symbol.asyncDispose]() {
      output.push(null);
      resolveExit(0);
    },
  };
  const terminal = await openTerminal(connection, { cols, rows, token: 't' });
  onTestFinished(() => terminal[Symbol.asyncDispose]());
  const print = async (data: string | Buffer) => {
    const upTo = terminal.bytes.end + Buffer.byteLength(data);
    output.push(data);
    while (terminal.bytes.end < upTo) await terminal.bytes.next(terminal.bytes.end, AbortSignal.timeout(20_000));
    await terminal.screen();
  };
  return { terminal, print, typed };
}

/** Prints in pieces of 64 KiB, as a connection does; `piece` is repeated until `bytes` are out. */
async function flood({ print }: Awaited<ReturnType<typeof program>>, piece: Buffer, bytes: number): Promise<void> {
  const block = Buffer.alloc(Math.ceil(65_536 / piece.length) * piece.length, piece);
  for (let printed = 0; printed < bytes; printed += block.length) await print(block);
}

const memory = () => process.memoryUsage().rss / 1e6;

describe('an observation', () => {
  test('is the screen first, then what was printed since, row by row as displayed', async () => {
    const { terminal, print } = await program(10);
    await print('$ ');
    expect(await terminal.observe()).toEqual({ kind: 'screen', text: '$', omittedBytes: 0 });
    await print('ls\r\na file with a long name   \r\n$ ');
    expect(await terminal.observe()).toEqual({ kind: 'new', text: '$ ls\na file wit\nh a long n\name\n$', omittedBytes: 0 });
    await print('x\r\n$ ');
    expect(await terminal.observe()).toMatchObject({ kind: 'new', text: '$ x\n$' });
  });

  test('is the screen where nothing was printed, the screen was erased, or a full-screen program runs', async () => {
    const { terminal, print } = await program();
    await print('one\r\n$ ');
    await terminal.observe();
    expect(await terminal.observe()).toMatchObject({ kind: 'screen', text: 'one\n$' });
    await print('clear\r\n\x1b[H\x1b[2J$ ');
    expect(await terminal.observe()).toMatchObject({ kind: 'screen', text: '$' });
    await print('clear\r\n\x1b[H\x1b[2J\x1b[3J$ ');
    expect(await terminal.observe()).toMatchObject({ kind: 'screen', text: '$' });
    await print('vi\r\n\x1b[?1049h\x1b[2J\x1b[H~\r\n~');
    expect(await terminal.observe()).toMatchObject({ kind: 'screen', text: '~\n~' });
    await print('\x1b[?1049l$ ');
    expect(await terminal.observe()).toMatchObject({ kind: 'new', text: '$' });
    await print('\x1bc# ');
    expect(await terminal.observe()).toMatchObject({ kind: 'screen', text: '#' });
    await print('a\r\n# ');
    expect(await terminal.observe()).toMatchObject({ kind: 'new', text: '# a\n#' });
  });

  test('is the screen where a program drew above what was seen', async () => {
    const { terminal, print } = await program();
    await print('1\r\n2\r\n3\r\n$ ');
    await terminal.observe();
    await print('\x1b[1;1Htop\x1b[4;3H');
    expect(await terminal.observe()).toMatchObject({ kind: 'screen', text: 'top\n2\n3\n$' });
  });

  test('shows a line that was drawn over in place as it is now', async () => {
    const { terminal, print } = await program();
    await print('$ ');
    await terminal.observe();
    await print('get\r\n 10%\r 60%\r100%\r\n$ ');
    expect(await terminal.observe()).toMatchObject({ kind: 'new', text: '$ get\n100%\n$' });
  });

  test.each([
    ['any text', (index: number) => `line ${index} é`],
    ['short plain lines', (index: number) => `${index}`],
    ['plain lines that wrap and end in spaces', (index: number) => 'some words '.repeat(index % 17)],
    ['empty lines', () => ''],
  ])('of much output, %s, is its first and last part with the true number of bytes between', async (_name, lineOf) => {
    const { terminal, print } = await program();
    await print('$ ');
    await terminal.observe();
    const lines = Array.from({ length: 100_000 }, (_, index) => lineOf(index));
    for (let from = 0; from < lines.length; from += 20_000) await print(`${lines.slice(from, from + 20_000).join('\r\n')}\r\n`);
    await print('$ ');
    const { kind, text, omittedBytes } = await terminal.observe(10_000);
    expect(kind).toBe('new');
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(10_000);
    const rows = [`$ ${lines[0]}`, ...lines.slice(1)].flatMap((line) => line.match(/.{1,80}/g) ?? ['']);
    const whole = [...rows, '$'].map((row) => row.trimEnd()).join('\n');
    const [first = '', notice = '', last = ''] = text.split(/(\n\[…[^\]]*…\]\n)/);
    expect(whole.startsWith(first)).toBe(true);
    expect(whole.endsWith(last)).toBe(true);
    expect(Buffer.byteLength(first)).toBeGreaterThan(4_900);
    expect(Buffer.byteLength(last)).toBeGreaterThan(4_900);
    expect(omittedBytes).toBe(Buffer.byteLength(whole) - Buffer.byteLength(first) - Buffer.byteLength(last));
    expect(notice).toContain(`${omittedBytes} bytes`);
    await print('x\r\n$ ');
    expect(await terminal.observe()).toEqual({ kind: 'new', text: '$ x\n$', omittedBytes: 0 });
  });

  test('goes on where it was after rows fell out of the scrollback, and across a resize', async () => {
    const { terminal, print } = await program();
    for (let round = 0; round < 3; round += 1) {
      await print(Buffer.from('filler\r\n'.repeat(8_000)));
      await terminal.observe();
      await print('new\r\n');
      expect(await terminal.observe()).toMatchObject({ kind: 'new', text: 'new' });
    }
    await print('before\r\n');
    await terminal.resize(40, 10);
    await print('after\r\n');
    expect(await terminal.observe()).toMatchObject({ kind: 'new', text: 'before\nafter' });
  });
});

test('a flood leaves the screen as it would be without', async () => {
  const text = Array.from({ length: 60_000 }, (_, index) => `${index} ${'='.repeat(index % 100)}`).join('\r\n');
  const whole = await program();
  await whole.print('\x1b[31m');
  await flood(whole, Buffer.from('plain\r\n'), 1_000_000);
  await whole.print(text);
  const pieces = await program();
  await pieces.print('\x1b[31m');
  for (let from = 0; from < text.length; from += 10_000) await pieces.print(text.slice(from, from + 10_000));
  expect(await whole.terminal.screen()).toBe(await pieces.terminal.screen());
  expect((await whole.terminal.keyframe()).screen.slice(-2_000)).toBe((await pieces.terminal.keyframe()).screen.slice(-2_000));
});

test('any text fits its limit, and what is shown and what is left out add up', () => {
  const rows = fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 60 });
  fc.assert(
    fc.property(rows, fc.string({ unit: 'grapheme', maxLength: 400 }), fc.integer({ min: 100, max: 2_000 }), (list, rest, limit) => {
      const gathered = new Gathered();
      for (const row of list) gathered.add(row);
      const whole = list.map((row) => `${row}\n`).join('') + rest;
      const { text, omittedBytes } = gathered.excerpt(rest, limit);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limit);
      if (Buffer.byteLength(whole) <= limit) expect({ text, omittedBytes }).toEqual({ text: whole, omittedBytes: 0 });
      else {
        const [first = '', last = ''] = text.split(`\n[… ${omittedBytes} bytes of output left out here …]\n`);
        expect(whole.startsWith(first) && whole.endsWith(last)).toBe(true);
        expect(Buffer.byteLength(first) + omittedBytes + Buffer.byteLength(last)).toBe(Buffer.byteLength(whole));
      }
    }),
  );
});

describe('no output harms the lab', () => {
  const alive = async ({ terminal, print }: { terminal: Terminal; print: (text: string) => Promise<void> }) => {
    await print('\x1b\\\x18\r\n\x1b[0malive\r\n');
    expect(await terminal.screen()).toContain('alive');
  };

  test.each([
    ['a line without end', Buffer.from('x'), 10_000_000],
    ['NUL', Buffer.alloc(64), 2_000_000],
    ['bytes that are no text', Buffer.from([0xff, 0xc3, 0xfe, 0x80, 0xed, 0xa0, 0x80]), 2_000_000],
    ['a title without end', Buffer.from('\x1b]0;aaaaaaaaaaaaaaaaaaaaaaaaaaa'), 2_000_000],
    ['characters to repeat', Buffer.from('x\x1b[80b'), 200_000],
    ['characters to repeat for ever', Buffer.from('x\x1b[2000000000b'), 200_000],
    ['lines to insert and scroll for ever', Buffer.from('\x1b[2000000000L\x1b[2000000000S\x1b[2000000000M\x1b[2000000000T'), 200_000],
    ['cells to insert for ever', Buffer.from('\x1b[2000000000@\x1b[2000000000P\x1b[2000000000I\x1b[2000000000Z'), 200_000],
    ['lines in the alternate screen', Buffer.from('\x1b[?1049hx\r\n'), 2_000_000],
  ])('%s', { timeout: 60_000 }, async (_name, piece, bytes) => {
    const it = await program();
    await flood(it, piece, bytes);
    expect(Buffer.byteLength((await it.terminal.observe()).text)).toBeLessThanOrEqual(10_000);
    await alive(it);
  });

  test.each([
    ['OSC', '\x1b]52;c;'],
    ['OSC of our own kind', '\x1b]133;'],
    ['DCS', '\x1bPq'],
    ['APC', '\x1b_G'],
    ['CSI', '\x1b[1'],
  ])('200 MB of an %s sequence without end do not grow the memory', { timeout: 60_000 }, async (_name, start) => {
    const it = await program();
    await it.print(start);
    const before = memory();
    await flood(it, Buffer.from('0123456789;'), 200_000_000);
    expect(memory() - before).toBeLessThan(150);
    expect(it.terminal.bytes.held).toBeLessThan(400_000);
    await alive(it);
  });

  test('a long string that ends is taken whole, wherever its chunks begin', async () => {
    const it = await program();
    for (const byte of `before\x1b]0;${'t'.repeat(300)}\x1b\\ between \x1bP${'q'.repeat(70_000)}\x1b\\after`.match(/[\s\S]{1,97}/g) ?? [])
      await it.print(byte);
    for (const byte of '\x1b]0;title\x07 end') await it.print(byte);
    expect(await it.terminal.screen()).toBe('before between after end');
  });

  test('the clipboard, the title and the window are not to be had', async () => {
    const it = await program();
    await it.print('\x1b]52;c;aGVsbG8=\x07\x1b]52;c;?\x07\x1b]0;title\x07\x1b[21t\x1b[18t\x1b[8;50;200t\x1b[3;0;0t');
    expect(it.typed).toEqual([]);
    expect([it.terminal.cols, it.terminal.rows]).toEqual([80, 24]);
    expect(await it.terminal.screen()).toBe('');
  });

  test('a program that asks where the cursor is gets an answer, as from any terminal', async () => {
    const it = await program();
    await it.print('ab\x1b[6n');
    await it.print('\x1b[c');
    expect(it.typed).toEqual(['\x1b[1;3R', '\x1b[?1;2c']);
  });

  test('output that comes faster than it is read reaches a viewer as a screen to start from', async () => {
    const it = await program();
    const cursor = it.terminal.bytes.end;
    await flood(it, Buffer.from('some line of output\r\n'), 2_000_000);
    expect(it.terminal.bytes.read(cursor)).toMatchObject({ kind: 'lost' });
    const frame = await it.terminal.keyframe();
    expect(frame).toMatchObject({ cols: 80, rows: 24, cursor: it.terminal.bytes.end });
    const viewer = await program();
    await viewer.print(frame.screen);
    expect(await viewer.terminal.screen()).toBe(await it.terminal.screen());
  });
});
