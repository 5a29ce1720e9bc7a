// Reads trajectories that are a list of chat messages as OpenAI's API has them: system, user, assistant with tool_calls, tool.
import { commandOf } from './commands.ts';
import { type Conversation, typed } from './conversation.ts';
import { invalid, type JsonObject, listOf, objectOf, textOf, withoutNulls } from './json.ts';
import type { Skeleton } from './trial.ts';

/** How a command of a turn ended, where a log beside the trajectory says so. */
export interface TurnTiming {
  modelMs: number;
  commandMs: number | null;
  exitCode: number | null;
}

export function isChat(value: unknown): boolean {
  const first = listOf(value)?.[0];
  return textOf(objectOf(first)?.role) !== null;
}

/** Reads the messages into the conversation; answers what is left of each. Throws `request.invalid` for what is no list of messages. */
export function readChat(value: unknown, file: string, talk: Conversation, start: number, timings: readonly TurnTiming[] = []): Skeleton[] {
  const messages = (listOf(value) ?? []).map((item, index) => {
    const message = objectOf(item);
    if (!message || textOf(message.role) === null) throw invalid(`message ${index + 1} has no role`, file);
    return message;
  });
  if (messages.length === 0) throw invalid('holds no message', file);
  let at = start;
  let answers = 0;
  return messages.map((message) => {
    if (message.role === 'assistant') {
      const timing = timings[answers];
      answers += 1;
      at += timing?.modelMs ?? 0;
      const skeleton = readAnswer(message, talk, at, timing);
      at += timing?.commandMs ?? 0;
      return skeleton;
    }
    return readMessage(message, talk, at, answers > 0);
  });
}

function readAnswer(message: JsonObject, talk: Conversation, at: number, timing: TurnTiming | undefined): Skeleton {
  const { content, reasoning_content: thought, ...left } = message;
  const text = textOf(content);
  // Only the first call of an answer was run where the log has one timing an answer.
  const commands = calls(left).map((call, index) =>
    typed(call.keystrokes, call.duration ?? (timing?.commandMs ?? 0) / 1000, at, {
      ...(index === 0 && timing && timing.commandMs !== null ? { endedAt: at + timing.commandMs, exitCode: timing.exitCode } : {}),
    }),
  );
  const node = talk.say({
    role: 'assistant',
    author: 'sampled',
    content: text ?? partsText(content),
    reasoning: textOf(thought),
    commands,
    timings: timing ? { totalMs: timing.modelMs } : {},
    at,
  });
  return { node: node.id, replies: [], left: { ...withoutNulls(left), ...(text === null ? { content: content ?? null } : {}) } };
}

function calls(message: JsonObject) {
  return (listOf(message.tool_calls) ?? []).flatMap((item) => {
    const call = objectOf(objectOf(item)?.function) ?? {};
    const command = commandOf(textOf(call.name) ?? '', argumentsOf(call.arguments));
    return command ? [command] : [];
  });
}

/** Arguments are JSON in a string; what a model wrote there need not parse. */
function argumentsOf(value: unknown): JsonObject | null {
  if (typeof value !== 'string') return objectOf(value);
  try {
    return objectOf(JSON.parse(value));
  } catch {
    return null;
  }
}

function readMessage(message: JsonObject, talk: Conversation, at: number, answered: boolean): Skeleton {
  const { content, ...left } = message;
  const text = textOf(content);
  const role = message.role === 'system' || message.role === 'developer' ? 'system' : 'user';
  const node = talk.say({ role, author: answered ? 'environment' : 'template', content: text ?? partsText(content), at });
  return { node: node.id, replies: [], left: { ...withoutNulls(left), ...(text === null ? { content: content ?? null } : {}) } };
}

function partsText(content: unknown): string {
  return (listOf(content) ?? []).map((part) => textOf(objectOf(part)?.text) ?? '').join('\n');
}
