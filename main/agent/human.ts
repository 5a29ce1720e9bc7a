// The researcher at the keyboard. What is typed goes straight to the terminal; each line that is sent becomes a turn of the
// trajectory, written down when it has ended, so that it carries its real duration, exit code and output.
import { isAbort } from '../lib/abort.ts';
import { AppError, assertNever } from '../lib/errors.ts';
import type { Settled } from '../terminal/terminal.ts';
import type { Agent, AgentContext, Command, CommandResult, HumanAction, Step } from './agent.ts';
import { shellGone } from './command.ts';
import { endsInput, typedText } from './keyboard.ts';
import { terminalText } from './terminus/feedback.ts';

/** As long as timers can wait: a human's command is waited for until it ends or the next keys are sent. */
const UNTIL_IDLE_MS = 2 ** 31 - 1;

/** A command that was sent and has not ended. */
interface Running {
  keystrokes: string;
  startedAt: number;
  from: number;
  settled: Promise<Settled>;
  stopWaiting: AbortController;
}

export const human: Agent = async function* (context) {
  const { terminal, signal } = context;
  if (!context.human) {
    throw new AppError('request.invalid', 'a human agent needs someone at the keyboard', {
      hint: 'Start it from the window or the browser.',
    });
  }
  yield { at: 'prompt', turn: 0, messages: [{ role: 'user', content: context.task.instruction, author: 'template' }] };
  // What is on the screen before the first command is no part of its output.
  await terminal.observe();

  using aborted = whenAborted(signal);
  const actions = context.human[Symbol.asyncIterator]();
  let next = actions.next();
  /** Keys of the line being typed, and those of them that the terminal has not got yet. */
  let pending = '';
  let unsent = '';
  let running: Running | null = null;
  let turn = 0;

  for (;;) {
    const event: IteratorResult<HumanAction> | Settled = await Promise.race([next, aborted.promise, ...(running ? [running.settled] : [])]);
    if ('reason' in event) {
      if (running) yield* recordTurn(context, turn++, running, event);
      running = null;
      if (event.reason === 'exited') return shellGone(context);
      // Keys that the ended program got and that no Enter followed, such as the q that leaves a pager.
      if (pending !== '') yield* recordKeys(context, turn++, pending);
      pending = '';
      continue;
    }
    if (event.done) {
      if (running) yield* recordTurn(context, turn, running, await stop(running));
      return { outcome: 'gave_up', detail: 'the connection to the human ended' };
    }
    next = actions.next();
    const action = event.value;
    switch (action.action) {
      case 'submit':
      case 'give_up':
        if (running) yield* recordTurn(context, turn, running, await stop(running));
        return action.action === 'submit'
          ? { outcome: 'done', detail: 'handed in by the human' }
          : { outcome: 'gave_up', detail: 'the human gave up' };
      case 'note':
        yield { at: 'note', turn, text: action.text };
        break;
      case 'pause':
        yield { at: 'note', turn, text: 'The human stopped the clock.' };
        break;
      case 'continue':
        yield { at: 'note', turn, text: 'The human started the clock again.' };
        break;
      case 'type':
        for (const key of action.data) {
          pending += key;
          unsent += key;
          if (!endsInput(pending)) continue;
          if (running) yield* recordTurn(context, turn++, running, await stop(running));
          // At a prompt an empty line does nothing, and C-c only drops what was typed.
          const idle: boolean = running === null && (pending.trim() === '' || pending.endsWith('\x03'));
          running = idle ? await sendOnly(context, unsent) : await sendLine(context, typedText(pending), unsent);
          pending = '';
          unsent = '';
        }
        if (unsent !== '') await terminal.send(unsent);
        unsent = '';
        break;
      default:
        assertNever(action);
    }
  }
};

/** Sends the keys that complete a line and begins to wait for what they start. */
async function sendLine(context: AgentContext, keystrokes: string, keys: string): Promise<Running> {
  const { terminal, signal } = context;
  const startedAt = Date.now();
  const from = terminal.bytes.end;
  await terminal.send(keys);
  const stopWaiting = new AbortController();
  const settled = terminal.settle(UNTIL_IDLE_MS, { early: true, signal: AbortSignal.any([signal, stopWaiting.signal]) });
  return { keystrokes, startedAt, from, settled, stopWaiting };
}

async function sendOnly(context: AgentContext, keys: string): Promise<null> {
  await context.terminal.send(keys);
  return null;
}

/** Ends the wait for a command that still runs when the next keys come. */
async function stop(running: Running): Promise<Settled> {
  running.stopWaiting.abort();
  try {
    return await running.settled;
  } catch (error) {
    if (!isAbort(error)) throw error;
    return { reason: 'elapsed', exitCode: null, elapsedMs: Date.now() - running.startedAt };
  }
}

async function* recordTurn(context: AgentContext, turn: number, running: Running, settled: Settled): AsyncGenerator<Step, void, void> {
  const { keystrokes, startedAt, from } = running;
  const command: Command = { keystrokes, duration: Math.max(0.1, Math.round(settled.elapsedMs / 100) / 10) };
  const result = {
    exitCode: settled.exitCode,
    settled: settled.reason,
    startedAt,
    endedAt: Date.now(),
    from,
    to: context.terminal.bytes.end,
  };
  yield* record(context, turn, command, result);
}

/** Keys that were sent without an Enter, while a program ran that has ended since. */
async function* recordKeys(context: AgentContext, turn: number, keys: string): AsyncGenerator<Step, void, void> {
  const now = Date.now();
  const end = context.terminal.bytes.end;
  const result: CommandResult = { exitCode: null, settled: 'idle', startedAt: now, endedAt: now, from: end, to: end };
  yield* record(context, turn, { keystrokes: typedText(keys), duration: 0.1 }, result);
}

async function* record(context: AgentContext, turn: number, command: Command, result: CommandResult): AsyncGenerator<Step, void, void> {
  const { startedAt, from } = result;
  const text = command.keystrokes.trimEnd();
  yield { at: 'response', turn, author: 'human', text, completion: null, format: null, commands: [command] };
  yield { at: 'command', turn, index: 0, command, startedAt, from };
  yield { at: 'executed', turn, index: 0, result };
  yield { at: 'observation', turn, text: terminalText(await context.terminal.observe()) };
}

/** A promise that only ever rejects, with the signal's reason. */
function whenAborted(signal: AbortSignal): { promise: Promise<never> } & Disposable {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  // Nobody may be waiting for it when it comes.
  promise.catch(() => undefined);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return { promise, [Symbol.dispose]: () => signal.removeEventListener('abort', abort) };
}
