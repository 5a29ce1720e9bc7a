// Hands a conversation over to a fresh one, as Terminus-2 does in three steps: the model sums up what it did; knowing only the task, that
// summary and the screen, it asks what it would need to know; knowing everything, it answers. The words are the lab's own.
import type { ChatMessage, Model } from '../../model/model.ts';
import type { AgentContext, Step } from '../agent.ts';
import { type Spent, sampleTurn } from '../conversation.ts';
import { clip, type Memory } from './memory.ts';

const SUM_UP =
  'You are about to lose everything above except for the task. Do not answer in the usual format now, and send no keys. Write down in plain text, for yourself: 1. what you did, in order, with the commands that mattered; 2. what you learned, with exact paths, names, versions, values and error messages; 3. what went wrong and what you tried against it; 4. what is finished, what is not, and what you were about to do next.';
const ASK = (summary: string, screen: string) =>
  `Somebody has worked on this task before you and leaves it to you now. Do not answer in the usual format yet, and send no keys.\n\nTheir notes:\n${summary}\n\nThe terminal shows now:\n${screen}\n\nBefore you go on you may ask them. Write down at least five questions about what the notes leave open and you will need: exact places, values, state of running programs, what was tried already.`;
const REPLY = (questions: string) =>
  `Whoever goes on with the task has only your notes, and asks:\n\n${questions}\n\nAnswer each question in plain text from what you know, exactly and in full. Say so where you do not know. Send no keys.`;
const GO_ON = (answers: string, last: string) =>
  `Their answers:\n${answers}\n\nGo on with the task now, in the usual format. This was the last message before you took over:\n${last}`;

interface HandOff {
  turn: number;
  spent: Spent;
  /** Characters that the summary, the questions, the answers and the screen may take each. */
  characters: number;
}

/**
 * The messages that take the conversation's place, or null where the model had no words for it. What is sampled on the way is told in
 * notes, which also carry the tokens it took.
 */
export async function* handOff(
  context: AgentContext,
  model: Model,
  memory: Memory,
  { turn, spent, characters }: HandOff,
): AsyncGenerator<Step, ChatMessage[] | null, void> {
  const ask = async function* (what: string, messages: ChatMessage[]): AsyncGenerator<Step, string | null, void> {
    const completion = yield* sampleTurn(context, model, messages, turn, spent);
    const text = completion.text.trim();
    yield {
      at: 'note',
      turn,
      text: text === '' ? `${what}: the model gave none (${completion.finish}).` : `${what}:\n${text}`,
      used: completion,
    };
    return text === '' ? null : clip(text, characters);
  };
  const screen = clip(await context.terminal.screen(), characters);
  const fitting = shortened(memory.messages, memory.opening.length);
  const summary =
    (yield* ask('Summary for the hand-over', asking(memory.messages, SUM_UP))) ??
    (yield* ask('Summary for the hand-over, from the newest half', asking(fitting, SUM_UP)));
  if (summary === null) return null;
  const question = asking(memory.opening, ASK(summary, screen));
  const questions = yield* ask('Questions about it', question);
  if (questions === null) return null;
  const informed = [...asking(fitting, SUM_UP), { role: 'assistant' as const, content: summary }];
  const answers = yield* ask('Answers', asking(informed, REPLY(questions)));
  if (answers === null) return null;
  const last = clip(memory.messages.at(-1)?.content ?? '', characters);
  return [...question, { role: 'assistant', content: questions }, { role: 'user', content: GO_ON(answers, last) }];
}

/** These messages with something more to say at their end. Two messages of a user in a row are one: many chat templates demand it. */
function asking(messages: readonly ChatMessage[], text: string): ChatMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content: text }];
  return [...messages.slice(0, -1), { role: 'user', content: `${last.content}\n\n${text}` }];
}

/** The opening and the newer half of what follows, beginning with an answer. */
function shortened(messages: readonly ChatMessage[], opening: number): ChatMessage[] {
  const from = opening + Math.ceil((messages.length - opening) / 2);
  const answer = messages.findIndex((message, index) => index >= from && message.role === 'assistant');
  return [...messages.slice(0, opening), ...(answer === -1 ? [] : messages.slice(answer))];
}
