// Reads rows of conversation data sets: OpenThoughts' and Harbor's trace exports (`conversations`), rows of messages, and SkyRL's prompts.
import { readAnswer } from './answers.ts';
import { conversation, typed } from './conversation.ts';
import { invalid, type JsonObject, listOf, objectOf, textOf } from './json.ts';
import { endOf, type Grading, ungraded, verdictOf } from './recorded-verdict.ts';
import type { Skeleton, Trial } from './trial.ts';

export type RowKind = 'rows' | 'skyrl';

/** What kind of row it is; null for one of another table. */
export function rowKind(value: unknown): RowKind | null {
  const row = objectOf(value);
  if (!row) return null;
  if (isTalk(row.conversations) || isTalk(row.messages)) return 'rows';
  return isTalk(row.prompt) && ('reward_spec' in row || 'env_class' in row) ? 'skyrl' : null;
}

function isTalk(value: unknown): boolean {
  const first = objectOf(listOf(value)?.[0]);
  return first !== null && ('role' in first || 'from' in first);
}

/** True where `next` is the same conversation as `row` and goes on: data sets with a row an episode repeat all that was said before. */
export function continues(row: JsonObject, next: JsonObject): boolean {
  for (const key of ['run_id', 'trial_name', 'task', 'trace_source', 'rollout_id', 'conversation'])
    if (row[key] !== next[key]) return false;
  const before = talkOf(row);
  const after = talkOf(next);
  if (after.length <= before.length) return false;
  return before.every((message, index) => textOf(objectOf(message)?.content) === textOf(objectOf(after[index])?.content));
}

function talkOf(row: JsonObject): unknown[] {
  return listOf(row.messages) ?? listOf(row.conversations) ?? listOf(row.prompt) ?? [];
}

/** Reads a row. */
export function readRow(value: unknown, file: string, line: number): Trial {
  const row = objectOf(value);
  const kind = rowKind(row);
  if (!row || kind === null) throw invalid('is no row of conversations', file, line);
  const talk = conversation(0);
  const messages = talkOf(row).map((message) => readMessage(objectOf(message) ?? {}, talk, file, line));
  const verdict =
    kind === 'skyrl' ? ungraded('A prompt of a training set: nobody has played it.') : verdictOf(gradingOf(row), exceptionOf(row), true);
  const { messages: _m, conversations: _c, prompt: _p, ...columns } = row;
  return {
    format: kind,
    rollout: {
      taskName: textOf(row.task) ?? folderOf(textOf(row.task_dir)) ?? textOf(row.trial_name) ?? 'unknown',
      taskDigest: '',
      agent: textOf(row.agent) ?? 'unknown',
      model: textOf(row.model),
      // A prompt alone is nothing that an agent could have failed: it stays out of every rate.
      ...(kind === 'skyrl' ? { status: 'cancelled' as const, outcome: null, error: null } : endOf(verdict, exceptionOf(row), false)),
      turns: talk.turns,
      promptTokens: 0,
      completionTokens: 0,
      timings: {},
      queuedAt: 0,
      startedAt: null,
      endedAt: null,
    },
    nodes: talk.nodes,
    verdict,
    verifierOutput: textOf(row.verifier_output) ?? '',
    cast: null,
    notes: [],
    rest: { messages, parts: columns },
  };
}

const roles: Record<string, 'system' | 'user' | 'assistant'> = {
  system: 'system',
  user: 'user',
  human: 'user',
  tool: 'user',
  observation: 'user',
  assistant: 'assistant',
  gpt: 'assistant',
};

function readMessage(message: JsonObject, talk: ReturnType<typeof conversation>, file: string, line: number): Skeleton {
  const { content, value, reasoning_content: thought, ...left } = message;
  const role = roles[textOf(message.role) ?? textOf(message.from) ?? ''];
  const text = textOf(content) ?? textOf(value);
  if (role === undefined || text === null) throw invalid('has a message without a known role or without text', file, line);
  if (role !== 'assistant') {
    const node = talk.say({ role, author: talk.turns > 0 ? 'environment' : 'template', content: text });
    return { node: node.id, replies: [], left };
  }
  const answer = readAnswer(text, null, 'robust');
  const read = answer.format.robust;
  const node = talk.say({
    role,
    author: 'sampled',
    content: text,
    reasoning: textOf(thought),
    // Not every agent answers in the format of Terminus-2; what is none of it says nothing about its format.
    format: read ? answer.format : null,
    commands: read ? answer.commands.map((command) => typed(command.keystrokes, command.duration, 0)) : [],
  });
  return { node: node.id, replies: [], left };
}

/** `result` is the reward as text, or the name of an exception; our own rows have `rewards`. */
function gradingOf(row: JsonObject): Grading | null {
  const number = typeof row.result === 'number' ? row.result : Number.parseFloat(textOf(row.result) ?? '');
  const rewards = objectOf(row.rewards) ?? (Number.isFinite(number) ? { reward: number } : null);
  const output = textOf(row.verifier_output) ?? '';
  if (rewards === null && output === '') return null;
  return { output, rewardText: null, rewardJson: null, ctrf: null, rewards, separate: false, seconds: 0 };
}

function exceptionOf(row: JsonObject): { type: string; message: string } | null {
  const type = textOf(row.result);
  return type !== null && /^[A-Z]\w*(Error|Exception)$/.test(type) ? { type, message: '' } : null;
}

function folderOf(path: string | null): string | null {
  return path === null
    ? null
    : (path
        .split('/')
        .filter((part) => part !== '')
        .at(-1) ?? null);
}
