// Opens the agent's shell in a sandbox and waits for its first prompt.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AgentName } from '../contract/schema/config.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Task } from '../task/task.ts';
import { openRecorder, type Recorder } from '../terminal/recorder.ts';
import { openTerminal } from '../terminal/session.ts';
import { shellCommand } from '../terminal/shell.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** How long a shell may take to show its first prompt. */
const FIRST_PROMPT_MS = 10_000;

/** A shell in a box: its terminal, and the recording of it. */
export interface RecordedShell extends AsyncDisposable {
  terminal: Terminal;
  recorder: Recorder;
}

/**
 * Opens a terminal on a new shell in the box, recorded to `recordingPath`. Resolves at the first prompt. The shell is the user's whom the
 * task names for its agent; nop types nothing, so for it any user will do, also where the image lacks that one. A `bare` shell is the
 * login shell that Terminus-2 has: it tells nothing about its prompts, and every row of its output can be captured.
 */
export async function openShell(
  box: Sandbox,
  who: { task: Task; agent: AgentName; bare?: boolean },
  screen: { cols: number; rows: number },
  recordingPath: string,
  signal: AbortSignal,
): Promise<RecordedShell> {
  await mkdir(dirname(recordingPath), { recursive: true });
  await using opening = new AsyncDisposableStack();
  const user = who.agent === 'nop' ? null : who.task.agent.user;
  const bare = who.bare ?? false;
  const { command, env, token } = shellCommand(bare ? { marks: false, login: true } : {});
  const recorder = opening.use(await openRecorder(recordingPath, screen));
  const connection = await box.openTty({ command, env, ...screen, ...(user === null ? {} : { user }) });
  const terminal = opening.use(await openTerminal(connection, { ...screen, token, recorder, everyRow: bare }));
  await terminal.ready(FIRST_PROMPT_MS, signal);
  const open = opening.move();
  return { terminal, recorder, [Symbol.asyncDispose]: () => open.disposeAsync() };
}
