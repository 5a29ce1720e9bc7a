import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { difference, lineEndsOf, toEditor, toFile } from './line-ends.ts';

const texts = fc.string({ unit: fc.constantFrom('a', 'b', '\r', '\n', '\r\n', '\uFEFF', 'é'), maxLength: 40 });

describe('line ends', () => {
  it('are told apart: all CR LF, or something that must stay as it is', () => {
    expect(lineEndsOf('a\r\nb\r\n')).toBe('crlf');
    expect(['a\nb', 'a\r\nb\n', 'a\rb\r\n', '\na\r\n', 'a'].map(lineEndsOf)).toEqual(Array(5).fill('as-is'));
  });

  it('come back byte for byte, whatever the file holds', () => {
    void fc.assert(
      fc.property(texts, (text) => {
        const ends = lineEndsOf(text);
        expect(toFile(toEditor(text, ends), ends)).toBe(text);
      }),
    );
  });
});

describe('the difference of two texts', () => {
  it('turns one into the other when it is replaced', () => {
    void fc.assert(
      fc.property(texts, texts, (before, after) => {
        const found = difference(before, after);
        const result = found ? before.slice(0, found.from) + found.insert + before.slice(found.to) : before;
        expect(result).toBe(after);
      }),
    );
  });

  it('is no more than what changed', () => {
    expect(difference('timeout = 60\ncpus = 1\n', 'timeout = 90\ncpus = 1\n')).toEqual({ from: 10, to: 11, insert: '9' });
  });
});
