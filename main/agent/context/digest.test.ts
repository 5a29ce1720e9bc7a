import { expect, it } from 'vitest';
import { digestOf } from './digest.ts';

it('keeps of forgotten turns what failed, with its words, and paths and variables', () => {
  const digest = digestOf([
    { turn: 0, commands: [{ keystrokes: 'export PORT=8080\n', exitCode: 0 }], seen: '$' },
    { turn: 1, commands: [{ keystrokes: 'make -C ./src/app test\n', exitCode: 2 }], seen: 'cc\nmake: *** [all] Error 1\n$' },
    {
      turn: 2,
      commands: [{ keystrokes: 'cat /etc/nope.conf\n', exitCode: null }],
      seen: 'cat: /etc/nope.conf: No such file or directory\n$',
    },
    { turn: 3, commands: [{ keystrokes: 'ls /srv\n', exitCode: 0 }], seen: 'error.log\n$' },
  ]);
  expect(digest).toBe(
    [
      'Commands that failed there:',
      '- turn 2: make -C ./src/app test (exit code 2): make: *** [all] Error 1',
      '- turn 3: cat /etc/nope.conf: cat: /etc/nope.conf: No such file or directory',
      'Paths used there: ./src/app /etc/nope.conf /srv',
      'Variables set there: PORT=8080',
    ].join('\n'),
  );
  expect(digestOf([{ turn: 0, commands: [{ keystrokes: 'ls\n', exitCode: 0 }], seen: 'a\n$' }])).toBe('');
});

it('stays short, and takes time in proportion, whatever was typed', () => {
  const keystrokes = `${'/a'.repeat(50_000)} ${'A=1;'.repeat(50_000)}`;
  const memo = { turn: 0, commands: [{ keystrokes, exitCode: 1 }], seen: 'error '.repeat(100_000) };
  const start = performance.now();
  expect(digestOf(Array(50).fill(memo)).length).toBeLessThan(10_000);
  expect(performance.now() - start).toBeLessThan(1000);
});
