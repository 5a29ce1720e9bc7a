// One field changes, every other byte stays.
import fc from 'fast-check';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { editToml } from './toml-edit.ts';

const text = `# by hand
version = "1.0"   # old spelling

[agent]
timeout_sec = 60.0 # one minute
colour = "unknown to everyone"

[environment]
  memory = '2G'
env = { A = "1" }
limits.soft = 1
empty = {}

[[steps]]
name = "one"
`;

test('a value changes in place and keeps its comment', () => {
  expect(editToml(text, [{ path: ['agent', 'timeout_sec'], value: 90 }])).toBe(text.replace('60.0 #', '90 #'));
});

test.each([
  ['after its siblings', ['agent', 'user'], 'root', 'colour = "unknown to everyone"\nuser = "root"\n'],
  ['with the indent of its siblings', ['environment', 'limits', 'hard'], 2, 'limits.soft = 1\nlimits.hard = 2\n'],
  ['into an inline table', ['environment', 'env', 'B'], '2', 'env = { A = "1", B = "2" }'],
  ['into an empty inline table', ['environment', 'empty', 'x y'], true, 'empty = { "x y" = true }'],
  ['into one of several tables', ['steps', 0, 'min_reward'], 0.5, 'name = "one"\nmin_reward = 0.5\n'],
  ['into a new table at the end', ['verifier', 'timeout_sec'], 30, 'name = "one"\n\n[verifier]\ntimeout_sec = 30\n'],
  ['at the top', ['source'], 'x', 'version = "1.0"   # old spelling\nsource = "x"\n'],
  ['as a list', ['agent', 'tags'], ['a', 'b'], 'tags = [ "a", "b" ]\n'],
])('a new key goes %s', (_, path, value, expected) => {
  const edited = editToml(text, [{ path, value }]);
  expect(edited).toContain(expected);
  expect(withoutAdded(edited)).toBe(withoutAdded(text));
});

test('removing takes the line, or the part of the inline table', () => {
  expect(editToml(text, [{ path: ['version'], value: undefined }])).toBe(text.replace(/version.*\n/, ''));
  expect(editToml(text, [{ path: ['environment', 'env', 'A'], value: undefined }])).toBe(text.replace('{ A = "1" }', '{}'));
  expect(editToml(text, [{ path: ['nothing', 'here'], value: undefined }])).toBe(text);
});

test('Windows line ends stay', () => {
  const windows = text.replaceAll('\n', '\r\n');
  expect(editToml(windows, [{ path: ['agent', 'user'], value: 'root' }]).replaceAll('\r\n', '')).not.toContain('\n');
});

test('an edit that the text cannot take is refused instead of breaking the file', () => {
  expect(() => editToml(text, [{ path: ['agent', 'timeout_sec', 'deep'], value: 1 }])).toThrow(
    /cannot set agent\.timeout_sec\.deep in place/,
  );
});

test('any sequence of edits reads back as what was asked, and every line that was not asked for stays', () => {
  const path = fc.constantFrom<[string, string][]>(
    ['agent', 'timeout_sec'],
    ['agent', 'user'],
    ['environment', 'cpus'],
    ['verifier', 'user'],
    ['new one', 'a"b'],
  );
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string(), { maxLength: 3 }));
  fc.assert(
    fc.property(fc.array(fc.record({ path, value }), { maxLength: 6 }), (edits) => {
      const edited = editToml(text, edits);
      const parsed = parse(edited);
      for (const [table, key] of edits.map((edit) => edit.path)) {
        const asked = edits.findLast((edit) => edit.path[0] === table && edit.path[1] === key);
        expect(parsed).toHaveProperty([table, key], asked?.value);
      }
      for (const line of text.split('\n').filter((each) => !each.startsWith('timeout_sec'))) expect(edited.split('\n')).toContain(line);
    }),
    { numRuns: 200 },
  );
});

function withoutAdded(edited: string): string {
  const known = new Set(text.split('\n'));
  return edited
    .split('\n')
    .filter((line) => known.has(line) && !line.startsWith('env =') && !line.startsWith('empty ='))
    .join('\n')
    .trimEnd();
}
