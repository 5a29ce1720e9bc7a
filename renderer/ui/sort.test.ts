import { expect, it } from 'vitest';
import { sortRows } from './sort.ts';

const rows = [
  { name: 'task-10', reward: 0.5 },
  { name: 'task-2', reward: null },
  { name: 'Task-1', reward: 1 },
];

it('orders names as people do', () => {
  expect(sortRows(rows, (row) => row.name, 'up').map((row) => row.name)).toEqual(['Task-1', 'task-2', 'task-10']);
});

it('keeps what is missing at the end in both directions', () => {
  expect(sortRows(rows, (row) => row.reward, 'up').map((row) => row.reward)).toEqual([0.5, 1, null]);
  expect(sortRows(rows, (row) => row.reward, 'down').map((row) => row.reward)).toEqual([1, 0.5, null]);
});

it('leaves the original alone and equal rows in their order', () => {
  const equal = [{ id: 1 }, { id: 2 }, { id: 3 }];
  expect(sortRows(equal, () => 'same', 'down')).toEqual(equal);
  expect(equal.map((row) => row.id)).toEqual([1, 2, 3]);
});
