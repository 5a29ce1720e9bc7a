import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../lib/errors.ts';
import type { SampleRequest } from '../../model/model.ts';
import type { AgentContext, Step } from '../agent.ts';
import { agents } from '../index.ts';
import { answering, openPlayground, playToEnd, stepsAt, taskNamed } from '../playing.ts';

const play = agents.terminus.play;

/** An answer that sends these commands. */
function sends(keystrokes: string[], options: { complete?: boolean; duration?: number } = {}) {
  const commands = keystrokes.map((keys) => ({ keystrokes: keys, duration: options.duration ?? 10 }));
  return { text: JSON.stringify({ analysis: 'a', plan: 'p', commands, task_complete: options.complete ?? false }) };
}
const done = sends([], { complete: true });

async function playing(answers: Parameters<typeof answering>[0], change: (context: AgentContext) => Partial<AgentContext> = () => ({})) {
  await using ground = await openPlayground();
  const model = answering(answers);
  const result = await playToEnd(play, { ...ground.context, model, ...change(ground.context) });
  return { ...result, model };
}

/** Last user message of a request. */
const lastOf = (request: SampleRequest | undefined) => request?.messages.at(-1)?.content ?? '';

describe('the terminus agent', () => {
  it('shows the task and the screen, sends the keys, shows what they did, and ends when the model says twice that it is done', async () => {
    await using ground = await openPlayground();
    const model = answering([sends(['echo one > a.txt\n', 'cat a.txt; false\n']), done, done]);
    const { steps, end } = await playToEnd(play, { ...ground.context, model });

    expect(end).toEqual({ outcome: 'done', detail: 'the model confirmed that the task is complete' });
    expect(await readFile(join(ground.folder, 'a.txt'), 'utf8')).toBe('one\n');
    expect(steps.map((step) => step.at)).toEqual([
      'prompt',
      ...['sampling', 'response', 'command', 'executed', 'command', 'executed', 'observation'],
      ...['sampling', 'response', 'observation'],
      ...['sampling', 'response', 'observation'],
    ]);
    expect(stepsAt(steps, 'executed').map((step) => step.result)).toMatchObject([
      { settled: 'idle', exitCode: 0 },
      { settled: 'idle', exitCode: 1 },
    ]);

    const [first, second, third] = model.asked;
    expect(first?.messages.map((message) => message.role)).toEqual(['user']);
    expect(lastOf(first)).toContain('Task:\nDo the thing.\n');
    expect(lastOf(first)).toContain('Terminal:\nCurrent Terminal Screen:\n');
    expect(second?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
    expect(lastOf(second)).toMatch(/^New Terminal Output:\n[\s\S]*cat a\.txt; false\s+one\s/);
    expect(lastOf(third)).toMatch(/^Current terminal state:\n[\s\S]*"task_complete": true once more/);
  });

  it('yields each observation word for word as the next prompt holds it', async () => {
    const { steps, model } = await playing([sends(['echo hello\n']), { text: 'no json' }, done, done]);
    const seen = stepsAt(steps, 'observation').map((step) => step.text);
    expect(model.asked.slice(1).map(lastOf)).toEqual(seen.slice(0, -1));
  });

  it('stays when the claim to be done is not repeated, but not for an unreadable answer in between', async () => {
    const { end, model } = await playing([done, sends(['true\n']), done, { text: 'oops' }, done]);
    expect(end.outcome).toBe('done');
    expect(model.asked).toHaveLength(5);
    expect(lastOf(model.asked[4])).toBe(
      'Previous response had parsing errors:\nERROR: No valid JSON found in response\nWARNINGS: - No valid JSON object found\n\nPlease fix these issues and provide a proper JSON response.',
    );
  });

  it('speaks XML where the run says so: prompt, complaint and question', async () => {
    const xml = (keys: string, complete = false) => ({
      text: `<response><analysis>a</analysis><plan>p</plan><commands>${keys}</commands><task_complete>${complete}</task_complete></response>`,
    });
    const answers = [xml('<keystrokes duration="5">echo "<b>"\n</keystrokes>'), { text: '{"analysis": 1}' }, xml('', true), xml('', true)];
    const { end, model } = await playing(answers, ({ settings }) => ({ settings: { ...settings, parser: 'xml' } }));
    expect(end.outcome).toBe('done');
    expect(lastOf(model.asked[0])).toContain('<keystrokes duration="0.1">cd /srv/site\n</keystrokes>');
    expect(lastOf(model.asked[1])).toMatch(/^New Terminal Output:\n[\s\S]*\n<b>\n/);
    expect(lastOf(model.asked[2])).toBe(
      'Previous response had parsing errors:\nERROR: No <response> tag found\n\nPlease fix these issues and provide a proper response.',
    );
    expect(lastOf(model.asked[3])).toContain('<task_complete>true</task_complete> once more');
  });

  it('runs the commands of the answer that says it is done', async () => {
    await using ground = await openPlayground();
    const last = sends(['touch last\n'], { complete: true });
    await playToEnd(play, { ...ground.context, model: answering([done, last]) });
    await expect(readFile(join(ground.folder, 'last'), 'utf8')).resolves.toBe('');
  });

  it('puts warnings in front of the output, and keeps both verdicts on the format', async () => {
    const { steps, model } = await playing([{ text: `Sure.\n${sends(['true\n']).text}` }, done, done]);
    expect(lastOf(model.asked[1])).toMatch(
      /^Previous response had warnings:\nWARNINGS: - Extra text detected before JSON object\n\nNew Terminal Output:\n/,
    );
    expect(stepsAt(steps, 'response')[0]?.format).toEqual({
      strict: true,
      robust: true,
      problems: ['Extra text detected before JSON object'],
    });
  });

  it('gives up on a model that cannot keep the format', async () => {
    const { end, steps } = await playing(Array(8).fill({ text: 'I would run ls.' }), ({ limits }) => ({
      limits: { ...limits, formatErrors: 3 },
    }));
    expect(end).toEqual({ outcome: 'format_limit', detail: '3 unreadable answers in a row' });
    expect(stepsAt(steps, 'command')).toEqual([]);
  });

  it('executes nothing of an answer that was cut off, says so, and ends when that goes on', async () => {
    const cut = { ...sends(['touch never\n']), finish: 'length' as const };
    await using ground = await openPlayground();
    const model = answering([cut, cut, cut, cut]);
    const { end, steps } = await playToEnd(play, { ...ground.context, model, sampling: { maxTokens: 100 } });
    expect(end).toEqual({ outcome: 'format_limit', detail: '4 answers in a row were cut off by the token limit' });
    expect(stepsAt(steps, 'command')).toEqual([]);
    await expect(readFile(join(ground.folder, 'never'))).rejects.toThrow('ENOENT');
    expect(lastOf(model.asked[1])).toMatch(/limit of 100 tokens for one answer\. NONE of its commands were executed/);
    expect(model.asked[3]?.messages.filter((message) => message.role === 'assistant')).toHaveLength(3);
  });

  it('makes room when the server says that the conversation is too long, in smaller and smaller pieces, and ends when nothing helps', async () => {
    const full = { finish: 'context' as const };
    const { end, steps, model } = await playing([
      sends(['true\n']),
      full,
      { text: 'sum' },
      { text: 'why?' },
      { text: 'so' },
      full,
      full,
      full,
    ]);
    expect(end).toEqual({ outcome: 'context_full', detail: 'the conversation no longer fits into the context' });
    expect(stepsAt(steps, 'prompt').map(({ turn }) => turn)).toEqual([0, 1, 1, 1]);
    const notes = stepsAt(steps, 'note');
    expect(notes.slice(0, 3).map(({ text, used }) => [text, used?.completionTokens])).toEqual([
      ['Summary for the hand-over:\nsum', 5],
      ['Questions about it:\nwhy?', 5],
      ['Answers:\nso', 5],
    ]);
    expect(notes.slice(3).map(({ text }) => text.split('. ').slice(1).join('. '))).toEqual([
      'It was handed over: a summary, questions about it, and their answers take its place.',
      expect.stringMatching(/^The oldest \d turns were left out\.$/),
      'All turns were left out: only the task and the screen are kept.',
    ]);
    // Knowing only the task, the notes and the screen, it asks; the one who knows everything answers.
    expect(lastOf(model.asked[3])).toMatch(/Do the thing\.[\s\S]*Their notes:\nsum/);
    expect(lastOf(model.asked[4])).toMatch(/asks:\n\nwhy\?/);
    expect(lastOf(model.asked[5])).toMatch(/^Their answers:\nso\n[\s\S]*New Terminal Output:/);
    expect(lastOf(model.asked[7])).toMatch(/Do the thing\.[\s\S]*The terminal shows now:/);
  });

  it('leaves the conversation alone where the run says so', async () => {
    const none = ({ settings }: AgentContext) => ({ settings: { ...settings, compaction: 'none' as const } });
    const { end, model } = await playing([sends(['true\n']), { finish: 'context' }], none);
    expect(end.outcome).toBe('context_full');
    expect(model.asked).toHaveLength(2);
  });

  it('ends at the limits on turns, tokens and repeated commands', async () => {
    const many = Array.from({ length: 8 }, () => sends(['true\n']));
    const limit = (change: Partial<AgentContext['limits']>) => playing(many, ({ limits }) => ({ limits: { ...limits, ...change } }));
    expect((await limit({ turns: 2 })).end).toEqual({ outcome: 'turn_limit', detail: 'played all 2 turns' });
    expect((await limit({ completionTokens: 15 })).end).toEqual({ outcome: 'token_limit', detail: 'used 15 of 15 completion tokens' });
    expect((await limit({ promptTokens: 11 })).end).toEqual({ outcome: 'token_limit', detail: 'used 20 of 11 prompt tokens' });
    expect((await limit({ repeats: 3 })).end).toEqual({ outcome: 'turn_limit', detail: 'the same commands 3 times in a row' });
  });

  it.each([
    ['no keys', ''],
    ['only a line break', '\n'],
  ])('waits the whole duration of a command with %s, so that something in the background can get ready', async (_, keys) => {
    const { steps } = await playing([sends(['(sleep 0.3; echo ready) &\n']), sends([keys], { duration: 0.6 }), done, done]);
    const [started, waited] = stepsAt(steps, 'executed').map((step) => step.result);
    expect(started?.settled).toBe('idle');
    expect(waited?.settled).toBe('elapsed');
    expect(stepsAt(steps, 'observation')[1]?.text).toContain('ready');
  });

  it('goes on after a command that does not end in time, and can interrupt it', async () => {
    const { steps } = await playing([sends(['sleep 30\n'], { duration: 0.3 }), sends(['C-c'], { duration: 5 }), done, done]);
    expect(stepsAt(steps, 'executed').map((step) => step.result)).toMatchObject([
      { settled: 'elapsed', exitCode: null },
      { settled: 'idle', exitCode: 130 },
    ]);
  });

  it('ends with killed_sandbox when the shell is gone, and sends nothing more', async () => {
    const { end, steps } = await playing([sends(['exit 3\n', 'echo never\n'])]);
    expect(end.outcome).toBe('killed_sandbox');
    expect(stepsAt(steps, 'command')).toHaveLength(1);
    expect(stepsAt(steps, 'executed')[0]?.result.settled).toBe('exited');
  });

  it('ends with time_limit in the middle of a command, which is recorded as interrupted', async () => {
    const end = performance.now() + 400;
    const result = await playing([sends(['sleep 30\n'], { duration: 30 })], () => ({ timeLeftMs: () => end - performance.now() }));
    expect(result.end.outcome).toBe('time_limit');
    expect(stepsAt(result.steps, 'executed')[0]?.result.settled).toBe('interrupted');
  });

  it('ends with time_limit in the middle of sampling', async () => {
    const end = performance.now() + 200;
    const hanging = (_: SampleRequest, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const result = await playing([hanging], () => ({ timeLeftMs: () => end - performance.now() }));
    expect(result.end.outcome).toBe('time_limit');
    expect(result.steps.at(-1)).toEqual({ at: 'sampling', turn: 0 });
  });

  it('does not count time that is given back while it waits', async () => {
    const began = performance.now();
    let paused = 0;
    const answers = [sends(['sleep 0.4\n']), done, done];
    const timeLeftMs = () => {
      const now = performance.now() - began;
      if (now > 250) paused = now - 250;
      return 300 - now + paused;
    };
    const { end } = await playing(answers, () => ({ timeLeftMs }));
    expect(end.outcome).toBe('done');
  });

  it('throws the reason of an abort, and the error of a model that cannot answer', async () => {
    const controller = new AbortController();
    const reason = new DOMException('cancelled by the user', 'AbortError');
    const steps: Step[] = [];
    await using ground = await openPlayground();
    const running = async () => {
      const model = answering([sends(['sleep 30\n'], { duration: 30 })]);
      for await (const step of play({ ...ground.context, model, signal: controller.signal })) {
        steps.push(step);
        if (step.at === 'command') setTimeout(() => controller.abort(reason), 50);
      }
    };
    await expect(running()).rejects.toBe(reason);
    expect(steps.at(-1)).toMatchObject({ at: 'executed', result: { settled: 'interrupted' } });

    const failing = async () => {
      throw new AppError('model.unavailable', 'the server does not answer');
    };
    await expect(playing([failing])).rejects.toMatchObject({ code: 'model.unavailable' });
  });

  it('cuts an instruction that would fill the context, and says so', async () => {
    await using ground = await openPlayground();
    const model = answering([done, done], 4000);
    const task = taskNamed('long', `BEGIN ${'x'.repeat(20_000)} END`);
    await playToEnd(play, { ...ground.context, model, task });
    const prompt = lastOf(model.asked[0]);
    expect(prompt).toMatch(/BEGIN x+\n\[\.\.\. 14010 characters of this instruction are left out here/);
    expect(prompt).toContain(' END\n');
  });

  it('streams what is sampled, and notes each try that failed', async () => {
    const deltas: [number, string][] = [];
    const { steps } = await playing([{ ...done, retries: ['503, tried again after 1 s'] }, done], () => ({
      onDelta: (turn, text) => deltas.push([turn, text]),
    }));
    expect(deltas.map(([turn]) => turn)).toEqual([0, 1]);
    expect(stepsAt(steps, 'note')).toEqual([{ at: 'note', turn: 0, text: '503, tried again after 1 s' }]);
  });

  it('works in a shell that tells nothing about its prompts, waiting as long as it is asked to', async () => {
    await using ground = await openPlayground({ marks: false });
    const { steps } = await playToEnd(play, {
      ...ground.context,
      model: answering([sends(['echo $((6*7))\n'], { duration: 0.5 }), done, done]),
    });
    expect(stepsAt(steps, 'executed')[0]?.result).toMatchObject({ settled: 'elapsed', exitCode: null });
    expect(stepsAt(steps, 'observation')[0]?.text).toContain('\n42\n');
  });
});
