// How a run's configuration is put together, and what a researcher is told who mistypes it.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runConfig } from '../contract/schema/config.ts';
import { folderOf } from '../task/test-folder.ts';
import { checkRunConfig, loadRunConfig, loadRunConfigText, toYaml } from './load.ts';
import { resolvePaths } from './paths.ts';

const paths = resolvePaths();

test('files lie over the defaults in order, overrides over the files; lists are replaced, maps merged', async () => {
  await using folder = await folderOf({
    'base.yaml': 'tasks: [bundled]\nagents: [oracle, nop]\nlimits:\n  turns: 10\n  seconds: 60\n',
    'more.yaml': 'agents: [terminus]\nlimits: { turns: 20 }\n',
  });
  const [base, more] = [join(folder.path, 'base.yaml'), join(folder.path, 'more.yaml')];
  const { config, sources, issues } = await loadRunConfig({
    files: [base, more],
    overrides: ['limits.formatErrors=3', 'model=demo', 'only=["fix-*"]'],
    paths,
  });
  expect(config).toMatchObject({
    tasks: ['bundled'],
    agents: ['terminus'],
    model: 'demo',
    only: ['fix-*'],
    limits: { turns: 20, seconds: 60, formatErrors: 3 },
    attempts: 1,
  });
  expect(issues).toEqual([]);
  expect(sources).toMatchObject({
    'limits.turns': `${more}:2`,
    'limits.seconds': `${base}:5`,
    'limits.formatErrors': '-o limits.formatErrors=3',
    attempts: expect.stringMatching(/default\.yaml:\d+$/),
  });
});

describe('mistakes are told with file, line and the nearest right word', () => {
  test.each([
    ['a mistyped key', 'tasks: [bundled]\nlimits:\n  turn: 5\n', 3, 'limits.turn: unknown key; did you mean "turns"?'],
    [
      'snake case',
      'tasks: [bundled]\nlimits: { format_errors: 2 }\n',
      2,
      'limits.format_errors: unknown key; did you mean "formatErrors"?',
    ],
    ['a key of nothing near', 'tasks: [bundled]\nscreen:\n  depth: 8\n', 3, 'screen.depth: unknown key; known here: cols, rows'],
    ['a value out of a list', 'tasks: [bundled]\nagents:\n  - oracle\n  - teminus\n', 4, 'not "teminus"; did you mean "terminus"?'],
    ['text for a number', 'tasks: [bundled]\n\nattempts: many\n', 3, 'attempts: must be a number, not "many"'],
    ['a number out of range', 'tasks: [bundled]\nattempts: 0\n', 2, 'attempts: Too small'],
    ['a group for a value', 'tasks: [bundled]\nmodel: { kind: http }\n', 2, 'model: must be text, not a group of keys'],
    ['broken YAML', 'tasks: [bundled\nagents: [nop]\n', 2, 'not valid YAML'],
    ['a key given twice', 'tasks: [a]\ntasks: [b]\n', 2, 'not valid YAML: Map keys must be unique'],
    ['a list for the whole', '- tasks\n', 1, 'a configuration is a group of keys'],
    ['a prototype as a key', 'tasks: [a]\n__proto__: { attempts: 7 }\n', 2, '__proto__: unknown key'],
  ])('%s', async (_, text, line, message) => {
    await using folder = await folderOf({ 'run.yaml': text });
    const file = join(folder.path, 'run.yaml');
    await expect(loadRunConfig({ files: [file], overrides: [], paths })).rejects.toMatchObject({
      code: 'config.invalid',
      where: `${file}:${line}`,
      message: expect.stringContaining(message),
    });
  });

  test('every problem is named, not only the first', async () => {
    await using folder = await folderOf({ 'run.yaml': 'tasks: []\nagent: [nop]\nscreen: { cols: 1 }\n' });
    await expect(loadRunConfig({ files: [join(folder.path, 'run.yaml')], overrides: [], paths })).rejects.toMatchObject({
      message: expect.stringMatching(/tasks:[\s\S]*screen\.cols:[\s\S]*agent: unknown key; did you mean "agents"\?/),
    });
  });

  test('an override is named by its own text', async () => {
    const load = (override: string) => loadRunConfig({ files: [], overrides: ['tasks=[bundled]', override], paths });
    await expect(load('limits.turn=5')).rejects.toMatchObject({
      message: '-o limits.turn=5: limits.turn: unknown key; did you mean "turns"?',
      where: undefined,
    });
    await expect(load('limits.turns')).rejects.toMatchObject({ message: expect.stringContaining('-o limits.turns: is not of the form') });
    await expect(load('only=[a')).rejects.toMatchObject({ message: expect.stringContaining('-o only=[a: the value is not valid YAML') });
  });

  test('a file that is not there, and a run without tasks', async () => {
    await expect(loadRunConfig({ files: ['/nowhere/run.yaml'], overrides: [], paths })).rejects.toMatchObject({ code: 'config.not_found' });
    await expect(loadRunConfig({ files: [], overrides: [], paths })).rejects.toMatchObject({
      message: 'tasks: is missing',
      hint: expect.stringContaining('-o "tasks=[bundled]"'),
    });
  });

  test('a small text of aliases that would unfold into a huge value is refused', async () => {
    const rows = Array.from(
      { length: 12 },
      (_, row) =>
        `a${row}: &a${row} [${
          row === 0
            ? 'x'
            : Array(9)
                .fill(`*a${row - 1}`)
                .join(', ')
        }]`,
    );
    const { config, issues } = await loadRunConfigText(rows.join('\n'), 'editor', paths);
    expect(config).toBeNull();
    expect(issues[0]?.message).toMatch(/alias/i);
  });
});

