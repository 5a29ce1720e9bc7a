// Every key of a TOML text is found where it stands, however it is written.
import fc from 'fast-check';
import { parse, stringify } from 'smol-toml';
import { expect, test } from 'vitest';
import { lineOf, mapToml, type TomlPath } from './toml-map.ts';

const written = `# a task
version = "1.0"
"odd key"."a.b" = 'x # no comment'

[environment] # = [not] = a key
cpus = 1
text = """
[looks.like] = "a header"
key = "but is text\\""""" # three quotes end it, two more belong to it
after = '''
'' it's ''''
env = { A = "1", B = { C = [1, 2, { D = 3 }] } }

[[steps]]
name = "first"
[steps.agent]
timeout_sec = 60.0
[[steps]]
name = "second"
started = 1979-05-27 07:32:00Z
list = [
  # a comment with ] and "
  "one",
  { two = 2 },
]
`;

test('finds keys in headers, dotted and quoted keys, inline tables, arrays of tables and around multi-line text', () => {
  const entries = mapToml(written);
  const lines = entries.map((entry) => [entry.path.join('/'), entry.line]);
  expect(lines).toEqual([
    ['version', 2],
    ['odd key/a.b', 3],
    ['environment', 5],
    ['environment/cpus', 6],
    ['environment/text', 7],
    ['environment/after', 10],
    ['environment/env', 12],
    ['environment/env/A', 12],
    ['environment/env/B', 12],
    ['environment/env/B/C', 12],
    ['environment/env/B/C/2/D', 12],
    ['steps/0', 14],
    ['steps/0/name', 15],
    ['steps/0/agent', 16],
    ['steps/0/agent/timeout_sec', 17],
    ['steps/1', 18],
    ['steps/1/name', 19],
    ['steps/1/started', 20],
    ['steps/1/list', 21],
    ['steps/1/list/1/two', 24],
  ]);
});

test('a key that is not there is looked for above it', () => {
  const entries = mapToml(written);
  expect(lineOf(entries, ['steps', 1, 'agent', 'timeout_sec'])).toBe(18);
  expect(lineOf(entries, ['environment', 'memory'])).toBe(5);
  expect(lineOf(entries, ['verifier'])).toBeUndefined();
});

const key = fc.oneof(
  fc.stringMatching(/^[a-z_-]{1,6}$/),
  fc.string({ minLength: 1, maxLength: 6 }).filter((name) => name !== '__proto__'),
);
const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const { table } = fc.letrec<{ table: object; value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    fc.array(tie('table'), { minLength: 1, maxLength: 2 }),
    tie('table'),
  ),
  table: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
}));

test('whatever the text says, each key is on its line and its value is where it is said to be', () => {
  fc.assert(
    fc.property(table, fc.boolean(), (data, isWindows) => {
      const unix = stringify(data);
      const text = isWindows ? unix.replaceAll('\n', '\r\n') : unix;
      const parsed = parse(text);
      for (const entry of mapToml(text)) {
        expect(text.slice(0, entry.keyStart).split('\n')).toHaveLength(entry.line);
        if (entry.kind === 'table') continue;
        const { value } = parse(`value = ${text.slice(entry.valueStart, entry.valueEnd)}`);
        expect(value).toEqual(at(parsed, entry.path));
      }
      expect(new Set(mapToml(text).flatMap(({ path }) => path.filter((part) => typeof part === 'string')))).toEqual(keysOf(parsed));
    }),
    { numRuns: 400, examples: [[{ a: { '\\e ': '' } }, false]] },
  );
});

function at(value: unknown, path: TomlPath): unknown {
  return path.reduce<unknown>((here, part) => (typeof here === 'object' && here !== null ? Reflect.get(here, part) : undefined), value);
}

function keysOf(value: unknown): Set<string> {
  if (Array.isArray(value)) return new Set(value.flatMap((item) => [...keysOf(item)]));
  if (typeof value !== 'object' || value === null) return new Set();
  return new Set(Object.entries(value).flatMap(([name, inner]) => [name, ...keysOf(inner)]));
}
