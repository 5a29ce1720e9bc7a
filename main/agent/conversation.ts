// What agents that talk to a model share: sampling one answer, and the limits that end a conversation.
import type { LimitsConfig } from '../contract/schema/config.ts';
import { AppError } from '../lib/errors.ts';
import type { ChatMessage, Completion, Model } from '../model/model.ts';
import type { AgentContext, AgentEnd, Step } from './agent.ts';

/** Tokens of the rollout so far. */
export interface Spent {
  promptTokens: number;
  completionTokens: number;
}

/** Samples one answer and counts its tokens. Yields `sampling`, and a note for each try that failed before it. */
export async function* sampleTurn(
  context: AgentContext,
  model: Model,
  messages: ChatMessage[],
  turn: number,
  spent: Spent,
): AsyncGenerator<Step, Completion, void> {
  yield { at: 'sampling', turn };
  context.signal.throwIfAborted();
  const session = { task: context.task.name, attempt: context.attempt, turn };
  const onDelta = (text: string) => context.onDelta(turn, text);
  const onRestart = () => context.onRestart(turn);
  const completion = await model.sample(
    { messages: [...messages], sampling: context.sampling, session, onDelta, onRestart },
    context.signal,
  );
  for (const retry of completion.retries) yield { at: 'note', turn, text: retry };
  spent.promptTokens += completion.promptTokens ?? 0;
  spent.completionTokens += completion.completionTokens ?? 0;
  return completion;
}

/** The end that a limit makes, or null. `row`: unreadable answers and identical commands in a row. */
export function limitReached(limits: LimitsConfig, spent: Spent, row: { errors: number; repeats: number }): AgentEnd | null {
  if (row.errors >= limits.formatErrors) return { outcome: 'format_limit', detail: `${row.errors} unreadable answers in a row` };
  if (limits.repeats !== null && row.repeats >= limits.repeats) {
    return { outcome: 'turn_limit', detail: `the same commands ${row.repeats} times in a row` };
  }
  for (const [kind, words] of [
    ['promptTokens', 'prompt tokens'],
    ['completionTokens', 'completion tokens'],
  ] as const) {
    const limit = limits[kind];
    if (limit !== null && spent[kind] >= limit) return { outcome: 'token_limit', detail: `used ${spent[kind]} of ${limit} ${words}` };
  }
  return null;
}

/** The run's model. Fails with `model.unknown` where it names none. */
export function requireModel(context: AgentContext): Model {
  if (context.model) return context.model;
  throw new AppError('model.unknown', 'this agent needs a model and the run names none', {
    hint: 'Set `model` in the configuration of the run.',
  });
}
