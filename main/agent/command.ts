// How every agent that works in the terminal runs one command, and how it finds out that the terminal is gone.
import { encodeKeys, type KeyMode } from '../terminal/keys.ts';
import type { AgentContext, AgentEnd, Command, CommandResult, Step } from './agent.ts';

/** No single command waits longer, whatever duration it asks for. */
const LONGEST_WAIT_SEC = 60;

/** A wait as a Terminus-2 duration says it: 0 for less than nothing and for NaN, 60 s at most. */
export function waitMs(duration: number): number {
  return Number.isNaN(duration) ? 0 : Math.max(0, Math.min(duration, LONGEST_WAIT_SEC)) * 1000;
}

/** What the terminal was doing when it was last waited for. At a prompt, a command without keys asks to wait for something else. */
export interface Shell {
  atPrompt: boolean;
}

/**
 * Sends one command's keys and waits for it: until the shell is back at its prompt, or for `wait` ms. A command without keys is a
 * request to wait, so at a prompt it gets its full time. Yields `command` and `executed`; a command cut off by the signal is yielded
 * as `interrupted` before the reason is thrown. `full`: always waits the whole time, less what sending took, as Terminus-2 does.
 */
export async function* playCommand(
  context: AgentContext,
  shell: Shell,
  at: { turn: number; index: number },
  command: Command,
  { wait = waitMs(command.duration), keyMode = 'fixed', full = false }: { wait?: number; keyMode?: KeyMode; full?: boolean } = {},
): AsyncGenerator<Step, CommandResult, void> {
  const { terminal, signal } = context;
  yield { at: 'command', ...at, command, startedAt: Date.now(), from: terminal.bytes.end };
  signal.throwIfAborted();
  const startedAt = Date.now();
  const from = terminal.bytes.end;
  const ended = (settled: CommandResult['settled'], exitCode: number | null): CommandResult => ({
    exitCode,
    settled,
    startedAt,
    endedAt: Date.now(),
    from,
    to: terminal.bytes.end,
  });
  let result: CommandResult;
  try {
    const keys = encodeKeys(command.keystrokes, keyMode, terminal);
    if (keys !== '' && !terminal.exited) await terminal.send(keys);
    const early = !full && !(shell.atPrompt && command.keystrokes.trim() === '');
    const left = full ? Math.max(0, wait - (Date.now() - startedAt)) : wait;
    const settled = await terminal.settle(left, { early, signal });
    shell.atPrompt = settled.reason === 'idle' || (!early && settled.reason === 'elapsed');
    result = ended(settled.reason, settled.exitCode);
  } catch (error) {
    if (signal.aborted) {
      yield { at: 'executed', ...at, result: ended('interrupted', null) };
      throw error;
    }
    if (!terminal.exited) throw error;
    result = ended('exited', null);
  }
  yield { at: 'executed', ...at, result };
  return result;
}

/** The end of a rollout whose shell is gone. Fails with the sandbox's own error where not even the engine answers. */
export async function shellGone(context: AgentContext): Promise<AgentEnd> {
  const why = await context.sandbox.whyEnded();
  return {
    outcome: 'killed_sandbox',
    detail: why === null ? 'the shell of the terminal ended; the container runs on' : `the container ended because ${why}`,
  };
}
