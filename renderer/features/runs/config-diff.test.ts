import { expect, it } from 'vitest';
import { runConfig } from '../../../main/contract/schema/config.ts';
import { configDifferences } from './config-diff.ts';

const base = { tasks: ['bundled'], agents: ['terminus'], model: 'qwen' };

it('names only the settings that differ, by their path', () => {
  const one = runConfig.parse(base);
  const other = runConfig.parse({ ...base, model: null, attempts: 4, limits: { turns: 10 }, sandbox: { aliases: { a: 'b' } } });
  expect(configDifferences(one, other)).toEqual([
    { key: 'model', one: 'qwen', other: 'none' },
    { key: 'attempts', one: '1', other: '4' },
    { key: 'limits.turns', one: '64', other: '10' },
    { key: 'sandbox.aliases.a', one: null, other: 'b' },
  ]);
});

it('finds nothing where defaults are written out', () => {
  expect(configDifferences(runConfig.parse(base), runConfig.parse({ ...base, attempts: 1, limits: {} }))).toEqual([]);
});
