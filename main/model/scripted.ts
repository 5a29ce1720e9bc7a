// A model whose answers are written down beforehand: the demo agent, and the tests of everything that needs a model but not its wits.
import { resolve } from 'node:path';
import PQueue from 'p-queue';
import type { ModelConfig } from '../contract/schema/config.ts';
import { delay } from '../lib/abort.ts';
import { AppError } from '../lib/errors.ts';
import type { Completion, Model, SampleRequest } from './model.ts';
import { readScripts, type Script } from './script.ts';
import { estimatePromptTokens, estimateTokens } from './tokens.ts';

/** Time between two pieces of a streamed answer; about what a page can show anew. */
const PIECE_MS = 30;

/** Code points of one piece at least, so that a long delay does not make a thousand timers. */
const PIECE_LENGTH = 8;

/**
 * Opens a scripted model. The script's path is relative to `root`. Attempt n plays list n modulo the number of lists, from 0; an
 * answer is chosen by the session's turn alone, so a rollout that is resumed or forked goes on where it was. Past the end of a list
 * its last answer repeats.
 * @throws AppError `config.not_found` or `config.invalid` (with `file:line`) for the script.
 */
export async function createScriptedModel(config: ModelConfig & { kind: 'scripted' }, root: string): Promise<Model> {
  const scripts = await readScripts(resolve(root, config.script), root);
  const queue = new PQueue({ concurrency: config.concurrency });
  return {
    name: config.name,
    contextLimit: async () => null,
    sample: async (request, signal) => {
      signal.throwIfAborted();
      return await queue.add(() => say(answerFor(request, scripts, config), request, config.delayMs, signal), { signal });
    },
    [Symbol.asyncDispose]: async () => queue.clear(),
  };
}

function answerFor({ session }: SampleRequest, scripts: Map<string, Script>, config: ModelConfig & { kind: 'scripted' }) {
  const task = session.task.slice(session.task.lastIndexOf('/') + 1);
  const script = scripts.get(task) ?? scripts.get('*');
  const attempt = script?.attempts[session.attempt % script.attempts.length];
  const answer = attempt?.[Math.min(session.turn, attempt.length - 1)];
  if (!answer) {
    throw new AppError('model.rejected', `the script of model ${config.name} says nothing about task ${task}`, {
      hint: `Add a script with \`task: ${task}\`, or one with \`task: '*'\` for all other tasks, to ${config.script}.`,
    });
  }
  return answer;
}

/** Says an answer piece by piece, spread evenly over `delayMs`. */
export async function say(
  answer: { text: string; reasoning: string | null; finish: Completion['finish'] },
  request: SampleRequest,
  delayMs: number,
  signal: AbortSignal,
): Promise<Completion> {
  const started = performance.now();
  const text = answer.finish === 'context' ? '' : answer.text;
  const points = Array.from(text);
  const count = Math.max(1, Math.min(Math.ceil(delayMs / PIECE_MS), Math.ceil(points.length / PIECE_LENGTH)));
  let firstTokenMs: number | null = null;
  for (let piece = 0; piece < count; piece += 1) {
    const wait = started + (delayMs * (piece + 1)) / count - performance.now();
    if (wait > 0) await delay(wait, signal);
    const part = points.slice(Math.floor((piece * points.length) / count), Math.floor(((piece + 1) * points.length) / count)).join('');
    if (part === '') continue;
    firstTokenMs ??= performance.now() - started;
    request.onDelta?.(part);
  }
  signal.throwIfAborted();
  return {
    text,
    reasoning: answer.reasoning,
    finish: answer.finish,
    promptTokens: estimatePromptTokens(request.messages),
    completionTokens: estimateTokens(text) + estimateTokens(answer.reasoning ?? ''),
    usageExact: false,
    tokenIds: null,
    promptTokenIds: null,
    tokens: null,
    logprobs: null,
    firstTokenMs,
    totalMs: performance.now() - started,
    retries: [],
  };
}
