import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endsAtPrompt, firstDivergence } from './divergence.ts';
import { agents } from './index.ts';
import { openPlayground, playToEnd, stepsAt } from './playing.ts';

const play = agents.replay.play;

/** Writes a trial as Harbor does: one agent step for each turn. */
async function recordedTrial(folder: string, turns: { keystrokes: string[]; duration?: number; observation?: string }[]): Promise<string> {
  const steps = turns.map(({ keystrokes, duration = 0.1, observation }) => ({
    source: 'agent',
    message: 'Analysis: …\nPlan: …',
    tool_calls: keystrokes.map((keys) => ({ function_name: 'bash_command', arguments: { keystrokes: keys, duration } })),
    ...(observation === undefined ? {} : { observation: { results: [{ content: observation }] } }),
  }));
  const complete = { source: 'agent', message: 'done', tool_calls: [{ function_name: 'mark_task_complete', arguments: {} }] };
  await mkdir(join(folder, 'trial', 'agent'), { recursive: true });
  const trajectory = { schema_version: 'ATIF-v1.6', steps: [{ source: 'user', message: 'the prompt' }, ...steps, complete] };
  await writeFile(join(folder, 'trial', 'agent', 'trajectory.json'), JSON.stringify(trajectory));
  return join(folder, 'trial');
}

describe('the replay agent', () => {
  it('sends the same keys and waits for a slow command that had ended in the recording', async () => {
    await using ground = await openPlayground();
    const trial = await recordedTrial(ground.folder, [
      { keystrokes: ['sleep 0.5; echo x > f\n'], observation: 'New Terminal Output:\n\nroot@0d:/# sleep 0.5; echo x > f\nroot@0d:/#' },
      { keystrokes: ['cat f\n'], observation: 'New Terminal Output:\n\nroot@0d:/# cat f\nx\nroot@0d:/#' },
    ]);
    const { steps, end } = await playToEnd(play, { ...ground.context, replay: trial });
    expect(end).toEqual({ outcome: 'done', detail: 'played back to its end' });
    expect(await readFile(join(ground.folder, 'f'), 'utf8')).toBe('x\n');
    expect(stepsAt(steps, 'executed').map((step) => step.result.settled)).toEqual(['idle', 'idle']);
    expect(stepsAt(steps, 'prompt')[0]?.messages[0]?.content).toBe('the prompt');
    expect(stepsAt(steps, 'note').map((step) => step.text)).toEqual([expect.stringContaining('Plays back 3 turns')]);
  });

  it('does not wait for a command that was still running in the recording', async () => {
    await using ground = await openPlayground();
    const trial = await recordedTrial(ground.folder, [
      { keystrokes: ['sleep 30\n'], observation: 'New Terminal Output:\n\nroot@0d:/# sleep 30' },
      { keystrokes: ['C-c'], observation: 'New Terminal Output:\n\nroot@0d:/# sleep 30\n^C\nroot@0d:/#' },
    ]);
    const { steps } = await playToEnd(play, { ...ground.context, replay: trial });
    expect(stepsAt(steps, 'executed').map((step) => step.result)).toMatchObject([
      { settled: 'elapsed' },
      { settled: 'idle', exitCode: 130 },
    ]);
  });

  it('notes the first turn that shows something else, and only that', async () => {
    await using ground = await openPlayground();
    const trial = await recordedTrial(ground.folder, [
      { keystrokes: ['echo same\n'], observation: 'New Terminal Output:\n\nroot@0d:/# echo same\nsame\nroot@0d:/#' },
      { keystrokes: ['echo mine\n'], observation: 'New Terminal Output:\n\nroot@0d:/# echo mine\nyours\nroot@0d:/#' },
      { keystrokes: ['echo more\n'], observation: 'New Terminal Output:\n\nroot@0d:/# echo more\nless\nroot@0d:/#' },
    ]);
    const { steps } = await playToEnd(play, { ...ground.context, replay: trial });
    const [, ...notes] = stepsAt(steps, 'note');
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatchObject({ turn: 1, text: expect.stringMatching(/recorded:\n[\s\S]*yours[\s\S]*played:\n[\s\S]*mine/) });
  });

  it('needs something to play back', async () => {
    await using ground = await openPlayground();
    await expect(playToEnd(play, ground.context)).rejects.toMatchObject({ code: 'request.invalid' });
  });
});

