import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAnswer } from './parse.ts';

const json = fc.json({ maxDepth: 4 });
const command = fc.record({ keystrokes: fc.string(), duration: fc.double() }, { requiredKeys: ['keystrokes'] });
const answerText = fc
  .record({ analysis: fc.string(), plan: fc.string(), commands: fc.array(command), task_complete: fc.boolean() })
  .map((value) => JSON.stringify(value));
/** Answers, pieces of answers, answers with something inserted or removed, and noise. */
const anyText = fc.oneof(
  fc.string(),
  json,
  answerText,
  fc.tuple(answerText, fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1))),
  fc
    .tuple(answerText, fc.nat(), fc.constantFrom('{', '}', '"', '\\', ',', '\n', '[', ']', '</think>', '```', 'NaN'))
    .map(([text, at, noise]) => text.slice(0, at % (text.length + 1)) + noise + text.slice(at % (text.length + 1))),
  fc.tuple(fc.string(), answerText, fc.string()).map((parts) => parts.join('')),
  fc
    .array(fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', '"commands"', '"keystrokes"', 'true', '1', ' ', '\n'))
    .map((parts) => parts.join('')),
);

describe('whatever a model writes', () => {
  it('never makes the parser throw, and nothing is executed of a refused answer', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { commands, error } = parseAnswer(text);
        if (error !== null) expect(commands).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });

  it('is accepted by robust mode with the same commands where strict mode accepts it', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const strict = parseAnswer(text, 'strict');
        if (strict.error !== null) return;
        const robust = parseAnswer(text, 'robust');
        expect(robust.error).toBeNull();
        expect(robust.commands).toEqual(strict.commands);
        expect(robust.complete).toBe(strict.complete);
      }),
      { numRuns: 3000 },
    );
  });

  it('is read as written where it is an answer', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ keystrokes: fc.string(), duration: fc.integer() })), fc.boolean(), (commands, complete) => {
        const text = JSON.stringify({ analysis: '', plan: '', commands, task_complete: complete });
        expect(parseAnswer(text)).toMatchObject({ commands, complete, error: null });
      }),
    );
  });

  it('never yields a command whose keystrokes the text does not hold in full, however it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ keystrokes: fc.string(), duration: fc.integer() }), { minLength: 1 }), fc.nat(), (commands, at) => {
        const text = JSON.stringify({ analysis: 'a', plan: 'p', commands });
        const cut = parseAnswer(text.slice(0, at % (text.length + 1)));
        expect(cut.commands).toEqual(commands.slice(0, cut.commands.length));
      }),
      { numRuns: 2000 },
    );
  });

  const megabyte = 1_000_000;
  const fill = (unit: string) => unit.repeat(Math.ceil(megabyte / unit.length));
  it.each([
    ['open braces', fill('{')],
    ['open members', fill('{"a":')],
    ['open answers', fill('{"analysis":"')],
    ['shallow objects that are no JSON', fill('{"a}')],
    ['members without an end', fill('{"a":1,')],
    ['closed thoughts', `${fill('{</think>')}`],
    ['quotes', fill('"')],
    ['backslashes', `{"analysis":"${fill('\\\\')}`],
    ['blanks', `{"analysis":"a"${fill(' ')}`],
    ['lines', `{"commands":[${fill('{"keystrokes":"a\n"},')}`],
    ['half-open pairs', fill('{{}')],
    ['field names', `{${fill('"analysis" ')}`],
  ])('takes time in proportion: a megabyte of %s is read at once', (_, text) => {
    // A search that is quadratic takes minutes. How fast it really is, bench/parse.ts says: this machine may be busy.
    const start = performance.now();
    parseAnswer(text);
    expect(performance.now() - start).toBeLessThan(1000);
  });
});
