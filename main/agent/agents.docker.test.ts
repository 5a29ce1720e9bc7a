import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentSettings, limitsConfig } from '../contract/schema/config.ts';
import { silent } from '../lib/log.ts';
import { createDockerProvider } from '../sandbox/docker.ts';
import { currentOwner } from '../sandbox/labels.ts';
import type { Sandbox, SandboxProvider } from '../sandbox/sandbox.ts';
import type { Task, TaskSolution } from '../task/task.ts';
import { openTerminal } from '../terminal/session.ts';
import { shellCommand } from '../terminal/shell.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { AgentContext } from './agent.ts';
import { agents } from './index.ts';
import { answering, playToEnd, stepsAt, taskNamed } from './playing.ts';

const image = 'termarium/base:1';

describe('agents in a container', () => {
  let provider: SandboxProvider;
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'termarium-oracle-'));
    provider = createDockerProvider({ lab: `test-${process.pid}`, owner: await currentOwner(), aliases: {}, log: silent });
  });
  afterAll(async () => {
    await provider[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  /** Opens a container with a shell, and hands both to a test. */
  async function inContainer(task: Task, use: (context: AgentContext, box: Sandbox, terminal: Terminal) => Promise<void>) {
    const network = { mode: 'none' as const, allowedHosts: [] };
    await using box = await provider.start({ image, resources: {}, network, profile: 'compatible', env: {}, labels: {}, workdir: '/srv' });
    const { command, env, token } = shellCommand();
    const screen = { cols: 160, rows: 40 };
    await using terminal = await openTerminal(await box.openTty({ command, env, ...screen }), { ...screen, token });
    await terminal.ready(10_000);
    const rest = {
      attempt: 0,
      model: null,
      sampling: {},
      limits: limitsConfig.parse({}),
      settings: agentSettings.parse({}),
      profiles: null,
      onDelta: () => undefined,
      onRestart: () => undefined,
      human: null,
      replay: null,
    };
    const timeLeftMs = () => Number.POSITIVE_INFINITY;
    await use({ task, sandbox: box, terminal, timeLeftMs, signal: new AbortController().signal, ...rest }, box, terminal);
  }

  async function taskWith(format: Task['format'], files: Record<string, string>, solution: TaskSolution): Promise<Task> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return { ...taskNamed('oracle-task', 'Do it.'), folder, format, solution };
  }

  it("run a Harbor task's solution with its files, environment, user and working directory", async () => {
    const script = 'echo "$WORD $(pwd) $(id -un)"\nsource "$(dirname "$0")/more.sh"\necho oops >&2\nexit 3\n';
    const files = { 'solution/solve.sh': script, 'solution/more.sh': 'echo more\n' };
    const task = await taskWith('harbor', files, { kind: 'script', path: join(folder, 'solution/solve.sh'), env: { WORD: 'a b' } });
    await inContainer({ ...task, agent: { timeoutSec: null, user: 'nobody' } }, async (context) => {
      const { steps, end } = await playToEnd(agents.oracle.play, context);
      expect(end).toEqual({ outcome: 'done', detail: 'the solution ended with exit code 3' });
      expect(stepsAt(steps, 'observation')[0]?.text).toBe('a b /srv nobody\nmore\noops\n(exit_code=3)');
      expect(stepsAt(steps, 'executed')[0]?.result.exitCode).toBe(3);
      expect(stepsAt(steps, 'response')[0]?.text).toContain('echo oops >&2');
    });
  });

  it('are not held up by a program that a solution leaves running', async () => {
    const files = { 'solution/solve.sh': 'sleep 300 &\necho started\n' };
    const task = await taskWith('harbor', files, { kind: 'script', path: join(folder, 'solution/solve.sh'), env: {} });
    await inContainer(task, async (context) => {
      const began = performance.now();
      const { steps, end } = await playToEnd(agents.oracle.play, context);
      expect(end.detail).toBe('the solution ended with exit code 0');
      expect(stepsAt(steps, 'observation')[0]?.text).toContain('started');
      expect(performance.now() - began).toBeLessThan(10_000);
    });
  });

  it('end a solution that takes longer than the task allows', async () => {
    const files = { 'solution/solve.sh': 'echo begun\nsleep 300\n' };
    const task = await taskWith('harbor', files, { kind: 'script', path: join(folder, 'solution/solve.sh'), env: {} });
    await inContainer(task, async (context) => {
      const end = performance.now() + 1000;
      const result = await playToEnd(agents.oracle.play, { ...context, timeLeftMs: () => end - performance.now() });
      expect(result.end.outcome).toBe('time_limit');
    });
  });

  it("type a Terminal-Bench 1 task's solution into the terminal", async () => {
    const task = await taskWith(
      'terminal-bench-1',
      { 'solution.sh': 'tty && echo "the answer is $((6*7))"\n' },
      { kind: 'script', path: join(folder, 'solution.sh'), env: {} },
    );
    await inContainer(task, async (context, _, terminal) => {
      const { steps, end } = await playToEnd(agents.oracle.play, context);
      expect(end.detail).toBe('the solution ended with exit code 0');
      expect(stepsAt(steps, 'command')[0]?.command.keystrokes).toBe('bash /oracle/solution.sh\n');
      expect(await terminal.screen()).toMatch(/\/dev\/pts\/\d+\nthe answer is 42/);
    });
  });

  it('type the commands of a solution.yaml, waiting for those that block', async () => {
    const step = { minTimeoutSec: 0, maxTimeoutSec: 60, appendEnter: true };
    const task = await taskWith(
      'terminal-bench-1',
      {},
      {
        kind: 'commands',
        commands: [
          { ...step, command: 'cd /tmp && sleep 0.5 && echo x > made', block: true },
          { ...step, command: 'cat', block: false },
          { ...step, command: 'typed', block: false, minTimeoutSec: 0.5 },
          { ...step, command: 'C-c', block: true, appendEnter: false },
          { ...step, command: 'cat made; pwd', block: true },
        ],
      },
    );
    await inContainer(task, async (context) => {
      const { steps, end } = await playToEnd(agents.oracle.play, context);
      expect(end).toEqual({ outcome: 'done', detail: 'typed 5 commands of the solution' });
      expect(stepsAt(steps, 'executed').map((step) => step.result.settled)).toEqual(['idle', 'elapsed', 'elapsed', 'idle', 'idle']);
      expect(stepsAt(steps, 'observation').at(-1)?.text).toMatch(/\nx\n\/tmp\n/);
    });
  });

  it('give up where there is no solution', async () => {
    await inContainer(taskNamed('bare', 'Do it.'), async (context) => {
      const { steps, end } = await playToEnd(agents.oracle.play, context);
      expect(end).toEqual({ outcome: 'gave_up', detail: 'the task has no solution: there is no solution folder' });
      expect(steps).toEqual([]);
    });
  });

  it('do nothing if that is their task', async () => {
    await inContainer(taskNamed('bare', 'Do it.'), async (context) => {
      expect(await playToEnd(agents.nop.play, context)).toEqual({ steps: [], end: { outcome: 'done', detail: 'did nothing, on purpose' } });
    });
  });

  it('end with killed_sandbox when they leave the shell', async () => {
    await inContainer(taskNamed('bare', 'Do it.'), async (context) => {
      const text = JSON.stringify({ analysis: '', plan: '', commands: [{ keystrokes: 'exit\n', duration: 20 }] });
      const { end } = await playToEnd(agents.terminus.play, { ...context, model: answering([{ text }]) });
      expect(end).toEqual({ outcome: 'killed_sandbox', detail: 'the shell of the terminal ended; the container runs on' });
    });
  });
});
