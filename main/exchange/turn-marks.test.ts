import { expect, it } from 'vitest';
import { type TurnTyping, turnMarks } from './turn-marks.ts';

const started = Date.UTC(2026, 3, 29);
const turn = (number: number, second: number, ...commands: [string, number][]): TurnTyping => ({
  turn: number,
  at: started + second * 1000,
  commands: commands.map(([keystrokes, duration]) => ({ keystrokes, duration })),
});
const typedAt = (...inputs: [number, string][]) => ({
  typed: inputs.map(([time, text]) => ({ time, text })),
  startedAt: started,
  seconds: 60,
});
const times = (marks: { time: number; label: string }[]) => marks.map(({ time, label }) => [label, time]);

it('a turn begins when the turn before has been waited for', () => {
  const turns = [turn(0, 1, ['make\n', 2]), turn(1, 8, ['ls\n', 0.1], ['cat a\n', 0.5]), turn(2, 15, ['pwd\n', 0.1])];
  const marks = turnMarks(turns, typedAt([0.5, 'clear\r'], [1, 'make\r'], [8, 'ls\n'], [8.1, 'cat a\n'], [15, 'pwd\n']));
  expect(times(marks)).toEqual([
    ['turn 1', 3],
    ['turn 2', 8.6],
  ]);
});

it('but not after its own first key: a wait may have ended early', () => {
  const turns = [turn(0, 1, ['make\n', 60]), turn(1, 8, ['ls\n', 0.1])];
  expect(times(turnMarks(turns, typedAt([1, 'make\n'], [8, 'ls\n'])))).toEqual([['turn 1', 8]]);
});

it('turns that typed nothing are placed by their times, on the clock of the recording', () => {
  // The clock of whoever wrote the trajectory was 100 s ahead of the container's.
  const turns = [turn(0, 101, ['make\n', 2]), turn(1, 110), turn(2, 120, ['', 3]), turn(3, 130, ['ls\n', 1])];
  expect(times(turnMarks(turns, typedAt([1, 'make\n'], [30, 'ls\n'])))).toEqual([
    ['turn 1', 3],
    ['turn 2', 20],
    ['turn 3', 30],
  ]);
});

it('one command that the recording lacks does not mislead those after it', () => {
  const turns = [turn(0, 1, ['a1\n', 1]), turn(1, 5, ['lost\n', 1]), turn(2, 9, ['b2\n', 1]), turn(3, 12, ['c3\n', 1])];
  const marks = turnMarks(turns, typedAt([1, 'a1\n'], [9, 'b2\n'], [12, 'c3\n']));
  expect(times(marks)).toEqual([
    ['turn 1', 2],
    ['turn 2', 9],
    ['turn 3', 10],
  ]);
});

it('long input that was recorded in pieces is known by its first one', () => {
  const text = `cat > a << 'EOF'\n${'x'.repeat(500)}\nEOF\n`;
  const turns = [turn(0, 1, [text, 1]), turn(1, 5, ['ls\n', 1])];
  expect(times(turnMarks(turns, typedAt([1, text.slice(0, 9)], [1.1, text.slice(9)], [5, 'ls\n'])))).toEqual([['turn 1', 2]]);
});

it('a recording without input is placed by the time at which it began', () => {
  const turns = [turn(0, 1, ['make\n', 2]), turn(1, 8, ['ls\n', 1])];
  expect(times(turnMarks(turns, typedAt()))).toEqual([['turn 1', 8]]);
  expect(turnMarks(turns, { ...typedAt(), startedAt: null })).toEqual([]);
  // Where the trajectory has no times either, nothing says it.
  expect(turnMarks([turn(0, 0, ['make\n', 2]), turn(1, 0, ['ls\n', 1])], typedAt())).toEqual([]);
});

it('marks are in order and within the recording, whatever the times are', () => {
  const turns = [turn(0, 50), turn(1, 10), turn(2, 900), turn(3, -5)];
  expect(times(turnMarks(turns, typedAt()))).toEqual([
    ['turn 1', 10],
    ['turn 2', 60],
    ['turn 3', 60],
  ]);
});
