// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text
// The guide to a terminal: what an agent types, when its wait ends, and what it is shown. All of it with a real bash in a real TTY.
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { encodeKeys } from './keys.ts';
import { openLocalTty } from './local.ts';
import { openTerminal } from './session.ts';
import { type ShellOptions, shellCommand } from './shell.ts';
import type { Observation, Settled, Terminal } from './terminal.ts';

/** Longer than any command here takes; a wait that reaches it has not seen that the shell is idle. */
const LONG = 8_000;

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'lab-'));
  await writeFile(join(home, '.bashrc'), "PS1='$ '\n");
});
afterEach(() => rm(home, { recursive: true }));

async function openShell(
  options: ShellOptions & { sh?: string; env?: Record<string, string>; startup?: (text: string) => string } = {},
): Promise<Terminal> {
  const shell = shellCommand(options);
  const env = { ...shell.env, HOME: home, SHLVL: '0', INPUTRC: '/dev/null', ...options.env };
  const command = [options.sh ?? 'sh', ...shell.command.slice(1).map(options.startup ?? String)];
  const connection = await openLocalTty({ command, env, cwd: home, cols: 80, rows: 24 });
  const terminal = await openTerminal(connection, { cols: 80, rows: 24, token: shell.token });
  onTestFinished(() => terminal[Symbol.asyncDispose]());
  await terminal.ready(LONG);
  return terminal;
}

async function type(terminal: Terminal, keystrokes: string, wait = LONG): Promise<Settled & Observation> {
  await terminal.send(encodeKeys(keystrokes, 'fixed', terminal));
  const settled = await terminal.settle(wait);
  return { ...settled, ...(await terminal.observe()) };
}

describe('a wait', () => {
  test('ends when the command has ended, with its exit code', async () => {
    const terminal = await openShell();
    expect(await type(terminal, 'echo hi\n')).toMatchObject({ reason: 'idle', exitCode: 0, text: '$ echo hi\nhi\n$' });
    expect(await type(terminal, '(exit 7)\n')).toMatchObject({ reason: 'idle', exitCode: 7 });
    const slow = await type(terminal, 'sleep 0.3; false\n');
    expect(slow).toMatchObject({ reason: 'idle', exitCode: 1 });
    expect(slow.elapsedMs).toBeGreaterThan(290);
    expect(terminal.marks).toBe(true);
  });

  test('covers every line that was typed', async () => {
    const terminal = await openShell();
    expect(await type(terminal, 'echo a\nsleep 0.2\n\n\necho b\n')).toMatchObject({
      reason: 'idle',
      text: '$ echo a\na\n$ sleep 0.2\n$\n$\n$ echo b\nb\n$',
    });
  });

  test('covers lines that were typed ahead of a slow command', async () => {
    const terminal = await openShell();
    const { reason, elapsedMs } = await type(terminal, 'sleep 0.5\nsleep 0.5\n');
    expect({ reason, slept: elapsedMs > 600 }).toEqual({ reason: 'idle', slept: true });
  });

  test('never ends while a command runs, and goes on in the next wait', async () => {
    const terminal = await openShell();
    expect(await type(terminal, 'sleep 0.6; echo over\n', 200)).toMatchObject({ reason: 'elapsed', exitCode: null });
    expect(await type(terminal, '')).toMatchObject({ reason: 'idle', exitCode: 0, text: expect.stringContaining('over') });
  });

  test('takes its full time when there is nothing to wait for, or when told to', async () => {
    const terminal = await openShell();
    expect(await type(terminal, '', 150)).toMatchObject({ reason: 'elapsed' });
    await terminal.send('true\r');
    expect(await terminal.settle(200, { early: false })).toMatchObject({ reason: 'elapsed', exitCode: 0 });
    await terminal.observe();
    expect(await type(terminal, 'echo unfinished', 150)).toMatchObject({ reason: 'elapsed', text: '$ echo unfinished' });
  });

  test('ends at a program that a key stops', async () => {
    const terminal = await openShell();
    expect(await type(terminal, 'sleep 100\n', 100)).toMatchObject({ reason: 'elapsed' });
    expect(await type(terminal, 'C-c\n')).toMatchObject({ reason: 'idle', exitCode: 130, text: '$ sleep 100^C\n$'.slice(11) });
    expect(await type(terminal, 'cat\n', 100)).toMatchObject({ reason: 'elapsed' });
    expect(await type(terminal, 'hello\n', 100)).toMatchObject({ reason: 'elapsed', text: expect.stringContaining('hello\nhello') });
    expect(await type(terminal, 'C-d')).toMatchObject({ reason: 'idle', exitCode: 0 });
    expect(await type(terminal, 'sleep 100\n', 100)).toMatchObject({ reason: 'elapsed' });
    expect(await type(terminal, 'C-z')).toMatchObject({ reason: 'idle', exitCode: 148 });
    expect(await type(terminal, 'kill %1; wait\n')).toMatchObject({ reason: 'idle' });
    expect(await type(terminal, 'C-c')).toMatchObject({ reason: 'idle' });
  });

  test('ends where lines were read by a program instead of the shell', async () => {
    const terminal = await openShell();
    expect(await type(terminal, 'read name\nAda\necho "it is $name"\n')).toMatchObject({
      reason: 'idle',
      text: expect.stringContaining('it is Ada'),
    });
    expect(await type(terminal, 'head -n 1\nleft over\n')).toMatchObject({ reason: 'idle' });
  });

  test('ends when the shell is gone, or when it is called off', async () => {
    const terminal = await openShell();
    const controller = new AbortController();
    const wait = terminal.settle(LONG, { signal: controller.signal });
    controller.abort();
    await expect(wait).rejects.toThrow('aborted');
    expect(await type(terminal, 'exit 3\n')).toMatchObject({ reason: 'exited' });
    expect(terminal.exited).toBe(true);
    await terminal.send('ignored\r');
    expect(await terminal.settle(LONG)).toMatchObject({ reason: 'exited' });
  });

  test('ends at a continuation prompt: the shell waits for more', async () => {
    const terminal = await openShell();
    expect(await type(terminal, "echo 'one\n")).toMatchObject({ reason: 'idle', exitCode: null, text: "$ echo 'one\n>" });
    expect(await type(terminal, "two'\n")).toMatchObject({ reason: 'idle', exitCode: 0, text: "> two'\none\ntwo\n$" });
  });

  test('of jobs in the background does not hold it up', async () => {
    const terminal = await openShell();
    expect(await type(terminal, 'sleep 30 &\n')).toMatchObject({ reason: 'idle', exitCode: 0 });
    expect(await type(terminal, 'kill %1\n')).toMatchObject({ reason: 'idle' });
  });
});

