import { describe, expect, it } from 'vitest';
import { createFinder, places, score } from './match.ts';

const finderOf = (texts: string[]) => createFinder(texts.map((text) => ({ text, lower: text.toLowerCase() })));
const best = (typed: string, texts: string[]) =>
  finderOf(texts)
    .find(typed, 10)
    .map(({ item }) => item.text);

describe('finding by a few letters', () => {
  it('prefers the start of a word to its middle, and short to long', () => {
    expect(best('run', ['Overrun the queue', 'Go to Runs', 'Start a run', 'Run'])).toEqual([
      'Run',
      'Go to Runs',
      'Start a run',
      'Overrun the queue',
    ]);
  });

  it('takes initials', () => {
    expect(best('gtr', ['Go to Runs', 'Larger text', 'Nothing'])[0]).toBe('Go to Runs');
  });

  it('needs every word', () => {
    expect(best('git bisect', ['git-bisect-regression', 'git-rebase'])).toEqual(['git-bisect-regression']);
  });

  it('drops letters strewn at random', () => {
    expect(score(['xyz'], 'a box of yarn and a zebra in the middle of nowhere')).toBe(-1);
  });

  it('says which characters matched', () => {
    expect(places(['th'], 'go to the end')).toEqual([6, 7]);
  });

  it('shows the first items where nothing is typed', () => {
    expect(best('', ['b', 'a'])).toEqual(['b', 'a']);
  });

  it('finds the same letter by letter, back and forth, as at once', () => {
    const texts = ['slow query', 'Slow start', 'query the log', 'sql, quick', 'squeeze', 'a quiet slope'];
    const typing = finderOf(texts);
    for (const query of ['s', 'sl', 's', 'slo', 'slo q', 'slo', 'q', 'qu', 'sq', ''])
      expect(typing.find(query, 10).map(({ item }) => item.text)).toEqual(best(query, texts));
  });

  it('finds in 50,000 names fast enough to type by', () => {
    const finder = finderOf(Array.from({ length: 50_000 }, (_, index) => `task-${index} compile the ${index % 97} th kernel module`));
    const started = performance.now();
    expect(finder.find('kern 42', 50)).toHaveLength(50);
    // The budget in a browser is 30 ms; a shared test machine gets slack.
    expect(performance.now() - started).toBeLessThan(500);
  });
});
