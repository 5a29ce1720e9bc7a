import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Terminal } from '../terminal/terminal.ts';
import type { HumanAction, Step } from './agent.ts';
import { agents } from './index.ts';
import { endsInput, typedText } from './keyboard.ts';
import { openPlayground, playToEnd, stepsAt } from './playing.ts';

const play = agents.human.play;
const type = (data: string): HumanAction => ({ action: 'type', data });

/** A human who does the next thing when the terminal shows what was waited for, or when a turn was recorded. */
function person() {
  const waiting: ((action: IteratorResult<HumanAction>) => void)[] = [];
  const queue: IteratorResult<HumanAction>[] = [];
  const push = (result: IteratorResult<HumanAction>) => {
    const next = waiting.shift();
    if (next) next(result);
    else queue.push(result);
  };
  const actions: AsyncIterable<HumanAction> = {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise((resolve) => {
          const ready = queue.shift();
          if (ready) resolve(ready);
          else waiting.push(resolve);
        }),
    }),
  };
  return {
    actions,
    does: (action: HumanAction) => push({ done: false, value: action }),
    leaves: () => push({ done: true, value: undefined }),
  };
}

/** Waits until the terminal shows a text. */
async function shown(terminal: Terminal, text: string): Promise<void> {
  for (;;) {
    const { end } = terminal.bytes;
    if (`${await terminal.screen()}\n`.includes(text)) return;
    await terminal.bytes.next(end, new AbortController().signal);
  }
}

describe('a human at the keyboard', () => {
  it('has each line recorded as a turn, with its exit code, duration and output', async () => {
    await using ground = await openPlayground();
    const { actions, does } = person();
    const steps: Step[] = [];
    does({ action: 'note', text: 'I look around first.' });
    for (const key of 'echo hix') does(type(key));
    does(type('\x7f'));
    does(type(' > f; cat f; (exit 4)\r'));
    const playing = play({ ...ground.context, human: actions });
    let next = await playing.next();
    for (; !next.done; next = await playing.next()) {
      steps.push(next.value);
      if (next.value.at === 'observation') does({ action: 'submit' });
    }
    expect(next.value).toEqual({ outcome: 'done', detail: 'handed in by the human' });
    expect(steps.map((step) => step.at)).toEqual(['prompt', 'note', 'response', 'command', 'executed', 'observation']);
    expect(stepsAt(steps, 'response')[0]).toMatchObject({
      turn: 0,
      author: 'human',
      commands: [{ keystrokes: 'echo hi > f; cat f; (exit 4)\n' }],
    });
    expect(stepsAt(steps, 'executed')[0]?.result).toMatchObject({ settled: 'idle', exitCode: 4 });
    expect(stepsAt(steps, 'observation')[0]?.text).toContain('\nhi\n');
    await expect(readFile(join(ground.folder, 'f'), 'utf8')).resolves.toBe('hi\n');
  });

  it('can talk to a program and interrupt it; each line sent is a turn of its own', async () => {
    await using ground = await openPlayground();
    const { actions, does } = person();
    const steps: Step[] = [];
    const talk = async () => {
      does(type('echo $((6*7)); cat\r'));
      await shown(ground.terminal, '\n42\n');
      does(type('hello\r'));
      await shown(ground.terminal, '\nhello\nhello');
      does(type('\x03'));
    };
    const talking = talk();
    for await (const step of play({ ...ground.context, human: actions })) {
      steps.push(step);
      if (step.at === 'executed' && step.result.exitCode === 130) does({ action: 'give_up' });
    }
    await talking;
    expect(stepsAt(steps, 'response').map((step) => step.commands[0]?.keystrokes)).toEqual(['echo $((6*7)); cat\n', 'hello\n', 'C-c']);
    expect(stepsAt(steps, 'executed').map((step) => step.result.settled)).toEqual(['elapsed', 'elapsed', 'idle']);
    expect(stepsAt(steps, 'response').map((step) => step.turn)).toEqual([0, 1, 2]);
  });

  it('leaves no turn behind for an empty line or for typing that was dropped', async () => {
    await using ground = await openPlayground();
    const { actions, does } = person();
    does(type('\r'));
    does(type('rm -rf x\x03'));
    does({ action: 'give_up' });
    const { steps, end } = await playToEnd(play, { ...ground.context, human: actions });
    expect(end.outcome).toBe('gave_up');
    expect(stepsAt(steps, 'response')).toEqual([]);
  });

  it('has a command that still runs recorded when they hand in', async () => {
    await using ground = await openPlayground();
    const { actions, does } = person();
    does(type('sleep 30\r'));
    does({ action: 'submit' });
    const { steps, end } = await playToEnd(play, { ...ground.context, human: actions });
    expect(end.outcome).toBe('done');
    expect(stepsAt(steps, 'executed')[0]?.result).toMatchObject({ settled: 'elapsed', exitCode: null });
  });

  it('sees stopping and starting the clock noted', async () => {
    await using ground = await openPlayground();
    const { actions, does } = person();
    for (const action of ['pause', 'continue', 'submit'] as const) does({ action });
    const { steps } = await playToEnd(play, { ...ground.context, human: actions });
    expect(stepsAt(steps, 'note').map((step) => step.text)).toEqual(['The human stopped the clock.', 'The human started the clock again.']);
  });

  it('ends when the shell is left, when the human goes away, and when the time is over', async () => {
    await using left = await openPlayground();
    const leaving = person();
    leaving.does(type('\x04'));
    expect((await playToEnd(play, { ...left.context, human: leaving.actions })).end.outcome).toBe('killed_sandbox');

    await using alone = await openPlayground();
    const going = person();
    going.leaves();
    expect((await playToEnd(play, { ...alone.context, human: going.actions })).end.outcome).toBe('gave_up');

    const end = performance.now() + 100;
    const late = await playToEnd(play, { ...alone.context, human: person().actions, timeLeftMs: () => end - performance.now() });
    expect(late.end.outcome).toBe('time_limit');
  });

  it('is needed', async () => {
    await using ground = await openPlayground();
    await expect(playToEnd(play, ground.context)).rejects.toMatchObject({ code: 'request.invalid' });
  });
});

describe('what a person types', () => {
  it.each([
    ['a line', 'ls\r', 'ls\n'],
    ['a corrected line', 'lss\x7f -l\r', 'ls -l\n'],
    ['a line that was cleared', 'rm -rf /\x15ls\r', 'ls\n'],
    ['a paste of two lines', '\x1b[200~a\rb\x1b[201~\r', 'a\nb\n'],
    ['keys that only the shell understands', 'ls /e\tx\x7f\r', 'ls /e\tx\x7f\n'],
    ['a control key', '\x03', 'C-c'],
  ])('%s', (_, typed, text) => expect(typedText(typed)).toBe(text));

  it('ends at Enter and at control keys, not at a line break that is pasted', () => {
    expect(['ls', 'ls\r', '\x04', '\x1b[200~a\r', '\x1b[200~a\r\x1b[201~\r'].map(endsInput)).toEqual([false, true, true, false, true]);
  });
});