describe('the marks survive', () => {
  const still = async (terminal: Terminal) => {
    expect(await type(terminal, '(exit 5)\n')).toMatchObject({ reason: 'idle', exitCode: 5 });
    expect(await type(terminal, 'sleep 0.2; true\n')).toMatchObject({ reason: 'idle', exitCode: 0 });
  };

  test.each([
    ['another prompt', "PS1='>>> ' PS2='... '"],
    ['a prompt of several lines', "PS1='one\\ntwo> '"],
    ['clear', 'clear'],
    ['reset', 'tput reset'],
    ["the task's PROMPT_COMMAND", "PROMPT_COMMAND='echo before'"],
    ["a PROMPT_COMMAND put in front of what is there, as direnv's", 'PROMPT_COMMAND="true;$PROMPT_COMMAND"'],
    ['set -u', 'set -u'],
    ['set -v', 'set -v'],
    ['vi mode', 'set -o vi'],
    ['output sent elsewhere', 'exec >/dev/null'],
    ["the task's PS0", 'PS0=x'],
    ['a function called printf', 'printf() { false; }'],
    ['no job control', 'set +m'],
    ['posix mode', 'set -o posix'],
    ['another locale', 'export LC_ALL=C'],
  ])('%s', async (_name, command) => {
    const terminal = await openShell();
    expect(await type(terminal, `${command}\n`)).toMatchObject({ reason: 'idle' });
    await still(terminal);
  });

  test('set -e, until a command fails', async () => {
    const terminal = await openShell();
    expect(await type(terminal, 'set -e\n')).toMatchObject({ reason: 'idle', exitCode: 0 });
    expect(await type(terminal, '! true\n')).toMatchObject({ reason: 'idle', exitCode: 1 });
    expect(await type(terminal, 'false\n')).toMatchObject({ reason: 'exited' });
  });

  test.each([['bash'], ['sh'], ['bash --norc -c "exec bash -i"'], ['script -qe /dev/null']])('a shell within: %s', async (inner) => {
    const terminal = await openShell();
    expect(await type(terminal, `${inner}\n`, 300)).toMatchObject({ reason: 'elapsed' });
    expect(await type(terminal, 'sleep 0.4; echo inside\n', 200)).toMatchObject({ reason: 'elapsed' });
    expect(await type(terminal, 'exit 4\n')).toMatchObject({ reason: 'idle', exitCode: 4 });
    await still(terminal);
  });

  test('an empty prompt, by quiet', async () => {
    const terminal = await openShell();
    expect(await type(terminal, "PS1=''\n")).toMatchObject({ reason: 'idle' });
    await still(terminal);
  });

  test('a PROMPT_COMMAND that is replaced as a whole: prompts are still seen, exit codes are not', async () => {
    const terminal = await openShell();
    expect(await type(terminal, 'PROMPT_COMMAND=()\n')).toMatchObject({ reason: 'idle' });
    const slept = await type(terminal, 'sleep 0.3; false\n');
    expect(slept).toMatchObject({ reason: 'idle', exitCode: null });
    expect(slept.elapsedMs).toBeGreaterThan(290);
  });

  test('exec bash does not: from there waits take their full time', async () => {
    const terminal = await openShell();
    await type(terminal, 'exec bash --norc\n', 300);
    expect(await type(terminal, 'echo still here\n', 300)).toMatchObject({
      reason: 'elapsed',
      text: expect.stringContaining('still here'),
    });
  });

  test('marks that a program prints itself are not believed', async () => {
    const terminal = await openShell();
    const forged = "printf '\\e]133;D;0;aid=1234\\a\\e]133;A\\a\\e[?2004l$ '; sleep 0.3; (exit 9)\n";
    const settled = await type(terminal, forged);
    expect(settled).toMatchObject({ reason: 'idle', exitCode: 9 });
    expect(settled.elapsedMs).toBeGreaterThan(290);
  });
});

