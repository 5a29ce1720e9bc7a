import { describe, expect, test } from 'vitest';
import { encodeKeys } from './keys.ts';

describe('a text that names a key is that key, as with tmux 3.3a', () => {
  const asTmux: [string, string][] = [
    ['C-c', '\x03'],
    ['c-a', '\x01'],
    ['^C', '\x03'],
    ['Enter', '\r'],
    ['ENTER', '\r'],
    ['C-m', '\r'],
    ['KPEnter', '\n'],
    ['Escape', '\x1b'],
    ['C-[', '\x1b'],
    ['Tab', '\t'],
    ['BTab', '\x1b[Z'],
    ['Space', ' '],
    ['BSpace', '\x7f'],
    ['C-Space', '\x00'],
    ['C-@', '\x00'],
    ['C-_', '\x1f'],
    ['C-/', '\x1f'],
    ['C-?', '\x7f'],
    ['C-\\', '\x1c'],
    ['C-]', '\x1d'],
    ['C-^', '\x1e'],
    ['M-x', '\x1bx'],
    ['M-Enter', '\x1b\r'],
    ['C-M-a', '\x1b\x01'],
    ['M-C-c', '\x1b\x03'],
    ['Up', '\x1b[A'],
    ['Down', '\x1b[B'],
    ['C-Left', '\x1b[1;5D'],
    ['M-Up', '\x1b[1;3A'],
    ['S-Up', '\x1b[1;2A'],
    ['Home', '\x1b[1~'],
    ['End', '\x1b[4~'],
    ['IC', '\x1b[2~'],
    ['DC', '\x1b[3~'],
    ['PgUp', '\x1b[5~'],
    ['NPage', '\x1b[6~'],
    ['F1', '\x1bOP'],
    ['F5', '\x1b[15~'],
    ['F12', '\x1b[24~'],
  ];
  test.each(asTmux)('%s', (name, bytes) => {
    expect(encodeKeys(name, 'strict')).toBe(bytes);
    expect(encodeKeys(name, 'fixed')).toBe(bytes);
  });

  test.each(['S-Tab', 'S-a', 'C-', '^', 'q', 'constructor', 'Enter now'])('%s names none', (text) => {
    expect(encodeKeys(text, 'strict')).toBe(text);
  });
});

test('a full-screen program that asks for it gets arrow keys in their application form', () => {
  expect(encodeKeys('Up', 'fixed', { applicationCursor: true })).toBe('\x1bOA');
  expect(encodeKeys('C-Up', 'fixed', { applicationCursor: true })).toBe('\x1b[1;5A');
});

describe('strict', () => {
  test.each(['C-c\n', 'a\nb\r\n', 'cat <<E\n\tx\nE\n'])('types %j as it is', (keys) => {
    expect(encodeKeys(keys, 'strict')).toBe(keys);
  });
});

describe('fixed', () => {
  test('takes control keys with a line break after them, or several in a row', () => {
    expect(encodeKeys('C-c\n', 'fixed')).toBe('\x03');
    expect(encodeKeys('C-d\n\n', 'fixed')).toBe('\x04');
    expect(encodeKeys('C-x C-c', 'fixed')).toBe('\x18\x03');
    expect(encodeKeys('C-c\nls\n', 'fixed')).toBe('C-c\rls\r');
    expect(encodeKeys('End\n', 'fixed')).toBe('End\r');
  });

  test('sends Enter for each line break', () => {
    expect(encodeKeys('ls\npwd\r\n\n', 'fixed')).toBe('ls\rpwd\r\r');
    expect(encodeKeys('', 'fixed')).toBe('');
    expect(encodeKeys('\n', 'fixed')).toBe('\r');
  });

  test('keeps the tabs of here-documents, and leaves those of completion alone', () => {
    expect(encodeKeys("cat > Makefile << 'EOF'\nall:\n\tcc\tx.c\nEOF\ncd /us\t\n", 'fixed')).toBe(
      "cat > Makefile << 'EOF'\rall:\r\x16\tcc\x16\tx.c\rEOF\rcd /us\t\r",
    );
    expect(encodeKeys('cat <<-A <<"B"\n\tx\n\tA\n\ty\nB\n\tz', 'fixed')).toBe('cat <<-A <<"B"\r\x16\tx\r\x16\tA\r\x16\ty\rB\r\tz');
    expect(encodeKeys('cat <<< EOF\n\tx', 'fixed')).toBe('cat <<< EOF\r\tx');
  });
});
