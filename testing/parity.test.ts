// Tokens of imported rollouts, through the contract and through the command line.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fromWire } from '../main/transport/errors.ts';
import { termarium } from './cli.ts';
import { openTestLab, type TestLab } from './lab.ts';
import { idOf, writeTokenizer } from './tokenizer.ts';

const talk = [
  { role: 'user', content: 'do ab' },
  { role: 'assistant', content: 'ls' },
  { role: 'user', content: 'abc' },
  { role: 'assistant', content: 'done' },
];
const rows = (...lists: (typeof talk)[]) => lists.map((messages) => `${JSON.stringify({ messages, task: 't', model: 'm' })}\n`).join('');

let lab: TestLab;
let tokenizer: string;
beforeEach(async () => {
  lab = await openTestLab();
  tokenizer = join(lab.folder, 'tokenizer');
  await writeTokenizer(tokenizer);
  await mkdir(join(lab.folder, 'data/configs/models'), { recursive: true });
});
afterEach(() => lab[Symbol.asyncDispose]());

async function writeModel(name: string, fields: object): Promise<void> {
  const model = { kind: 'http', url: 'http://127.0.0.1:9/v1', ...fields };
  await writeFile(join(lab.folder, 'data/configs/models', `${name}.yaml`), JSON.stringify(model));
}

/** Imports a file; answers the rollouts of its run, oldest first. Files of one folder are one run. */
async function importFile(name: string, content: string): Promise<string[]> {
  const path = join(lab.folder, name);
  await writeFile(path, content);
  const { importId } = await lab.client.exchange.import({ path });
  for (let after: number | undefined; ; ) {
    const now = await lab.client.exchange.watchImport({ importId, ...(after === undefined ? {} : { after }) });
    after = now.cursor;
    if (now.state === 'running') continue;
    expect(now).toMatchObject({ state: 'finished', report: { progress: { rejected: 0 } } });
    const runId = now.report.runs[0]?.runId ?? '';
    return (await lab.client.rollouts.watch({ runId })).rows.map(({ id }) => id);
  }
}

/** A trajectory with one answer, as a model of this name gave it in these tokens. */
function trajectory(model: string, message: string, ...tokens: string[]): string {
  return JSON.stringify({
    schema_version: 'ATIF-v1.7',
    session_id: model + message,
    agent: { name: 'some-agent', version: '1', model_name: model },
    steps: [
      { step_id: 1, source: 'user', message: 'do it' },
      { step_id: 2, source: 'agent', message, metrics: { completion_token_ids: tokens.map(idOf) } },
    ],
  });
}

/** What a call fails with, as the command line sees it. */
async function failure(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => null,
    (error: unknown) => fromWire(error),
  );
}

describe('an imported answer with token ids', () => {
  const driftIn = async (name: string, content: string) => {
    const rolloutId = (await importFile(name, content)).at(-1) ?? '';
    const answer = (await lab.nodes(rolloutId)).find((node) => node.role === 'assistant');
    return await lab.client.tokens.drift({ nodeId: answer?.id ?? '' });
  };

  it('is compared by the tokenizer of the model that has its name, with or without the provider', async () => {
    await writeModel('mine', { model: 'tiny', tokenizer });
    expect(await driftIn('a.json', trajectory('tiny', 'abc', 'abc', '<|im_end|>'))).toEqual({ state: 'same', tokens: 1 });
    expect(await driftIn('b.json', trajectory('org/tiny', 'abc', 'a', 'bc'))).toMatchObject({
      state: 'differs',
      sampled: 2,
      encoded: 1,
      parting: { at: 0 },
    });
    // The tokenizer is read anew when its file has changed.
    await writeFile(join(tokenizer, 'tokenizer.json'), '{}');
    expect(await failure(driftIn('c.json', trajectory('mine', 'abc', 'abc')))).toMatchObject({ code: 'config.invalid' });
  });

  it('says why it cannot be, where no ids or no tokenizer are there', async () => {
    const unknown = (reason: string) => ({ state: 'unknown', reason: expect.stringContaining(reason) });
    expect(await driftIn('a.jsonl', rows(talk))).toEqual(unknown('No token ids'));
    expect(await driftIn('b.json', trajectory('stranger', 'abc', 'abc'))).toEqual(unknown('No tokenizer is known for stranger'));
    await writeModel('bare', { model: 'bare' });
    expect(await driftIn('c.json', trajectory('bare', 'abc', 'abc'))).toEqual(unknown('No tokenizer is known for bare'));
    // What a record calls its model is never taken for a path.
    const path = join(lab.folder, 'elsewhere.yaml');
    await writeFile(path, JSON.stringify({ kind: 'http', url: 'http://127.0.0.1:9/v1', model: 'x', tokenizer }));
    expect(await driftIn('d.json', trajectory(path, 'abc', 'abc'))).toEqual(unknown('No tokenizer is known'));
  });
});

