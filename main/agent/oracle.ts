// Plays the solution that a task brings along. What it solves is solvable.
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { boundary } from '../lib/errors.ts';
import type { ExecResult } from '../sandbox/sandbox.ts';
import type { TaskSolution } from '../task/task.ts';
import type { Agent, AgentContext, AgentEnd, Command, Step } from './agent.ts';
import { playCommand, type Shell, shellGone } from './command.ts';

/** Where Harbor and Terminal-Bench 1 put a solution inside the container. */
const HARBOR_FOLDER = '/solution';
const TB1_FOLDER = '/oracle';

/** Bytes of the script and of its output that are kept in the trajectory. */
const KEPT_BYTES = 64 * 1024;
/** Stands for no limit at all, in a duration that must be a number. */
const LONGEST_SOLUTION_SEC = 86_400;

export const oracle: Agent = async function* (context) {
  const { solution } = context.task;
  if (solution.kind === 'missing') return { outcome: 'gave_up', detail: `the task has no solution: ${solution.reason}` };
  yield { at: 'prompt', turn: 0, messages: [{ role: 'user', content: context.task.instruction, author: 'template' }] };
  switch (solution.kind) {
    case 'script':
      return yield* context.task.format === 'terminal-bench-1' && context.terminal.marks
        ? typeScript(context, solution)
        : runScript(context, solution);
    case 'commands':
      return yield* typeCommands(context, solution);
  }
};

/** Harbor's way: a plain process without a terminal, so that a pager or a question cannot hold it up. */
async function* runScript(context: AgentContext, solution: TaskSolution & { kind: 'script' }): AsyncGenerator<Step, AgentEnd, void> {
  const { sandbox, signal, task, terminal } = context;
  const script = await uploadScript(context, solution);
  const command: Command = { keystrokes: `bash ${script}\n`, duration: 0 };
  const at = { turn: 0, index: 0 };
  yield {
    at: 'response',
    turn: 0,
    author: 'template',
    text: await describe(solution),
    completion: null,
    format: null,
    commands: [command],
  };
  yield { at: 'command', ...at, command, startedAt: Date.now(), from: terminal.bytes.end };
  const startedAt = Date.now();
  const left = context.timeLeftMs();
  const ended = await sandbox.exec(['bash', script], {
    env: solution.env,
    outputLimit: KEPT_BYTES,
    signal,
    ...(task.agent.user === null ? {} : { user: task.agent.user }),
    ...(Number.isFinite(left) ? { timeoutMs: Math.max(1, left) } : {}),
  });
  yield {
    at: 'executed',
    ...at,
    result: {
      exitCode: ended.timedOut ? null : ended.exitCode,
      settled: ended.timedOut ? 'elapsed' : 'exited',
      startedAt,
      endedAt: Date.now(),
      from: terminal.bytes.end,
      to: terminal.bytes.end,
    },
  };
  yield { at: 'observation', turn: 0, text: outputText(ended) };
  if (ended.timedOut) return { outcome: 'time_limit', detail: 'the solution was still running when its time was over' };
  return { outcome: 'done', detail: `the solution ended with exit code ${ended.exitCode}` };
}

/** Terminal-Bench 1's way: typed into the agent's terminal, so that tests in the same shell find what it left. */
async function* typeScript(context: AgentContext, solution: TaskSolution & { kind: 'script' }): AsyncGenerator<Step, AgentEnd, void> {
  const script = await uploadScript(context, solution);
  const command: Command = { keystrokes: `bash ${script}\n`, duration: Math.min(context.timeLeftMs() / 1000, LONGEST_SOLUTION_SEC) };
  yield {
    at: 'response',
    turn: 0,
    author: 'template',
    text: await describe(solution),
    completion: null,
    format: null,
    commands: [command],
  };
  const result = yield* playCommand(context, { atPrompt: true }, { turn: 0, index: 0 }, command, { wait: context.timeLeftMs() });
  yield { at: 'observation', turn: 0, text: (await context.terminal.observe(KEPT_BYTES)).text };
  if (result.settled === 'exited') return shellGone(context);
  if (result.settled === 'elapsed') return { outcome: 'time_limit', detail: 'the solution was still running when its time was over' };
  return { outcome: 'done', detail: `the solution ended with exit code ${result.exitCode ?? 'unknown'}` };
}

/** solution.yaml: one turn for each command. A blocking one is waited for; the others get their shortest time. */
async function* typeCommands(context: AgentContext, solution: TaskSolution & { kind: 'commands' }): AsyncGenerator<Step, AgentEnd, void> {
  const shell: Shell = { atPrompt: true };
  for (const [turn, step] of solution.commands.entries()) {
    const seconds = step.block ? step.maxTimeoutSec : step.minTimeoutSec;
    const command: Command = { keystrokes: step.appendEnter ? `${step.command}\n` : step.command, duration: seconds };
    yield { at: 'response', turn, author: 'template', text: step.command, completion: null, format: null, commands: [command] };
    const result = yield* playCommand(context, shell, { turn, index: 0 }, command, { wait: seconds * 1000, keyMode: 'strict' });
    yield { at: 'observation', turn, text: (await context.terminal.observe()).text };
    if (result.settled === 'exited') return shellGone(context);
  }
  return { outcome: 'done', detail: `typed ${solution.commands.length} commands of the solution` };
}

/** Puts the solution into the container and answers the path of its script there. */
async function uploadScript(context: AgentContext, solution: TaskSolution & { kind: 'script' }): Promise<string> {
  const { sandbox, task } = context;
  const name = basename(solution.path);
  if (task.format === 'harbor') {
    await sandbox.upload(HARBOR_FOLDER, [{ path: '.', from: dirname(solution.path) }]);
    return `${HARBOR_FOLDER}/${name}`;
  }
  await sandbox.upload(TB1_FOLDER, [{ path: name, from: solution.path }]);
  return `${TB1_FOLDER}/${name}`;
}

async function describe(solution: TaskSolution & { kind: 'script' }): Promise<string> {
  const text = await boundary('task.invalid', `read the solution ${solution.path}`, () => readFile(solution.path, 'utf8'));
  const shown = text.length > KEPT_BYTES ? `${text.slice(0, KEPT_BYTES)}\n[${text.length - KEPT_BYTES} more characters]` : text;
  return `The task's own solution, ${basename(solution.path)}:\n\n${shown}`;
}

function outputText(ended: ExecResult): string {
  const parts = [ended.stdout, ended.stderr].filter((part) => part.trim() !== '').map((part) => part.trimEnd());
  if (ended.omittedBytes > 0) parts.push(`[${ended.omittedBytes} bytes of output left out]`);
  return [...parts, ended.timedOut ? '(still running)' : `(exit_code=${ended.exitCode})`].join('\n');
}
