// Mistakes against a schema in words that say what would have been right.
import { expect, test } from 'vitest';
import * as z from 'zod';
import { nearest } from '../lib/nearest.ts';
import { dotted, explain } from './explain.ts';

const shape = z.strictObject({
  colour: z.enum(['red', 'green']).optional(),
  items: z.array(z.strictObject({ name: z.string(), size: z.number().max(9).optional() })).default([]),
  names: z.record(z.string(), z.strictObject({ first: z.string() })).prefault({}),
  either: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('a'), alpha: z.string() }),
      z.strictObject({ kind: z.literal('b'), beta: z.string() }),
    ])
    .nullable()
    .default(null),
});

function told(value: unknown): string[] {
  const parsed = shape.safeParse(value);
  return explain(shape, value, parsed.error?.issues ?? []).map(({ path, message }) => `${dotted(path)}: ${message}`);
}

test.each([
  ['an unknown key below a list', { items: [{ name: 'x' }, { nam: 'y', name: 'y' }] }, ['items[1].nam: unknown key; did you mean "name"?']],
  [
    'an unknown key below a map of free names',
    { names: { 'a b': { first: 'x', last: 'y' } } },
    ['names."a b".last: unknown key; known here: first'],
  ],
  ['a key of the other variant', { either: { kind: 'b', beta: 'x', alpha: 'y' } }, ['either.alpha: unknown key; known here: kind, beta']],
  ['a variant nobody knows', { either: { kind: 'c' } }, ['either.kind: must be one of a, b, not "c"']],
  ['a variant left out', { either: {} }, ['either.kind: is missing; it is one of a, b']],
  ['a word out of a list', { colour: 'gren' }, ['colour: must be one of red, green, not "gren"; did you mean "green"?']],
  ['a missing value', { items: [{}] }, ['items[0].name: is missing']],
  ['a value too large', { items: [{ name: 'x', size: 10 }] }, [expect.stringMatching(/^items\[0\]\.size: Too big.*\(it is 10\)$/)]],
  ['a long text is cut', { items: 'x'.repeat(500) }, [expect.stringMatching(/^items: must be a list, not "x{59}…$/)]],
])('%s', (_, value, expected) => {
  expect(told(value)).toEqual(expected);
});

test.each([
  ['turn', 'turns'],
  ['format_errors', 'formatErrors'],
  ['FORMATERRORS', 'formatErrors'],
  ['frmatErors', 'formatErrors'],
  ['colour', null],
  ['x', null],
])('nearest to %s is %s', (word, expected) => {
  expect(nearest(word, ['turns', 'formatErrors', 'seconds'])).toBe(expected);
});
