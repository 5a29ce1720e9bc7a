import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Completion } from '../model/model.ts';
import type { AgentContext } from './agent.ts';
import { agents } from './index.ts';
import { answering, openPlayground, playToEnd, stepsAt } from './playing.ts';

async function playing(answer: Partial<Completion>, settings: Partial<AgentContext['settings']> = {}) {
  await using ground = await openPlayground();
  const model = answering([answer]);
  const context = { ...ground.context, model, settings: { ...ground.context.settings, ...settings } };
  const result = await playToEnd(agents.batch.play, context);
  return { ...result, asked: model.asked, file: await readFile(join(ground.folder, 'out'), 'utf8').catch(() => null) };
}

const sends = (...keystrokes: string[]) =>
  JSON.stringify({ analysis: 'a', plan: 'p', commands: keystrokes.map((keys) => ({ keystrokes: keys, duration: 5 })) });

describe('the batch agent', () => {
  it('asks once, with a system message and the task alone, runs all commands in one shell, and is done', async () => {
    const { steps, end, asked, file } = await playing({ text: sends('X=1\n', 'echo $X > out\n', 'false\n') });
    expect(end).toEqual({ outcome: 'done', detail: 'ran 3 commands of one answer' });
    expect(file).toBe('1\n');
    expect(asked).toHaveLength(1);
    expect(asked[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(asked[0]?.messages[1]?.content).toBe('Do the thing.');
    expect(stepsAt(steps, 'executed').map(({ result }) => result.exitCode)).toEqual([0, 0, 1]);
    expect(steps.at(-1)).toMatchObject({ at: 'observation', turn: 0, text: expect.stringContaining('echo $X > out') });
  });

  it('runs nothing of an answer that cannot be read, was cut off, or never came', async () => {
    const runsNothing = { file: null, end: { outcome: 'format_limit' } };
    expect(await playing({ text: 'I would echo.' })).toMatchObject(runsNothing);
    expect(await playing({ text: sends('echo 1 > out\n'), finish: 'length' })).toMatchObject(runsNothing);
    expect(await playing({ finish: 'context' })).toMatchObject({ file: null, end: { outcome: 'context_full' } });
  });

  it('leaves the decision to the strict parser where the run says so', async () => {
    const text = sends('echo 1 > out\n').replace('}]', '},]');
    expect(await playing({ text })).toMatchObject({ file: '1\n', end: { outcome: 'done' } });
    expect(await playing({ text }, { mode: 'strict' })).toMatchObject({ file: null, end: { outcome: 'format_limit' } });
  });

  it('ends with killed_sandbox where a command ends the shell', async () => {
    const { end, steps } = await playing({ text: sends('exit 3\n', 'echo 1 > out\n') });
    expect(end.outcome).toBe('killed_sandbox');
    expect(stepsAt(steps, 'command')).toHaveLength(1);
  });
});