describe('the marks show nowhere', () => {
  test('in what the shell tells of itself', async () => {
    const terminal = await openShell({ env: { PROMPT_COMMAND: '' } });
    const seen = await type(
      terminal,
      'echo "[$PS1] [$PS2] [$PROMPT_COMMAND] $SHLVL"; env | grep -cE "[1]33|[a]id="; history | head -n 3; ls -A\n',
    );
    expect(seen.text).toContain('[$ ] [> ] [] 1\n0\n');
    expect(seen.text).not.toMatch(/133|aid=/);
    expect(seen.text).toContain('.bashrc');
    expect((await type(terminal, 'trap; declare -F; alias; jobs; echo done\n')).text).not.toMatch(/133|aid=/);
    expect((await type(terminal, 'set -x\n')).text).toBe('$ set -x\n$');
    expect((await type(terminal, 'true\n')).text).toBe('$ true\n+ true\n$');
    expect((await type(terminal, 'set +x; trap "echo failed" ERR\n')).text).not.toContain('133');
    expect((await type(terminal, 'true\n')).text).toBe('$ true\n$');
    expect((await type(terminal, 'ls /proc/$$/fd | grep -cE "^(9|63)$"\n')).text).toContain('\n0\n');
  });

  test('in exit codes that the user asks for', async () => {
    const terminal = await openShell({ env: { PROMPT_COMMAND: 'seen=$?' } });
    await type(terminal, 'false | true | (exit 3)\n');
    expect((await type(terminal, 'echo "$? $seen ${PIPESTATUS[@]}"\n')).text).toContain('\n3 3 ');
    await type(terminal, 'false | (exit 3)\n');
    expect((await type(terminal, 'echo "${PIPESTATUS[@]}"\n')).text).toContain('\n1 3\n');
    await type(terminal, 'echo first second\n');
    expect((await type(terminal, 'echo "[$_]"\n')).text).toContain('[second]');
  });

  test('in a bash before 5.1, where PROMPT_COMMAND is one text', async () => {
    const startup = (text: string) => text.replace('>= 501', '>= 9999');
    const plain = await openShell({ startup });
    expect(await type(plain, '(exit 3)\n')).toMatchObject({ reason: 'idle', exitCode: 3 });
    expect((await type(plain, 'set -x\n')).text).toBe('$ set -x\n$');
    const terminal = await openShell({ startup, env: { PROMPT_COMMAND: 'seen=$?' } });
    expect(await type(terminal, 'false | (exit 3)\n')).toMatchObject({ reason: 'idle', exitCode: 3 });
    expect((await type(terminal, 'echo "$? $seen ${PIPESTATUS[@]}"\n')).text).toContain('\n3 3 1 3\n');
    expect(await type(terminal, 'set -e\n')).toMatchObject({ reason: 'idle', exitCode: 0 });
    expect(await type(terminal, '! true\n')).toMatchObject({ reason: 'idle', exitCode: 1 });
  });

  test("the user's start-up files are read, login files only when asked for", async () => {
    await writeFile(join(home, '.bashrc'), "PS1='mine> '; greeting=hello; return 0\n");
    await writeFile(join(home, '.bash_profile'), 'profile=read\n');
    expect((await type(await openShell(), 'echo "$greeting $profile."\n')).text).toBe('mine> echo "$greeting $profile."\nhello .\nmine>');
    expect((await type(await openShell({ login: true }), 'echo "$greeting $profile."\n')).text).toContain('hello read.');
  });

  test('where they are not wanted there are none', async () => {
    const terminal = await openShell({ marks: false });
    expect(terminal.marks).toBe(false);
    expect(await type(terminal, 'echo plain; echo "[$PS0]"\n', 300)).toMatchObject({
      reason: 'elapsed',
      text: expect.stringContaining('[]'),
    });
  });
});

