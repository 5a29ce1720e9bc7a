// The prompt of an answer in a row of conversations, as training sets have them.
import { existsSync } from 'node:fs';
import { AppError } from '../lib/errors.ts';
import { invalid, listOf, objectOf, parseJson, textOf } from './json.ts';
import { linesOf } from './lines.ts';

/** A message as a model is given it. */
export interface PromptMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

const roles: Record<string, PromptMessage['role']> = {
  system: 'system',
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  gpt: 'assistant',
};

/**
 * The messages before answer `turn` (from 0) of the row on `line` (from 1) of a file of JSON lines, which may be gzip: rows with `messages`,
 * `conversations` or `prompt`. A row without answers is a prompt as a whole. Rejects with `request.not_found` where there is no such file, line
 * or answer, and with `request.invalid` for a row of another kind.
 */
export async function promptOfRow(path: string, line: number, turn: number): Promise<PromptMessage[]> {
  const messages = await messagesOfRow(path, line);
  const answers = messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
  if (answers.length === 0 && turn === 0) return messages;
  const end = answers[turn];
  if (end === undefined) {
    throw new AppError('request.not_found', `the conversation has ${answers.length} answers, and no turn ${turn + 1}`, {
      where: `${path}:${line}`,
    });
  }
  return messages.slice(0, end);
}

async function messagesOfRow(path: string, wanted: number): Promise<PromptMessage[]> {
  if (!existsSync(path)) throw new AppError('request.not_found', `there is no ${path}`);
  let lines = 0;
  for await (const { number, text } of linesOf(path)) {
    lines = number;
    if (number < wanted) continue;
    if (text === null) throw invalid('holds bytes that are no UTF-8', path, number);
    const row = objectOf(parseJson(text, path, number));
    const list = listOf(row?.messages) ?? listOf(row?.conversations) ?? listOf(row?.prompt);
    if (!list) throw invalid('has neither messages, conversations nor a prompt', path, number);
    return list.map((item, index) => {
      const message = objectOf(item);
      const role = roles[textOf(message?.role) ?? textOf(message?.from) ?? ''];
      const content = textOf(message?.content) ?? textOf(message?.value);
      if (role && content !== null) return { role, content };
      throw invalid(`message ${index + 1} is no text of system, user or assistant: tool calls cannot be compared`, path, number);
    });
  }
  throw new AppError('request.not_found', `there is no line ${wanted} in ${path}`, { hint: `It has ${lines}.` });
}
