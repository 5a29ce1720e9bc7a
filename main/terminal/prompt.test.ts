import { describe, expect, test } from 'vitest';
import { type Mark, Prompt } from './prompt.ts';

const ended: Mark = { kind: 'ended', exitCode: 0 };
const [prompt, accepted, started]: Mark[] = [{ kind: 'prompt' }, { kind: 'accepted' }, { kind: 'started' }];

/** A shell that has shown its first prompt. */
function atPrompt(): Prompt {
  const shell = new Prompt();
  see(shell, ended, prompt);
  shell.reported();
  return shell;
}
function see(shell: Prompt, ...marks: (Mark | undefined)[]): void {
  for (const mark of marks) if (mark) shell.saw(mark);
  shell.sawText();
}

describe('a shell is idle', () => {
  test('at once when each typed line has been taken and its prompt is back', () => {
    const shell = atPrompt();
    shell.sent('make\r');
    expect(shell.idleness(10_000)).toEqual({ is: 'busy' });
    see(shell, accepted, started);
    expect(shell.idleness(10_000)).toEqual({ is: 'busy' });
    see(shell, { kind: 'ended', exitCode: 2 }, prompt);
    expect(shell.idleness(0)).toEqual({ is: 'idle' });
    expect(shell.exitCode).toBe(2);
  });

  test('after a quiet time when lines are left that a program may have read', () => {
    const shell = atPrompt();
    shell.sent('python\r1\r2\r');
    see(shell, accepted, started, ended, prompt);
    expect(shell.idleness(0)).toEqual({ is: 'wait', ms: 100 });
    expect(shell.idleness(60)).toEqual({ is: 'wait', ms: 40 });
    expect(shell.idleness(100)).toEqual({ is: 'idle' });
  });

  test('not while a line that was left over runs', () => {
    const shell = atPrompt();
    shell.sent('sleep 1\rsleep 1\r');
    see(shell, accepted, started, ended, prompt, accepted, started);
    expect(shell.idleness(10_000)).toEqual({ is: 'busy' });
  });

  test('after a quiet time when keys were typed that drop or end input', () => {
    const shell = atPrompt();
    shell.sent('cat\r');
    see(shell, accepted, started);
    shell.sent('text\r\x04');
    see(shell, ended, prompt);
    expect(shell.idleness(0)).toMatchObject({ is: 'wait' });
  });

  test('at once after Ctrl-C: the kernel has dropped what was typed before', () => {
    const shell = atPrompt();
    shell.sent('sleep 100\rnever\r');
    see(shell, accepted, started);
    shell.sent('\x03');
    see(shell, ended, prompt);
    expect(shell.idleness(0)).toEqual({ is: 'idle' });
  });

  test('once: it takes a new prompt to be idle again', () => {
    const shell = atPrompt();
    expect(shell.idleness(10_000)).toEqual({ is: 'busy' });
    see(shell, prompt);
    expect(shell.idleness(10_000)).toEqual({ is: 'busy' });
  });

  test('a moment later when the prompt is empty', () => {
    const shell = atPrompt();
    shell.sent('true\r');
    for (const mark of [accepted, started, ended, prompt]) if (mark) shell.saw(mark);
    expect(shell.idleness(0)).toMatchObject({ is: 'wait' });
    expect(shell.idleness(20)).toEqual({ is: 'idle' });
  });
});

test('an empty line has no exit code, and the one before it is not told again', () => {
  const shell = atPrompt();
  shell.sent('false\r');
  see(shell, accepted, started, { kind: 'ended', exitCode: 1 }, prompt);
  shell.reported();
  shell.sent('\r');
  see(shell, accepted, { kind: 'ended', exitCode: 1 }, prompt);
  expect(shell.idleness(0)).toEqual({ is: 'idle' });
  expect(shell.exitCode).toBeNull();
});

test('what another program switches is no line taken', () => {
  const shell = atPrompt();
  shell.sent('vim\r');
  see(shell, accepted, started);
  shell.sent('i\r');
  see(shell, accepted, accepted);
  expect(shell.pending).toBe(1);
  expect(shell.reading).toBe(false);
});
