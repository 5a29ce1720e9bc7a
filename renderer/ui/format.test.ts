import { describe, expect, it } from 'vitest';
import { ago, bytes, clock, count, duration, keystrokes, percent, plural, reward, roughly, visible } from './format.ts';

describe('durations and times', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [12_345, '12.3 s'],
    [59_999, '59.9 s'],
    [60_000, '1:00'],
    [245_000, '4:05'],
    [3_729_000, '1:02:09'],
  ])('%d ms reads %s', (ms, text) => expect(duration(ms)).toBe(text));

  it('shows a running clock without tenths', () => {
    expect(clock(7_900)).toBe('0:07');
    expect(clock(760_000)).toBe('12:40');
  });

  it('guesses no finer than it can know', () => {
    expect([roughly(33_700), roughly(61_000), roughly(9_000_000)]).toEqual(['34 s', '2 min', '2.5 h']);
  });

  it('says how long ago, and a date when that is long', () => {
    const now = new Date(2026, 10, 30, 12).getTime();
    expect(ago(now - 3_000, now)).toBe('just now');
    expect(ago(now - 240_000, now)).toBe('4 min ago');
    expect(ago(now - 3 * 3_600_000, now)).toBe('3 h ago');
    expect(ago(now - 3 * 86_400_000, now)).toBe('27 Nov');
    expect(ago(now - 400 * 86_400_000, now)).toBe('26 Oct 2025');
  });
});

describe('amounts', () => {
  it('reads bytes, counts, shares and rewards', () => {
    expect([bytes(512), bytes(4_200), bytes(123_456), bytes(1_300_000_000)]).toEqual(['512 B', '4.2 kB', '123 kB', '1.3 GB']);
    expect([count(1_234), count(2_500_000)]).toEqual(['1,234', '2.5 M']);
    expect([percent(0.4196), percent(null)]).toEqual(['42.0 %', '–']);
    expect([reward(1), reward(1 / 3), reward(null)]).toEqual(['1', '0.3333', '–']);
    expect([plural(1, 'task'), plural(12, 'task')]).toEqual(['1 task', '12 tasks']);
  });
});

describe('text from a terminal', () => {
  it('shows control characters instead of obeying them', () => {
    expect(visible('a\u001b[31mb\u0007\tc\n')).toBe('a␛[31mb␇\tc\n');
  });

  it('drops only the return that ends a command', () => {
    expect(keystrokes('ls -la\n')).toBe('ls -la');
    expect(keystrokes('cat <<E\nx\nE\n')).toBe('cat <<E\nx\nE');
    expect(keystrokes('\u0003')).toBe('␃');
  });
});
