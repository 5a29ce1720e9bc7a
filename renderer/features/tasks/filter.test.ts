import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FilteredTask, filterFields, parseFilter } from './filter.ts';

const task = (name: string, more: Partial<FilteredTask> = {}): FilteredTask => ({
  ...{ id: name, setId: 's', setName: 'bundled', name: `lab/${name}`, path: `/${name}`, format: 'harbor', digest: '' },
  ...{ instruction: 'Count lines.', difficulty: 'easy', category: null, tags: [], hasSolution: true, issues: [], gates: [], rev: 1 },
  ...more,
});
const tasks = [
  task('count', { tags: ['logs', 'awk'], gates: [{ gate: 'oracle', state: 'passed', detail: '', seconds: 1 }] }),
  task('bisect', {
    ...{ difficulty: 'hard', tags: ['git'], instruction: 'Find the commit in the access log.', hasSolution: false },
    issues: [{ level: 'warning', message: 'unknown key', file: 'task.toml' }],
    gates: [{ gate: 'oracle', state: 'failed', detail: '', seconds: 1 }],
  }),
  task('purge', { difficulty: 'hard', category: 'git', setName: 'mine' }),
];
const kept = (source: string) => {
  const filter = parseFilter(source);
  if (!filter.ok) return filter.message;
  return tasks.filter(filter.test).map((each) => each.id);
};

describe('the filter of tasks', () => {
  it.each([
    ['', ['count', 'bisect', 'purge']],
    ['log', ['count', 'bisect']],
    ['"access log"', ['bisect']],
    ['difficulty = hard', ['bisect', 'purge']],
    ['difficulty=hard not tag=git', ['purge']],
    ['difficulty = HARD and (tag = git or set = mine)', ['bisect', 'purge']],
    ['gate.oracle = failed or gate.oracle = none', ['bisect', 'purge']],
    ['text ~ "ACCESS log"', ['bisect']],
    ['issues > 0', ['bisect']],
    ['tags >= 2', ['count']],
    ['category != git solution = yes', ['count']],
    ['name = purge', ['purge']],
  ])('%s', (source, expected) => {
    expect(kept(source)).toEqual(expected);
  });

  it.each([
    ['difficulty =', 'difficulty = what?'],
    ['dificulty = hard', 'there is no field "dificulty"'],
    ['(a or b', 'a parenthesis is not closed'],
    ['a)', 'no opening one'],
    ['"a', 'not closed'],
    ['a or', 'missing'],
    ['name > 3', 'compares numbers'],
    ['constructor = x', 'there is no field'],
  ])('says what is wrong with %s', (source, words) => {
    expect(kept(source)).toContain(words);
  });

  it('never fails, whatever is typed, and means the same each time', () => {
    const parts = fc.constantFrom('(', ')', '"', 'and', 'or', 'not', '=', '!=', '~', '>', 'log', '!', '\\', ...filterFields);
    void fc.assert(
      fc.property(fc.array(parts), (words) => {
        const source = words.join(' ');
        expect(kept(source)).toEqual(kept(source));
      }),
    );
  });
});