describe('two observations of the same commands', () => {
  it.each([
    ['host names', 'root@6131d4766dab:/app# ls\na', 'root@termarium-7:/app# ls\na'],
    ['where a longer host name wraps the line', 'me@h:/# echo aaaa bbbb', 'me@hhhhhhhh:/# echo aa\naa bbbb'],
    ['times of files', '-rw-r--r-- 1 root root 4 Apr 29 09:12 a', '-rw-r--r-- 1 root root 4 Nov 30 22:01 a'],
    ['link counts of folders', 'drwxrwxrwx 2 root root 4096 Apr 29 09:12 a', 'drwxrwxrwx 1 root root 4096 Apr 29 09:12 a'],
    ['dates', 'Wed Apr 29 09:12:33 UTC 2026', 'Mon Nov 30 22:01:01 UTC 2026'],
    ['process numbers', '[1] 1234', '[1] 77'],
    ['durations', '3 passed in 0.12s', '3 passed in 1.4s'],
    [
      'warnings in front',
      'Previous response had warnings:\nWARNINGS: - Extra text detected before JSON object\n\nNew Terminal Output:\n\nx',
      'New Terminal Output:\nx',
    ],
    [
      'the question about completion',
      'Current terminal state:\nNew Terminal Output:\nx\n\nAre you sure you want to mark the task as complete? Yes?',
      'New Terminal Output:\nx',
    ],
  ])('do not differ by %s', (_, recorded, played) => expect(firstDivergence(recorded, played)).toBeNull());

  it.each([
    ['a word', 'a\nb\nc', 'a\nx\nc'],
    ['output that is missing', 'a\nb', 'a'],
    ['output that was added', 'a', 'a\nb'],
    ['an exit code', '3 passed', '4 passed'],
  ])('differ by %s', (_, recorded, played) => expect(firstDivergence(recorded, played)).not.toBeNull());

  it('do not differ by the echo of what was typed, which is garbled where the shell was not ready for it', () => {
    const typed = "cat > check.py << 'EOF'\nimport json\nprint('a long line of a program')\nEOF\n";
    const recorded =
      "me@a:/# cat > check.py << 'EOF'\n> import json\nlong line of a program')\nEOF\n> print('a long line of a program')\n> EOF\nme@a:/#";
    const played = "me@b:/# cat > check.py << 'EOF'\n> import json\n> print('a long line of a program')\n> EOF\nme@b:/#";
    expect(firstDivergence(recorded, played, typed)).toBeNull();
    expect(firstDivergence(recorded, `${played}\nbash: check.py: Permission denied`, typed)).not.toBeNull();
  });

  it('do not differ by what follows a cut, but by what stands well before it', () => {
    const text = (first: string, omitted: number) =>
      `${first}\n${'x'.repeat(1000)}\n[... output limited to 10000 bytes; ${omitted} interior bytes omitted ...]\nend ${omitted}`;
    expect(firstDivergence(text('a', 70), text('a', 90_000))).toBeNull();
    expect(firstDivergence(text('a', 70), text('b', 90_000))).not.toBeNull();
  });

  it('show where they differ, with the lines around it', () => {
    const lines = (middle: string) => ['1', '2', '3', '4', middle, '6'].join('\n');
    expect(firstDivergence(lines('five'), lines('FIVE'))).toEqual({ recorded: '3\n4\nfive\n6', played: '3\n4\nFIVE\n6' });
  });

  it('tell whether the last command had ended', () => {
    expect(endsAtPrompt('New Terminal Output:\n\nroot@0d:/app# ls\na\nroot@0d:/app#')).toBe(true);
    expect(endsAtPrompt('New Terminal Output:\n\nroot@0d:/app# make\ncc -c a.c')).toBe(false);
    expect(
      endsAtPrompt('Current terminal state:\nNew Terminal Output:\n$ ls\n$ \n\n\nAre you sure you want to mark the task as complete? x'),
    ).toBe(true);
  });
});
