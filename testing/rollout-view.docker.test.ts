// What a reader of a rollout gets besides its turns, from a real one: its recording by time, places of a text, changed files.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { runConfig } from '../main/contract/schema/config.ts';
import { answerTest, openTestLab, typing, writeTask } from './lab.ts';
import { type SeenRequest, startModelServer } from './model-server.ts';

it('can be scrubbed, searched, and looked through for changed files', async () => {
  await using lab = await openTestLab();
  const task = await writeTask(lab.folder, {
    name: 'look',
    dockerfile: 'RUN mkdir -p /app/tests && echo old > /app/old.txt && echo t > /app/tests/test_a.py',
    test: answerTest,
  });
  const model = await lab.scriptModel('m', {
    '*': typing(
      'echo first-command; echo x >> /app/tests/test_a.py',
      'rm /app/old.txt; mkdir -p /root/.cache/pip && touch /root/.cache/pip/x /tmp/y',
      'echo done > answer.txt',
    ),
  });
  const { rollouts } = await lab.play({ tasks: [task], agents: ['terminus'], model });
  const [rollout] = rollouts;
  if (!rollout) throw new Error('nothing was played');
  expect(rollout.outcome).toBe('solved');
  const { client } = lab;
  const rolloutId = rollout.id;

  const files = await client.rollouts.files({ rolloutId });
  expect(files).toMatchObject({ recorded: true, problem: null });
  expect(files.changes).toEqual([
    { path: '/app/answer.txt', kind: 'A', tests: false },
    { path: '/app/old.txt', kind: 'D', tests: false },
    { path: '/app/tests/test_a.py', kind: 'M', tests: true },
  ]);
  expect(files.noise).toBeGreaterThan(0);

  const { rollouts: unlisted } = await lab.play(runConfig.parse({ tasks: [task], agents: ['nop'], sandbox: { changes: false } }));
  expect(await client.rollouts.files({ rolloutId: unlisted[0]?.id ?? '' })).toMatchObject({ recorded: false, problem: null });

  const timeline = await client.rollouts.watchTimeline({ rolloutId });
  expect(timeline.turns.map(({ turn }) => turn)).toEqual([1, 2, 3, 4, 5]);
  const second = timeline.turns[0]?.time ?? 0;
  const { screen, reached } = await client.rollouts.seek({ rolloutId, at: second });
  expect(reached).toBe(true);
  expect(screen).toContain('first-command');
  expect(screen).not.toContain('old.txt');

  const { hits } = await client.rollouts.find({ rolloutId, text: 'FIRST-command' });
  expect(hits.slice(0, 3).map(({ turn, place }) => `${turn} ${place}`)).toEqual(['0 command', '0 content', '0 content']);
  await expect(client.rollouts.find({ rolloutId: 'nobody', text: 'x' })).rejects.toMatchObject({ data: { code: 'request.not_found' } });
});

it('shows word for word what the model was sent, and what came back', async () => {
  await using lab = await openTestLab();
  const task = await writeTask(lab.folder, { name: 'wire', test: answerTest });
  const answers = ['{"analysis": "a", "plan": "p", "commands": [{"keystrokes": "echo \\"hi\\"\\n", "duration": 1}]}', 'no JSON at all'];
  // Which turn a request is for shows in its length; the first of turn 1 is refused once.
  const turnOf = ({ body }: SeenRequest) => (Array.isArray(body.messages) ? Math.floor(body.messages.length / 2) : -1);
  let refused = false;
  await using server = await startModelServer({
    behave: (request) => {
      if (turnOf(request) === 1 && !refused) {
        refused = true;
        return { do: 'status', status: 503, body: 'busy' };
      }
      const text = answers[turnOf(request)];
      return { do: 'answer', ...(text === undefined ? {} : { text }) };
    },
  });
  const file = join(lab.folder, 'data', 'configs', 'models', 'wire.yaml');
  await mkdir(dirname(file), { recursive: true });
  const model = { kind: 'http', name: 'wire', url: server.url, model: 'qwen3-4b-terminal', logprobs: true, retries: 1 };
  await writeFile(file, stringify(model));
  const { rollouts } = await lab.play({ tasks: [task], agents: ['terminus'], model: 'wire' });
  const nodes = await lab.nodes(rollouts[0]?.id ?? '');
  const sampled = nodes.filter((node) => node.author === 'sampled');
  expect(sampled.length).toBeGreaterThan(2);
  for (const [place, node] of sampled.entries()) {
    const { messages, answer, retries } = await lab.client.rollouts.request({ nodeId: node.id });
    expect(messages).toEqual(server.seen.findLast((request) => turnOf(request) === place)?.body.messages);
    expect(answer.content).toBe(answers[place] ?? answer.content);
    expect(answer.tokens?.join('')).toBe(answer.content);
    expect(answer.logprobs?.length).toBe(answer.tokens?.length);
    const why = ['does not take return_token_ids', '503'][place];
    expect(retries).toEqual(why === undefined ? [] : [expect.stringContaining(why)]);
  }
  const [opening] = nodes;
  await expect(lab.client.rollouts.request({ nodeId: opening?.id ?? '' })).rejects.toMatchObject({ data: { code: 'request.not_found' } });
});

it('can be scrubbed up to now while it plays', async () => {
  await using lab = await openTestLab();
  const task = await writeTask(lab.folder, { name: 'live', test: answerTest });
  const model = await lab.scriptModel('m', { '*': typing('echo before', { keystrokes: 'echo waiting; read answer\n', duration: 60 }) });
  const { runId } = await lab.client.runs.start({ config: runConfig.parse({ tasks: [task], agents: ['terminus'], model }) });
  const [rollout] = (await lab.client.rollouts.watch({ runId })).rows;
  const rolloutId = rollout?.id ?? '';

  let after: number | undefined;
  for (;;) {
    const timeline = await lab.client.rollouts.watchTimeline({ rolloutId, after });
    after = timeline.cursor;
    const { screen, events } =
      timeline.seconds > 0 ? await lab.client.rollouts.seek({ rolloutId, at: timeline.seconds }) : { screen: '', events: '' };
    if (!(screen + events).includes('waiting')) continue;
    expect(timeline).toMatchObject({ live: true, turns: [{ turn: 1 }] });
    // The screen at the beginning of the turn does not know yet what it will print.
    const before = await lab.client.rollouts.seek({ rolloutId, at: timeline.turns[0]?.time ?? 0 });
    expect(before.screen).toContain('before');
    expect(before.screen).not.toContain('waiting');
    break;
  }
  await lab.client.runs.cancel({ runId });
});
