// One answer for the whole task, as the first GRPO rollouts had it: [system, user] → one JSON with all commands → run in order → graded.
import type { Agent } from './agent.ts';
import { playCommand, type Shell, shellGone } from './command.ts';
import { requireModel, type Spent, sampleTurn } from './conversation.ts';
import { fitInstruction, loadBuiltIn, openingMessages } from './profile.ts';
import { terminalText } from './terminus/feedback.ts';
import { parseAnswer } from './terminus/parse.ts';

export const batch: Agent = async function* (context) {
  const model = requireModel(context);
  const { terminal, settings, signal } = context;
  const profile = await loadBuiltIn('batch');
  const instruction = fitInstruction(context.task.instruction, await model.contextLimit(signal));
  const terminalState = terminalText(await terminal.observe(profile.observationBytes));
  const opening = openingMessages(profile, { instruction, terminalState });
  yield { at: 'prompt', turn: 0, messages: opening.map((message) => ({ ...message, author: 'template' })) };

  const spent: Spent = { promptTokens: 0, completionTokens: 0 };
  const completion = yield* sampleTurn(context, model, opening, 0, spent);
  if (completion.finish === 'context') return { outcome: 'context_full', detail: 'the task does not fit into the context' };
  const cut = completion.finish === 'length';
  const answer = parseAnswer(completion.text, settings.mode === 'strict' ? 'strict' : 'robust');
  // Half of what was meant is not what was meant: nothing of a cut answer is run.
  const commands = cut ? [] : answer.commands;
  yield { at: 'response', turn: 0, author: 'sampled', text: completion.text, completion, format: answer.format, commands };
  if (cut) return { outcome: 'format_limit', detail: 'the answer was cut off by the token limit' };
  if (answer.error !== null) return { outcome: 'format_limit', detail: `the answer could not be read: ${answer.error}` };

  const shell: Shell = { atPrompt: true };
  for (const [index, command] of commands.entries()) {
    const result = yield* playCommand(context, shell, { turn: 0, index }, command);
    if (result.settled === 'exited') break;
  }
  yield { at: 'observation', turn: 0, text: terminalText(await terminal.observe(profile.observationBytes)) };
  if (terminal.exited) return shellGone(context);
  return { outcome: 'done', detail: `ran ${commands.length} commands of one answer` };
};
