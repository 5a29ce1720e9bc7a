// The Terminus-2 loop: show the terminal, sample an answer, send its keys, show the terminal again, until the model says twice that
// the task is complete or a limit is reached.
import type { Completion } from '../../model/model.ts';
import type { Agent, AgentContext, CommandResult, Step } from '../agent.ts';
import { playCommand, type Shell, shellGone } from '../command.ts';
import { sampleFitting } from '../context/compact.ts';
import { addAnswer, remember } from '../context/memory.ts';
import { limitReached, requireModel, type Spent } from '../conversation.ts';
import { fitInstruction, loadProfile, openingMessages } from '../profile.ts';
import { type Answer, type ParsedAnswer, refused } from './answer.ts';
import { formatComplaint } from './feedback.ts';
import { fixedManner, type Manner, strictManner } from './manner.ts';
import { type AnswerFormat, answerFormats } from './parsers.ts';

/** How often in a row a model is told to keep its answers shorter. */
const MOST_CUT = 3;

export const terminus: Agent = async function* (context) {
  const model = requireModel(context);
  const { terminal, limits, signal } = context;
  const { settings } = context;
  const profile = await loadProfile(settings.profile ?? answerFormats[settings.parser].profile, context.profiles);
  const format = answerFormats[profile.parser ?? settings.parser];
  const strict = settings.mode === 'strict';
  const manner = strict ? strictManner(terminal, format) : fixedManner(terminal, format, profile.observationBytes);
  const limit = await model.contextLimit(signal);
  const instruction = manner.fitsInstruction ? fitInstruction(context.task.instruction, limit) : context.task.instruction;
  const terminalState = await manner.observe();
  const opening = openingMessages(profile, { instruction, terminalState });
  const memory = remember(opening, limit, model.countTokens);
  yield { at: 'prompt', turn: 0, messages: opening.map((message) => ({ ...message, author: 'template' })) };

  const shell: Shell = { atPrompt: true };
  const spent: Spent = { promptTokens: 0, completionTokens: 0 };
  const row = { errors: 0, cut: 0, repeats: 0 };
  let claimed = false;
  let last = '';

  for (let turn = 0; turn < limits.turns; turn += 1) {
    const completion = yield* sampleFitting(context, model, memory, turn, spent);
    if (completion.finish === 'context') return { outcome: 'context_full', detail: 'the conversation no longer fits into the context' };

    const { text, cut, ...answer } = readAnswer(completion, format, manner);
    addAnswer(memory, text, completion);
    const { commands } = answer;
    yield { at: 'response', turn, author: 'sampled', text, completion, format: answer.format, commands };

    let reply: string;
    let results: CommandResult[] = [];
    if (answer.error === null) {
      results = yield* playCommands(context, shell, turn, answer, manner);
      const seen = await manner.observe();
      const finished = answer.complete && claimed;
      reply = finished ? seen : manner.turnAnswer(answer, seen);
      yield { at: 'observation', turn, text: reply };
      if (results.at(-1)?.settled === 'exited' || terminal.exited) return shellGone(context);
      if (finished) return { outcome: 'done', detail: 'the model confirmed that the task is complete' };
      claimed = answer.complete;
    } else {
      reply = cut
        ? manner.cutComplaint(context.sampling.maxTokens, answer.warnings)
        : formatComplaint(answer.error, answer.warnings, format);
      yield { at: 'observation', turn, text: reply };
    }
    memory.messages.push({ role: 'user', content: reply });
    const ran = commands.map(({ keystrokes }, index) => ({ keystrokes, exitCode: results[index]?.exitCode ?? null }));
    memory.memos.push({ turn, commands: ran, seen: reply });

    const keys = commands.map((command) => command.keystrokes).join('\0');
    row.repeats = keys === last && keys.trim() !== '' ? row.repeats + 1 : 1;
    last = keys;
    row.cut = cut ? row.cut + 1 : 0;
    row.errors = answer.error === null || cut ? 0 : row.errors + 1;
    if (row.cut > MOST_CUT) return { outcome: 'format_limit', detail: `${row.cut} answers in a row were cut off by the token limit` };
    const end = limitReached(limits, spent, row);
    if (end) return end;
  }
  return { outcome: 'turn_limit', detail: `played all ${limits.turns} turns` };
};

/**
 * What the answer asks for. Nothing of a cut answer is done, even where the part that arrived could be read, unless the manner says that
 * a part of it stands for the whole.
 */
function readAnswer(completion: Completion, { parse }: AnswerFormat, manner: Manner): ParsedAnswer & { text: string; cut: boolean } {
  const { text, finish } = completion;
  if (finish !== 'length') return { ...parse(text, manner.parser), text, cut: false };
  const salvaged = manner.salvage(text);
  if (salvaged !== null) return { ...parse(salvaged, manner.parser), text: salvaged, cut: false };
  const { format, warnings } = parse(text, manner.parser);
  const error = 'The answer was cut off by the token limit';
  return { ...refused(error, warnings), format: { ...format, problems: [error, ...format.problems] }, text, cut: true };
}

/** Sends the commands one after the other; stops where the shell is gone. */
async function* playCommands(
  context: AgentContext,
  shell: Shell,
  turn: number,
  { commands, complete }: Answer,
  { playing, wait }: Manner,
): AsyncGenerator<Step, CommandResult[], void> {
  if (commands.length === 0 && !complete && wait !== null) {
    await context.terminal.settle(wait.duration * 1000, { early: !shell.atPrompt, signal: context.signal });
    return [];
  }
  const results: CommandResult[] = [];
  for (const [index, command] of commands.entries()) {
    const result = yield* playCommand(context, shell, { turn, index }, command, playing);
    results.push(result);
    if (result.settled === 'exited') break;
  }
  return results;
}
