// Makes room in a conversation that is about to fill its model's context. Whatever is done is told in a note, and the conversation that
// goes on is yielded as a prompt, so that a reader sees exactly what the model saw from there on.
import type { ChatMessage, Model } from '../../model/model.ts';
import type { AgentContext, Step } from '../agent.ts';
import { type Spent, sampleTurn } from '../conversation.ts';
import { digestOf } from './digest.ts';
import { handOff } from './handoff.ts';
import { type Count, clip, count, type Memory, replace, tokensOf } from './memory.ts';

/** Characters that surely fit into a token's room, on the careful side. */
const CHARACTERS = 3;
/** Nothing is cut to fewer characters: less says nothing. */
const LEAST = 400;
/** What the server refuses to say: taken for its limit where a conversation was refused and no limit is known. */
const UNKNOWN_SHARE = 0.9;

/** Tokens that the next answer needs: the configured reserve, or more where longer answers are allowed, but never most of the context. */
export function reserveOf(context: AgentContext, limit: number): number {
  const { reserveTokens } = context.settings;
  const asked = Math.min(context.sampling.maxTokens ?? 0, Math.floor(limit / 2));
  return Math.max(Math.min(reserveTokens, Math.floor(limit / 4)), asked);
}

/**
 * Samples the next answer, after making room where the context is nearly full, and again where the server says that it is. The answer
 * has `finish: 'context'` only where even the task with the screen alone does not fit, or compaction is off.
 */
export async function* sampleFitting(
  context: AgentContext,
  model: Model,
  memory: Memory,
  turn: number,
  spent: Spent,
): AsyncGenerator<Step, Awaited<ReturnType<Model['sample']>>, void> {
  const { compaction } = context.settings;
  const { limit } = memory;
  const before = count(memory);
  if (compaction !== 'none' && limit !== null && limit - before.tokens < reserveOf(context, limit)) {
    yield* compact(context, model, memory, { turn, spent, before, limit, refused: false, way: compaction });
  }
  for (const way of [compaction, 'drop-middle', 'bare'] as const) {
    const completion = yield* sampleTurn(context, model, memory.messages, turn, spent);
    if (completion.finish !== 'context' || compaction === 'none') return completion;
    const full = count(memory);
    const room = limit === null ? Math.floor(full.tokens * UNKNOWN_SHARE) : Math.min(limit, Math.floor(full.tokens * UNKNOWN_SHARE));
    yield* compact(context, model, memory, { turn, spent, before: full, limit: room, refused: true, way: way === 'none' ? 'bare' : way });
  }
  return yield* sampleTurn(context, model, memory.messages, turn, spent);
}

interface Compaction {
  turn: number;
  spent: Spent;
  before: Count;
  limit: number;
  /** The server said so; else it was foreseen. */
  refused: boolean;
  way: 'handoff' | 'keep-errors' | 'drop-middle' | 'bare';
}

async function* compact(context: AgentContext, model: Model, memory: Memory, plan: Compaction): AsyncGenerator<Step, void, void> {
  const { turn, spent, before, limit, refused, way } = plan;
  const why = refused ? 'The server refused the conversation as too long' : 'The conversation nearly fills the context';
  const room = Math.max(0, limit - reserveOf(context, limit));
  let done: string;
  switch (way) {
    case 'handoff': {
      const result = yield* handOff(context, model, memory, {
        turn,
        spent,
        characters: Math.max(LEAST, Math.floor((limit / 12) * CHARACTERS)),
      });
      if (result !== null) {
        replace(memory, result);
        done = 'It was handed over: a summary, questions about it, and their answers take its place.';
        break;
      }
      done = `${dropMiddle(memory, Math.floor(room / 2), false)} A hand-over was tried first and failed.`;
      break;
    }
    case 'keep-errors':
      done = dropMiddle(memory, Math.floor(room / 2), true);
      break;
    case 'drop-middle':
      done = dropMiddle(memory, Math.floor(room / 2), false);
      break;
    case 'bare':
      replace(memory, bare(memory, Math.max(LEAST, Math.floor(room / 4) * CHARACTERS), await context.terminal.screen()));
      done = 'All turns were left out: only the task and the screen are kept.';
      break;
  }
  const after = count(memory);
  const figures = `${before.tokens} of ${memory.limit ?? 'an unknown number of'} tokens (${before.by}), now ${after.tokens} (${after.by})`;
  yield { at: 'note', turn, text: `${why}: ${figures}. ${done}` };
  yield { at: 'prompt', turn, messages: memory.messages.map((message) => ({ ...message, author: authorOf(message, memory) })) };
}

/** What was said before is said again; nothing of it was sampled here. */
function authorOf({ role, content }: ChatMessage, { opening }: Memory): 'template' | 'environment' | 'sampled' {
  if (role === 'assistant') return 'sampled';
  return opening.some((message) => message.content === content) ? 'template' : 'environment';
}

/** Leaves out turns after the opening, oldest first, until the rest takes at most so many tokens; answers what was done. */
function dropMiddle(memory: Memory, tokens: number, digest: boolean): string {
  const turns = pairsOf(memory.messages.slice(memory.opening.length));
  let dropped = 0;
  const attempt = () => {
    const kept = turns.slice(dropped);
    const forgotten = memory.memos.slice(0, Math.max(0, memory.memos.length - kept.length));
    const told = digest ? digestOf(forgotten) : '';
    const notice = `[... ${forgotten.length} earlier turns are left out here to make room ...]${told === '' ? '' : `\n${clip(told, tokens)}`}`;
    return [...memory.opening.slice(0, -1), joined(memory.opening.at(-1), notice), ...kept.flat()];
  };
  let messages = attempt();
  while (dropped < turns.length - 1 && tokensOf(memory, messages) > tokens) {
    dropped += 1;
    messages = attempt();
  }
  const last = messages.at(-1);
  if (last?.role === 'user' && tokensOf(memory, messages) > tokens && turns.length > 0) {
    messages[messages.length - 1] = { ...last, content: clip(last.content, Math.max(LEAST, Math.floor(tokens / 3) * CHARACTERS)) };
  }
  replace(memory, messages);
  return `The oldest ${dropped} turns were left out${digest ? ', but for what failed in them, paths and variables' : ''}.`;
}

/** The answers and what followed each of them; messages before the first answer are a group of their own. */
function pairsOf(messages: readonly ChatMessage[]): ChatMessage[][] {
  const pairs: ChatMessage[][] = [];
  for (const message of messages) {
    if (message.role === 'assistant' || pairs.length === 0) pairs.push([message]);
    else pairs.at(-1)?.push(message);
  }
  return pairs;
}

/** The last resort: nothing but the task, itself cut if need be, and the screen. */
function bare({ opening }: Memory, characters: number, screen: string): ChatMessage[] {
  const [first, ...others] = opening.toReversed();
  const task: ChatMessage = { role: 'user', content: clip(first?.content ?? '', 2 * characters) };
  return [
    ...others.toReversed(),
    joined(task, `[... all earlier turns are left out here to make room ...]\nThe terminal shows now:\n${clip(screen, characters)}`),
  ];
}

function joined(message: ChatMessage | undefined, text: string): ChatMessage {
  return { role: 'user', content: `${message?.content ?? ''}\n\n${text}` };
}
