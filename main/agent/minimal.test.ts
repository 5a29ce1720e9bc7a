import { describe, expect, it } from 'vitest';
import { agents } from './index.ts';
import { readAction } from './minimal.ts';
import { answering, openPlayground, playToEnd, stepsAt } from './playing.ts';

const play = agents.minimal.play;
const runs = (command: string) => ({ text: `I think so.\n<command>${command}</command>` });
const done = { text: 'All is well.\n<action>done</action>' };

describe('the minimal agent', () => {
  it('gives one command a turn its output and exit code, until the model says that it is done', async () => {
    await using ground = await openPlayground();
    const model = answering([runs('cd / && pwd'), runs('ls /nowhere'), done]);
    const { steps, end } = await playToEnd(play, { ...ground.context, model });
    expect(end).toEqual({ outcome: 'done', detail: 'the model said that it is done' });
    expect(model.asked[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(model.asked[0]?.messages[1]?.content).toBe('Do the thing.');
    const [first, second] = stepsAt(steps, 'observation').map((step) => step.text);
    expect(first).toMatch(/^Command executed successfully\. Output: [\s\S]*\n\/\n[\s\S]*\n\n\(exit_code=0\)$/);
    expect(second).toMatch(/^Command failed\. Output: [\s\S]*nowhere[\s\S]*\n\n\(exit_code=2\)$/);
    expect(model.asked[2]?.messages.at(-1)?.content).toBe(second);
  });

  it('runs a command of several lines as one', async () => {
    await using ground = await openPlayground();
    const model = answering([runs("cat > f <<'EOF'\na\nb\nEOF\nwc -l < f\n(exit 7)"), done]);
    const { steps } = await playToEnd(play, { ...ground.context, model });
    expect(stepsAt(steps, 'observation')[0]?.text).toMatch(/\n2\n[\s\S]*\(exit_code=7\)$/);
  });

  it('nudges a model that names no action, and ends when that goes on', async () => {
    await using ground = await openPlayground();
    const model = answering([{ text: 'Hm.' }, { ...runs('touch x'), finish: 'length' }]);
    const { steps, end } = await playToEnd(play, { ...ground.context, model, limits: { ...ground.context.limits, formatErrors: 2 } });
    expect(end.outcome).toBe('format_limit');
    expect(stepsAt(steps, 'command')).toEqual([]);
    expect(stepsAt(steps, 'observation').map((step) => step.text)).toEqual([
      expect.stringContaining('neither <command>'),
      expect.stringContaining('cut off'),
    ]);
  });

  it('takes 16 turns where the run leaves its limits alone, and what the run says where it does not', async () => {
    await using ground = await openPlayground();
    const seventeen = Array.from({ length: 20 }, () => runs('true'));
    const usual = await playToEnd(play, { ...ground.context, model: answering(seventeen) });
    expect(usual.end).toEqual({ outcome: 'turn_limit', detail: 'played all 16 turns' });
    const two = await playToEnd(play, {
      ...ground.context,
      model: answering(seventeen),
      limits: { ...ground.context.limits, turns: 2 },
    });
    expect(two.end).toEqual({ outcome: 'turn_limit', detail: 'played all 2 turns' });
  });
});

describe('an answer of the minimal agent', () => {
  it.each([
    ['one command', 'a <command>ls</command>', { kind: 'command', command: 'ls' }],
    ['the last of two commands', '<command>a</command><command>b</command>', { kind: 'command', command: 'b' }],
    ['done wherever it is said', '<action> done </action> <command>ls</command>', { kind: 'done' }],
    ['a command that is the word done', '<command>done</command>', { kind: 'done' }],
    ['an empty command', '<command> </command>', { kind: 'invalid' }],
    ['a command that was not closed', '<command>rm -rf /', { kind: 'invalid' }],
    ['another action', '<action>stop</action>', { kind: 'invalid' }],
    ['nothing', '', { kind: 'invalid' }],
  ])('%s', (_, text, action) => expect(readAction(text)).toEqual(action));

  it('is read in no time even if it is hostile', () => {
    const start = performance.now();
    for (const unit of ['<command>', '</command>', '<action>', '<action>done ', '<action> ']) readAction(unit.repeat(100_000));
    expect(performance.now() - start).toBeLessThan(500);
  });
});
