// Plays a recorded trial back: the same keys into a fresh container, and a note where it first shows something else.
import { AppError } from '../lib/errors.ts';
import type { Agent, AgentContext, Step } from './agent.ts';
import { playCommand, type Shell, shellGone, waitMs } from './command.ts';
import { endsAtPrompt, firstDivergence } from './divergence.ts';
import { findTrial, type RecordedTurn, readRecording } from './recording.ts';
import { terminalText } from './terminus/feedback.ts';

/**
 * How long a command may take here that had ended when its turn was recorded. Machines differ in speed, and a later turn that
 * relies on it must not find it half done.
 */
const SLOWEST_MS = 60_000;
/** The same for a command that is followed by others: there is no telling whether it had ended, or reads what follows. */
const SLOWEST_BETWEEN_MS = 3_000;

export const replay: Agent = async function* (context) {
  if (context.replay === null) {
    throw new AppError('request.invalid', 'the replay agent has nothing to play back', {
      hint: 'Set `replay` in the configuration of the run to a recorded trial or a folder of trials.',
    });
  }
  const recording = await readRecording(await findTrial(context.replay, context.task.name, context.attempt));
  const prompt = recording.prompt ?? context.task.instruction;
  yield { at: 'prompt', turn: 0, messages: [{ role: 'user', content: prompt, author: 'template' }] };
  yield { at: 'note', turn: 0, text: `Plays back ${recording.turns.length} turns of ${recording.path}.` };
  // The first screen was part of the recorded prompt.
  await context.terminal.observe();

  const shell: Shell = { atPrompt: true };
  let diverged = false;
  for (const [turn, recorded] of recording.turns.entries()) {
    const { text, commands } = recorded;
    context.signal.throwIfAborted();
    yield { at: 'response', turn, author: 'sampled', text, completion: null, format: null, commands };
    yield* playRecorded(context, shell, turn, recorded);
    const seen = terminalText(await context.terminal.observe());
    yield { at: 'observation', turn, text: seen };
    const typed = commands.map((command) => command.keystrokes).join('\n');
    const divergence =
      diverged || recorded.observation === null || commands.length === 0 ? null : firstDivergence(recorded.observation, seen, typed);
    if (divergence) {
      diverged = true;
      const shown = `recorded:\n${divergence.recorded}\n\nplayed:\n${divergence.played}`;
      yield { at: 'note', turn, text: `The playback first shows something else in turn ${turn}.\n\n${shown}` };
    }
    if (context.terminal.exited) return shellGone(context);
  }
  const complete = recording.turns.at(-1)?.complete ?? false;
  return {
    outcome: 'done',
    detail: complete ? 'played back to its end' : 'played back to its end, where the model had not said that it was done',
  };
};

async function* playRecorded(context: AgentContext, shell: Shell, turn: number, recorded: RecordedTurn): AsyncGenerator<Step, void, void> {
  const { marks } = context.terminal;
  const ended = recorded.observation !== null && endsAtPrompt(recorded.observation);
  for (const [index, command] of recorded.commands.entries()) {
    const asked = waitMs(command.duration);
    const blank = command.keystrokes.trim() === '';
    const last = index === recorded.commands.length - 1;
    // Without marks a longer wait never ends early, so the recorded one is all there is.
    const wait = !marks || !ended || (blank && shell.atPrompt) ? asked : Math.max(asked, last ? SLOWEST_MS : SLOWEST_BETWEEN_MS);
    const result = yield* playCommand(context, shell, { turn, index }, command, { wait, keyMode: 'strict' });
    if (result.settled === 'exited') return;
  }
}