test('without bash the shell is sh: ready at once, waits take their full time', async () => {
  await symlink('/bin/sh', join(home, 'sh'));
  const before = performance.now();
  const terminal = await openShell({ sh: '/bin/sh', env: { PATH: home } });
  expect(performance.now() - before).toBeLessThan(LONG / 2);
  expect(terminal.marks).toBe(false);
  const keys = 'cat <<E; echo "in $0"\n\ttab\nE\n';
  expect(await type(terminal, keys, 300)).toMatchObject({ reason: 'elapsed', text: expect.stringContaining('in sh') });
});

describe('typing', () => {
  const typed = () => readFile(join(home, 'typed'), 'utf8');

  test('200 KB of here-document arrive intact, whatever the length of their lines', { timeout: 60_000 }, async () => {
    const terminal = await openShell();
    const lines = Array.from({ length: 3_000 }, (_, index) => `${index}\t${'abcdé ✓ $HOME `x` \\'.repeat(3)}`);
    lines.push('x'.repeat(20_000), `${'y'.repeat(4_095)}`, 'z'.repeat(9_000), '');
    const text = lines.join('\n');
    expect(Buffer.byteLength(text)).toBeGreaterThan(200_000);
    expect(await type(terminal, `cat > typed <<'END OF IT'\n${text}END OF IT\n`, 50_000)).toMatchObject({ reason: 'idle', exitCode: 0 });
    expect((await typed()) === text).toBe(true);
  });

  test('lines for a program arrive intact', { timeout: 60_000 }, async () => {
    const terminal = await openShell();
    const text = Array.from({ length: 5_000 }, (_, index) => `${index} ${'some text '.repeat(4)}\n`).join('');
    await terminal.send(encodeKeys(`cat > typed\n${text}`, 'fixed'));
    expect(await type(terminal, 'C-d', 50_000)).toMatchObject({ reason: 'idle', exitCode: 0 });
    expect((await typed()) === text).toBe(true);
  });

  test('lines go to the program that reads them', async () => {
    const terminal = await openShell();
    const script = "cat > ask.sh <<'E'\nread -p 'first? ' a; read -p 'second? ' b; echo \"<$a> <$b>\"\nE\n";
    expect(await type(terminal, `${script}bash ask.sh\none\ntwo\n`)).toMatchObject({
      reason: 'idle',
      text: expect.stringContaining('<one> <two>'),
    });
  });

  test('a long line after a slow command waits for the shell', async () => {
    const terminal = await openShell();
    const long = 'x'.repeat(30_000);
    expect(await type(terminal, `sleep 0.4\necho ${long} > typed\n`)).toMatchObject({ reason: 'idle', exitCode: 0 });
    expect((await typed()) === `${long}\n`).toBe(true);
  });

  test('letters of any language, also in the C locale', async () => {
    const terminal = await openShell({ env: { LC_ALL: 'C' } });
    expect((await type(terminal, 'echo "grüße 漢字 🎉 ✓"\n')).text).toContain('\ngrüße 漢字 🎉 ✓\n');
  });

  test('arrow keys reach a program in the form it asked for', async () => {
    const terminal = await openShell();
    await type(terminal, "printf '\\e[?1h'\n");
    expect(terminal.applicationCursor).toBe(true);
    await type(terminal, "printf '\\e[?1l'; echo again\n");
    expect((await type(terminal, 'Up', 200)).text).toContain('echo again');
  });
});
