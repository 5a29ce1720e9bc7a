import { expect, it } from 'vitest';
import { treeRows } from './tree.ts';

const files = ['task.toml', 'tests/test.sh', 'tests/data/a.csv', 'instruction.md', 'environment/Dockerfile'];
const shown = (closed: string[] = [], folders: string[] = []) =>
  treeRows(files, folders, new Set(closed)).map((row) => `${'  '.repeat(row.depth)}${row.name}${row.kind === 'folder' ? '/' : ''}`);

it('shows folders before files, each by name', () => {
  expect(shown()).toEqual(['environment/', '  Dockerfile', 'tests/', '  data/', '    a.csv', '  test.sh', 'instruction.md', 'task.toml']);
});

it('leaves out what lies in a closed folder, and shows an empty one', () => {
  expect(shown(['tests'], ['solution'])).toEqual(['environment/', '  Dockerfile', 'solution/', 'tests/', 'instruction.md', 'task.toml']);
});