describe('termarium parity', () => {
  const parity = (first: string, second: string, ...options: string[]) =>
    termarium(['parity', first, second, '--tokenizer', tokenizer, '--data', join(lab.folder, 'other-data'), ...options]);

  it('ends with 0 where two prompts are equal, and with 1 where they differ, with the token and the message', async () => {
    const file = join(lab.folder, 'rows.jsonl');
    const other = talk.map((message, index) => (index === 2 ? { ...message, content: 'abd' } : message));
    await writeFile(file, rows(talk, talk, other));
    const same = await parity(`${file}:1@2`, `${file}:2@2`);
    expect([same.code, same.stdout]).toEqual([0, expect.stringMatching(/^equal turn 2: \d+ tokens\n$/)]);

    const told = await parity(`${file}:1`, `${file}:3`, '--turns', '2');
    expect(told.code).toBe(1);
    expect(told.stdout).toMatch(/^equal turn 1: \d+ tokens\ndiffers turn 2: \d+ and \d+ tokens\n/);
    expect(told.stdout).toContain('message 3 (user, user) differs from character 3 on\n    first  "c"\n    second "d"\n');

    const json = await parity(`${file}:1@2`, `${file}:3@2`, '--json');
    expect(json.lines()).toEqual([expect.objectContaining({ equal: false, template: true, turns: { first: 2, second: 2 } })]);
    const { at, first, second } = Object(json.lines()[0]?.parting);
    expect([at > 0, first.startsWith('abc'), second.startsWith('abd')]).toEqual([true, true, true]);
  });

  it('compares a rollout of the lab with a row of a file', async () => {
    const [rolloutId = ''] = await importFile('rows.jsonl', rows(talk));
    const first = { kind: 'rollout' as const, rolloutId, turn: 1 };
    const row = { kind: 'row' as const, path: join(lab.folder, 'rows.jsonl'), line: 1 };
    expect(await lab.client.tokens.parity({ first, second: { ...row, turn: 1 }, tokenizer })).toMatchObject({ equal: true });
    expect(await lab.client.tokens.parity({ first, second: { ...row, turn: 0 }, tokenizer })).toMatchObject({
      equal: false,
      roles: { first: ['user', 'assistant', 'user'], second: ['user'] },
    });
    await writeModel('mine', { model: 'tiny', tokenizer });
    expect(await lab.client.tokens.parity({ first, second: first, tokenizer: 'mine' })).toMatchObject({ equal: true });
    const none = await failure(lab.client.tokens.parity({ first: { ...first, turn: 7 }, second: first, tokenizer }));
    expect(none).toMatchObject({ code: 'request.not_found', message: expect.stringContaining('turn 8') });
  });

  it.each([
    ['no such file', 'none.jsonl', 1, { code: 'request.not_found', message: /there is no .*none\.jsonl/ }],
    ['no such line', 'rows.jsonl', 9, { code: 'request.not_found', message: /there is no line 9 in .*rows\.jsonl/, hint: 'It has 1.' }],
    ['a broken row', 'broken.jsonl', 1, { code: 'request.invalid', message: /is not whole JSON/, where: /broken\.jsonl:1$/ }],
    ['a row of something else', 'else.jsonl', 1, { code: 'request.invalid', message: /has neither messages/, where: /else\.jsonl:1$/ }],
    ['a call of a tool', 'calls.jsonl', 1, { code: 'request.invalid', message: /message 1 is no text/, where: /calls\.jsonl:1$/ }],
  ])('is told with file and line: %s', async (_, name, line, { code, ...words }) => {
    await writeFile(join(lab.folder, 'rows.jsonl'), rows(talk));
    await writeFile(join(lab.folder, 'broken.jsonl'), '{"messages"');
    await writeFile(join(lab.folder, 'else.jsonl'), '{"a": 1}');
    await writeFile(join(lab.folder, 'calls.jsonl'), '{"messages": [{"role": "tool", "content": null}]}');
    const first = { kind: 'row' as const, path: join(lab.folder, name), line, turn: 0 };
    const error = await failure(lab.client.tokens.parity({ first, second: first, tokenizer }));
    expect(error).toMatchObject({ code });
    for (const [key, pattern] of Object.entries(words)) expect(Object(error)[key]).toMatch(pattern);
  });

  it.each([
    ['@9', /rows\.jsonl:1: the conversation has 2 answers, and no turn 9/],
    ['@0', /is no prompt\n.*count from 1/],
  ])('ends with 2 for a turn that is none: %s', async (turn, message) => {
    const file = join(lab.folder, 'rows.jsonl');
    await writeFile(file, rows(talk));
    const { code, stderr } = await parity(`${file}${turn}`, file);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  it('says what is wrong with the tokenizer', async () => {
    const file = join(lab.folder, 'rows.jsonl');
    await writeFile(file, rows(talk));
    const data = join(lab.folder, 'other-data');
    const none = await termarium(['parity', file, file, '--tokenizer', 'nowhere', '--data', data]);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('there is no model "nowhere"')]);
    const scripted = await termarium(['parity', file, file, '--tokenizer', 'demo', '--data', data]);
    expect([scripted.code, scripted.stderr]).toEqual([2, expect.stringContaining('the model demo names no tokenizer')]);
  });
});
