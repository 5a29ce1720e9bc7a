// The Endless-Terminals loop: think, run one command, see its output and exit code, until the model says that it is done.
import { limitsConfig } from '../contract/schema/config.ts';
import type { ChatMessage } from '../model/model.ts';
import type { Agent, AgentContext, AgentEnd, Command, CommandResult, FormatVerdict, Step } from './agent.ts';
import { atMost, timed } from './clock.ts';
import { playCommand, type Shell, shellGone } from './command.ts';
import { limitReached, requireModel, type Spent, sampleTurn } from './conversation.ts';
import { fitInstruction, loadBuiltIn, openingMessages, type PromptProfile } from './profile.ts';

/** Seconds that one command may take before the model is shown what there is so far. */
const COMMAND_SECONDS = 30;

const NUDGE =
  'Your answer could not be used: it holds neither <command>…</command> nor <action>done</action>. Nothing was run. Answer again and end with exactly one of the two.';
const CUT =
  'Your answer was cut off by the token limit before it was complete. Nothing was run. Think in fewer words and send a shorter command.';

export type Action = { kind: 'command'; command: string } | { kind: 'done' } | { kind: 'invalid' };

/** Turns and time are the protocol's own where the run leaves its limits at their defaults. */
export const minimal: Agent = async function* (context) {
  const profile = await loadBuiltIn('minimal');
  const { limits } = context;
  const turns = limits.turns === limitsConfig.parse({}).turns ? (profile.limits.turns ?? limits.turns) : limits.turns;
  const seconds = limits.seconds === null ? profile.limits.seconds : undefined;
  const timeLeftMs = seconds === undefined ? context.timeLeftMs : atMost(context.timeLeftMs, seconds * 1000);
  return yield* timed((own) => converse(own, profile))({ ...context, limits: { ...limits, turns }, timeLeftMs });
};

async function* converse(context: AgentContext, profile: PromptProfile): AsyncGenerator<Step, AgentEnd, void> {
  const { terminal, limits } = context;
  const model = requireModel(context);
  // What is on the screen before the first command is no part of its output.
  const terminalState = (await terminal.observe(profile.observationBytes)).text;
  const instruction = fitInstruction(context.task.instruction, await model.contextLimit(context.signal));
  const opening = openingMessages(profile, { instruction, terminalState });
  const history: ChatMessage[] = opening;
  yield { at: 'prompt', turn: 0, messages: opening.map((message) => ({ ...message, author: 'template' })) };

  const shell: Shell = { atPrompt: true };
  const spent: Spent = { promptTokens: 0, completionTokens: 0 };
  const row = { errors: 0, repeats: 0 };
  let last = '';
  for (let turn = 0; turn < limits.turns; turn += 1) {
    const completion = yield* sampleTurn(context, model, history, turn, spent);
    if (completion.finish === 'context') return { outcome: 'context_full', detail: 'the conversation no longer fits into the context' };
    history.push({ role: 'assistant', content: completion.text });
    const action: Action = completion.finish === 'length' ? { kind: 'invalid' } : readAction(completion.text);
    const commands: Command[] = action.kind === 'command' ? [{ keystrokes: `${action.command}\n`, duration: COMMAND_SECONDS }] : [];
    yield {
      at: 'response',
      turn,
      author: 'sampled',
      text: completion.text,
      completion,
      format: formatOf(completion.text, action),
      commands,
    };

    if (action.kind === 'done') return { outcome: 'done', detail: 'the model said that it is done' };
    let reply = completion.finish === 'length' ? CUT : NUDGE;
    for (const command of commands) {
      const result = yield* playCommand(context, shell, { turn, index: 0 }, command);
      reply = observationText(result, (await terminal.observe(profile.observationBytes)).text);
    }
    yield { at: 'observation', turn, text: reply };
    if (terminal.exited) return shellGone(context);
    history.push({ role: 'user', content: reply });

    const typed = action.kind === 'command' ? action.command : '';
    row.repeats = typed === last && typed !== '' ? row.repeats + 1 : 1;
    last = typed;
    row.errors = action.kind === 'invalid' ? row.errors + 1 : 0;
    const end = limitReached(limits, spent, row);
    if (end) return end;
  }
  return { outcome: 'turn_limit', detail: `played all ${limits.turns} turns` };
}

/**
 * What an answer asks for: done wherever it says so, else its last command. A command that is just the word done is taken for the
 * marker, as models often mean it.
 */
export function readAction(text: string): Action {
  if (/<action>\s{0,100}done\s{0,100}<\/action>/i.test(text)) return { kind: 'done' };
  const command = commandsIn(text).at(-1)?.trim() ?? '';
  if (command === '') return { kind: 'invalid' };
  return command.toLowerCase() === 'done' ? { kind: 'done' } : { kind: 'command', command };
}

function commandsIn(text: string): string[] {
  const found: string[] = [];
  let open = text.indexOf('<command>');
  while (open !== -1) {
    const from = open + '<command>'.length;
    const close = text.indexOf('</command>', from);
    if (close === -1) return found;
    found.push(text.slice(from, close));
    open = text.indexOf('<command>', close);
  }
  return found;
}

/** `strict`: exactly one marker, as the prompt asks. `robust`: something that can be acted on. */
function formatOf(text: string, action: Action): FormatVerdict {
  const markers = commandsIn(text).length + text.split(/<action>/i).length - 1;
  const robust = action.kind !== 'invalid';
  const problems = robust ? [] : ['no <command> and no <action>done</action>'];
  if (markers > 1) problems.push(`${markers} markers where one is asked for`);
  return { strict: robust && markers === 1, robust, problems };
}

function observationText(result: CommandResult, output: string): string {
  switch (result.settled) {
    case 'elapsed':
    case 'interrupted':
      return `The command is still running after ${COMMAND_SECONDS} s. Output so far: ${output}\n\nSend <command>C-c</command> to stop it, or input for it as the next command.`;
    case 'exited':
      return `The shell has ended. Output: ${output}`;
    case 'idle': {
      const said = result.exitCode === null || result.exitCode === 0 ? 'Command executed successfully.' : 'Command failed.';
      return `${said} Output: ${output}\n\n(exit_code=${result.exitCode ?? 'unknown'})`;
    }
  }
}
