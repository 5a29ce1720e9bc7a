// Answers of trials that were played in Terminus-2's XML format get the verdicts that an own rollout would get.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseXmlAnswer } from '../agent/terminus/xml.ts';
import { readAnswer } from './answers.ts';
import { openDesk } from './pack.testing.ts';

const head = '<analysis>a</analysis><plan>p</plan>';
const commands = '<commands><keystrokes duration="0.5">ls\n</keystrokes></commands>';
const answers = [
  `<response>${head}${commands}</response>`,
  // No response tag: Terminus-2 refuses it, the robust parser does not.
  `${head}${commands}`,
  'I am done, I think.',
  // Cut by the token limit behind the block: executed all the same.
  `<response>${head}${commands}</response>\n<response><analysis>and th`,
];

/** A Harbor trial that was cut off before its trajectory (`atif: false`), or a whole one. */
function writeTrial(folder: string, parser: object, atif: boolean): void {
  mkdirSync(join(folder, 'agent'), { recursive: true });
  mkdirSync(join(folder, 'verifier'));
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({ agent: { name: 'terminus-2', kwargs: atif ? {} : parser }, task: { path: 't' } }),
  );
  for (const [index, answer] of answers.entries()) {
    mkdirSync(join(folder, 'agent', `episode-${index}`));
    writeFileSync(join(folder, 'agent', `episode-${index}`, 'prompt.txt'), `prompt ${index}`);
    writeFileSync(join(folder, 'agent', `episode-${index}`, 'response.txt'), answer);
  }
  if (!atif) return;
  const steps = answers.map((_, index) => ({ step_id: index + 2, source: 'agent', message: 'Analysis: a\nPlan: p' }));
  const trajectory = {
    schema_version: 'ATIF-v1.7',
    session_id: 's',
    agent: { name: 'terminus-2', version: '2.0.0', extra: parser },
    steps: [{ step_id: 1, source: 'user', message: 'prompt 0' }, ...steps],
  };
  writeFileSync(join(folder, 'agent', 'trajectory.json'), JSON.stringify(trajectory));
}

it.each([
  ['as its configuration says', { parser_name: 'xml' }, false],
  ['as its trajectory says', { parser: 'xml' }, true],
])('a trial whose format is XML, %s', async (_, parser, atif) => {
  await using desk = await openDesk();
  writeTrial(join(desk.folder, 'job', 't__0000000'), parser, atif);
  const report = await desk.import(join(desk.folder, 'job'));
  expect(report.progress).toMatchObject({ imported: 1, rejected: 0 });
  const [row] = desk.store.rollouts.ofRun(report.runs[0]?.runId ?? '');
  const nodes = desk.store.nodes.read(row?.id ?? '').rows.filter((node) => node.role === 'assistant');
  expect(nodes.map((node) => node.content)).toEqual(answers);
  expect(nodes.map((node) => node.format)).toEqual(answers.map((answer) => parseXmlAnswer(answer, 'strict').format));
  expect(nodes.map((node) => [node.format?.strict, node.format?.robust])).toEqual([
    [true, true],
    [false, true],
    [false, false],
    [true, true],
  ]);
  if (!atif) expect(nodes.map((node) => node.commands.map((command) => command.keystrokes))).toEqual([['ls\n'], [], [], ['ls\n']]);
});

it('an ATIF trajectory with raw messages has verdicts, one with rendered messages and one of another agent has none', async () => {
  await using desk = await openDesk();
  const steps = (message: string) => [{ step_id: 1, source: 'agent', message }];
  const agent = (extra: object) => ({ name: 'terminus-2', version: '2', extra });
  const documents = {
    raw: { agent: agent({ parser: 'xml' }), steps: steps(answers[1] ?? '') },
    rendered: { agent: agent({ parser: 'xml' }), steps: steps('Analysis: a\nPlan: {p}') },
    other: { agent: agent({}), steps: steps('{"analysis": 1}') },
  };
  const formats: Record<string, unknown> = {};
  for (const [name, document] of Object.entries(documents)) {
    const path = join(desk.folder, `${name}.trajectory.json`);
    writeFileSync(path, JSON.stringify({ schema_version: 'ATIF-v1.7', session_id: name, ...document }));
    const report = await desk.import(path);
    const row = desk.store.rollouts.ofRun(report.runs[0]?.runId ?? '').find(({ taskName }) => taskName === name);
    formats[name] = desk.store.nodes.read(row?.id ?? '').rows[0]?.format;
  }
  expect(formats).toMatchObject({ raw: { strict: false, robust: true }, rendered: null, other: null });
});

it('a row of conversations in XML has its verdict and its commands', async () => {
  await using desk = await openDesk();
  const path = join(desk.folder, 'rows.jsonl');
  const talk = [
    { role: 'user', content: 'do it' },
    { role: 'assistant', content: answers[0] },
  ];
  writeFileSync(path, `${JSON.stringify({ conversations: talk, task: 't', result: '1.0' })}\n`);
  const report = await desk.import(path);
  const [row] = desk.store.rollouts.ofRun(report.runs[0]?.runId ?? '');
  expect(desk.store.nodes.read(row?.id ?? '').rows[1]).toMatchObject({
    format: { strict: true, robust: true },
    commands: [{ keystrokes: 'ls\n', duration: 0.5 }],
  });
});

it('where nobody says the format, it is the one that comes first', () => {
  const json = '{"analysis": "<response>", "plan": "", "commands": []}';
  expect(readAnswer(json, null).format.strict).toBe(true);
  expect(
    readAnswer(`Well:\n<response>${head}<commands><keystrokes>{"a": 1}\n</keystrokes></commands></response>`, null).format.strict,
  ).toBe(true);
  expect(readAnswer('no answer at all', null).format).toMatchObject({ strict: false, robust: false });
});
