// How a scripted model reads its answers and says them.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '../lib/errors.ts';
import type { SampleRequest } from './model.ts';
import { parseScripts } from './script.ts';
import { createScriptedModel } from './scripted.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'termarium-script-'));
});
afterAll(() => rm(folder, { recursive: true }));

const never = new AbortController().signal;

function ask(task: string, attempt: number, turn: number, onDelta?: (text: string) => void): SampleRequest {
  return {
    messages: [{ role: 'user', content: 'Rename the photos.' }],
    sampling: {},
    session: { task, attempt, turn },
    ...(onDelta ? { onDelta } : {}),
  };
}

async function model(files: Record<string, string>, delayMs = 0) {
  const script = await mkdtemp(join(folder, 'scripts-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(script, name), text);
  return await createScriptedModel({ kind: 'scripted', name: 'demo', script, delayMs, concurrency: 4 }, folder);
}

async function failure(doing: Promise<unknown>): Promise<AppError> {
  const error = await doing.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw error;
  return error;
}

const photos = `
task: rename-photos
attempts:
  - - analysis: I look around first.
      plan: List the folder.
      commands: [{ keystrokes: "ls -la\\n", duration: 0.5 }]
    - text: "plain text"
    - analysis: Done.
      task_complete: true
  - - text: second attempt
      reasoning: I thought about it.
    - text: '{"analysis": "…'
      finish: length
    - finish: context
`;

test('a mapping is said as the JSON of the Terminus protocol, text is said as it is', async () => {
  await using demo = await model({ 'photos.yaml': photos });
  const first = await demo.sample(ask('rename-photos', 0, 0), never);
  expect(first.text).toBe(`{
  "analysis": "I look around first.",
  "plan": "List the folder.",
  "commands": [
    {
      "keystrokes": "ls -la\\n",
      "duration": 0.5
    }
  ]
}`);
  expect((await demo.sample(ask('rename-photos', 0, 1), never)).text).toBe('plain text');
  expect(JSON.parse((await demo.sample(ask('rename-photos', 0, 2), never)).text)).toEqual({
    analysis: 'Done.',
    plan: '',
    commands: [],
    task_complete: true,
  });
});

test('the last answer repeats, attempts take turns, and an organisation before the task is ignored', async () => {
  await using demo = await model({ 'photos.yaml': photos });
  expect((await demo.sample(ask('rename-photos', 0, 40), never)).text).toContain('"task_complete": true');
  expect(await demo.sample(ask('termarium/rename-photos', 3, 0), never)).toMatchObject({
    text: 'second attempt',
    reasoning: 'I thought about it.',
    usageExact: false,
  });
  expect(await demo.sample(ask('rename-photos', 1, 1), never)).toMatchObject({ text: '{"analysis": "…', finish: 'length' });
  expect(await demo.sample(ask('rename-photos', 1, 2), never)).toMatchObject({ text: '', finish: 'context' });
});

test("a folder's scripts are read together, and '*' answers for all other tasks", async () => {
  await using demo = await model({
    'photos.yaml': photos,
    'rest.yml': "task: '*'\nattempts: [[{ text: no idea }]]\n---\ntask: other\nattempts: [[{ text: an idea }]]\n",
    'notes.txt': 'not a script',
  });
  expect((await demo.sample(ask('unheard-of', 0, 0), never)).text).toBe('no idea');
  expect((await demo.sample(ask('other', 0, 0), never)).text).toBe('an idea');
});

test('a task without a script is refused with what to write', async () => {
  await using demo = await model({ 'photos.yaml': photos });
  const error = await failure(demo.sample(ask('unheard-of', 0, 0), never));
  expect(error).toMatchObject({ code: 'model.rejected', message: 'the script of model demo says nothing about task unheard-of' });
  expect(error.hint).toContain('task: unheard-of');
});

test('the pieces of a streamed answer add up to it and take the delay', async () => {
  const text = 'naïve 🦀 '.repeat(60);
  await using demo = await model({ 'a.yaml': `task: '*'\nattempts: [[{ text: "${text}" }]]` }, 120);
  const pieces: string[] = [];
  const answer = await demo.sample(
    ask('a', 0, 0, (piece) => pieces.push(piece)),
    never,
  );
  expect(pieces.join('')).toBe(text);
  expect(pieces.length).toBe(4);
  expect(answer.totalMs).toBeGreaterThan(118);
  expect(answer.firstTokenMs).toBeLessThan(answer.totalMs);
});

test('an abort ends a slow answer at once with the reason it was given', async () => {
  await using demo = await model({ 'a.yaml': "task: '*'\nattempts: [[{ text: 'a long, long answer that is not finished' }]]" }, 60_000);
  const stop = new AbortController();
  const started = performance.now();
  const answer = demo.sample(ask('a', 0, 0), stop.signal);
  stop.abort(new Error('the researcher has seen enough'));
  await expect(answer).rejects.toThrow('the researcher has seen enough');
  expect(performance.now() - started).toBeLessThan(1000);
});

test.each([
  [
    'a typo in a key',
    'task: a\nattempts:\n  - - analysis: x\n      comands: []\n',
    'a.yaml:4',
    'attempts[0][0]: Unrecognized key: "comands"',
  ],
  [
    'keystrokes that are no text',
    'task: a\nattempts:\n  - - commands:\n        - keystrokes: 1\n',
    'a.yaml:4',
    'attempts[0][0].commands[0].keystrokes',
  ],
  ['text beside commands', 'task: a\nattempts:\n  - - text: x\n      commands: []\n', 'a.yaml:4', 'either text or commands'],
  ['an empty answer', 'task: a\nattempts:\n  - - {}\n', 'a.yaml:3', 'an answer needs text'],
  ['an empty attempt', 'task: a\nattempts:\n  - []\n', 'a.yaml:3', 'at least one answer'],
  ['no task', '\n\nattempts: [[{ text: x }]]\n', 'a.yaml:3', 'task'],
  ['broken YAML', 'task: a\nattempts: [[{ text: x }\n', 'a.yaml:3', ''],
  ['a list', '- task: a\n', 'a.yaml:1', 'expected object'],
])('%s is told with file and line', (_, text, where, message) => {
  let thrown: unknown;
  try {
    parseScripts(text, 'a.yaml');
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(AppError);
  expect(thrown).toMatchObject({ code: 'config.invalid', where, message: expect.stringContaining(message) });
});

test('two scripts for one task, an empty folder and a missing path are told apart', async () => {
  const twice = await failure(model({ 'a.yaml': photos, 'b.yaml': photos }));
  expect(twice).toMatchObject({ code: 'config.invalid', where: expect.stringMatching(/b\.yaml:2$/) });
  expect(twice.message).toMatch(/has a script already, at .*a\.yaml:2/);
  expect(await failure(model({}))).toMatchObject({ code: 'config.not_found' });
  const missing = createScriptedModel({ kind: 'scripted', name: 'x', script: 'nowhere', delayMs: 0, concurrency: 1 }, folder);
  expect(await failure(missing)).toMatchObject({ code: 'config.not_found', message: expect.stringContaining('nowhere') });
});