test('a name with dots and an equals sign can be overridden in quotes', async () => {
  const { config } = await loadRunConfig({ files: [], overrides: ['tasks=[bundled]', 'sandbox.aliases."r.io/a=b:3.11"=local:1'], paths });
  expect(config.sandbox.aliases).toEqual({ 'r.io/a=b:3.11': 'local:1' });
});

test("the editor's text and the form are checked without throwing", async () => {
  const typed = await loadRunConfigText('tasks: [bundled]\natempts: 3\n', 'editor', paths);
  expect(typed).toMatchObject({
    config: null,
    issues: [{ level: 'error', file: 'editor', line: 2, message: expect.stringContaining('attempts') }],
  });
  const broken = await loadRunConfigText('tasks: [', 'editor', paths);
  expect(broken).toMatchObject({ config: null, issues: [{ level: 'error', file: 'editor', line: 1 }] });
  expect((await checkRunConfig({ tasks: ['bundled'], attempts: 3 }, 'form', paths)).config?.attempts).toBe(3);
  expect((await checkRunConfig(7, 'form', paths)).issues).toHaveLength(1);
});

test('written YAML holds only what differs, and loads to the same configuration', async () => {
  const config = runConfig.parse({ tasks: ['bundled'], model: 'demo', limits: { turns: 12 }, sandbox: { aliases: { 'a:1': 'b:2' } } });
  const text = toYaml(config);
  expect(text).toBe('tasks:\n  - bundled\nmodel: demo\nlimits:\n  turns: 12\nsandbox:\n  aliases:\n    a:1: b:2\n');
  expect((await loadRunConfigText(text, 'editor', paths)).config).toEqual(config);
});

test('any configuration survives being written and read', async () => {
  const word = fc.string({ minLength: 1, maxLength: 12 });
  const some = fc.record(
    {
      tasks: fc.array(word, { minLength: 1, maxLength: 3 }),
      name: word,
      only: fc.array(word, { maxLength: 2 }),
      model: fc.option(word),
      attempts: fc.integer({ min: 1, max: 99 }),
      limits: fc.record(
        { turns: fc.integer({ min: 1, max: 500 }), seconds: fc.option(fc.integer({ min: 1, max: 999 })) },
        { requiredKeys: [] },
      ),
      sandbox: fc.record(
        { aliases: fc.dictionary(word, word, { maxKeys: 3 }), hostEnv: fc.array(word, { maxLength: 2 }) },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['tasks'] },
  );
  await fc.assert(
    fc.asyncProperty(some, async (partial) => {
      const config = runConfig.parse(partial);
      expect((await loadRunConfigText(toYaml(config), 'written', paths)).config).toEqual(config);
    }),
    { numRuns: 150 },
  );
});

test('default.yaml says exactly what the schema takes by default', async () => {
  const { config } = await loadRunConfig({ files: [], overrides: ['tasks=[bundled]'], paths });
  expect(config).toEqual(runConfig.parse({ tasks: ['bundled'] }));
  const text = await readFile(join(paths.configs, 'default.yaml'), 'utf8');
  for (const key of Object.keys(runConfig.shape)) expect(text).toMatch(new RegExp(`^(# )?${key}:`, 'm'));
});

test('every shipped configuration loads', async () => {
  for (const folder of ['eval', 'sandbox']) {
    const files = (await readdir(join(paths.configs, folder))).map((name) => join(paths.configs, folder, name));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) await loadRunConfig({ files: [file], overrides: folder === 'sandbox' ? ['tasks=[bundled]'] : [], paths });
  }
});
