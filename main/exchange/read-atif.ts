// Reads ATIF 1.0 to 1.7 (Agent Trajectory Interchange Format, of Harbor). Texts and numbers go into nodes and commands; everything else of
// a step stays as its skeleton, so that write-atif.ts can give the document back.
import type { NodeRow } from '../contract/schema/rollout.ts';
import type { ImportedCommand } from '../store/imports.ts';
import { formatOfMessage, type RecordedFormat, recordedFormat } from './answers.ts';
import { commandOf } from './commands.ts';
import { type Conversation, typed } from './conversation.ts';
import { invalid, type JsonObject, listOf, numberOf, numbersOf, objectOf, textOf, timeOf, withoutNulls } from './json.ts';
import type { RestDocument, Skeleton } from './trial.ts';

export interface AtifFile {
  /** As references name it: `trajectory.json`. */
  path: string;
  /** For messages. */
  file: string;
  document: unknown;
}

/** What the raw answers of the episodes add, where a trial folder kept them: by position among the agent's steps. */
export type RawAnswer = (index: number) => { text: string; format: NodeRow['format'] } | null;

/** True for the root of an ATIF document of any version. */
export function isAtif(value: unknown): boolean {
  return textOf(objectOf(value)?.schema_version)?.startsWith('ATIF') ?? false;
}

/**
 * Reads a document into the conversation, embedded sub-agents behind it, and appends what is left of it to `documents`. Throws
 * `request.invalid` where it is no whole ATIF document; nothing is said then.
 */
export function readAtif(
  { path, file, document }: AtifFile,
  talk: Conversation,
  documents: RestDocument[],
  within: number | null = null,
  raw: RawAnswer = () => null,
): void {
  const { root, steps, embedded } = partsOf(document, file);
  const asked = recordedFormat(root, {});
  const skeletons: Skeleton[] = [];
  const index = documents.push({ path, within, root, steps: skeletons }) - 1;
  talk.restart();
  talk.counting = index === 0 || isOwn(path);
  let answers = 0;
  for (const step of steps) {
    switch (step.source) {
      case 'agent': {
        skeletons.push(readAnswer(step, talk, step.is_copied_context === true ? null : raw(answers), asked));
        if (step.is_copied_context !== true) answers += 1;
        break;
      }
      case 'system':
        skeletons.push(readSystem(step, talk));
        break;
      default: {
        // After a compaction this opens a new conversation; within one it is the harness that speaks.
        const author = talk.opening ? 'template' : 'environment';
        skeletons.push(readMessage(step, talk, 'user', author));
      }
    }
  }
  for (const part of embedded) {
    const name = textOf(objectOf(part)?.trajectory_id) ?? `${path}#${documents.length}`;
    readAtif({ path: name, file, document: part }, talk, documents, index);
  }
}

/** False for the file of a sub-agent: `trajectory.summarization-1-summary.json`. */
function isOwn(path: string): boolean {
  return /(^|\/)trajectory(\.cont-\d+)?\.json$/.test(path);
}

function partsOf(document: unknown, file: string): { root: JsonObject; steps: JsonObject[]; embedded: unknown[] } {
  const whole = objectOf(document);
  if (!whole || !isAtif(whole)) throw invalid('is no ATIF trajectory: schema_version is missing', file);
  const { steps, subagent_trajectories: embedded, ...root } = whole;
  const list = listOf(steps);
  if (!list || list.length === 0) throw invalid('is an ATIF trajectory without steps', file);
  const checked = list.map((item, index) => {
    const step = objectOf(item);
    const source = step?.source;
    if (!step || (source !== 'user' && source !== 'agent' && source !== 'system')) {
      throw invalid(`step ${index + 1} has no source that ATIF knows (user, agent, system)`, file);
    }
    return step;
  });
  return { root: withoutNulls(root), steps: checked, embedded: listOf(embedded) ?? [] };
}

function readAnswer(step: JsonObject, talk: Conversation, raw: ReturnType<RawAnswer>, asked: RecordedFormat | null): Skeleton {
  const { step_id: _id, source: _source, message, reasoning_content: reasoning, tool_calls: calls, observation, metrics, ...left } = step;
  const at = timeOf(step.timestamp);
  const numbers = objectOf(metrics);
  const kept: JsonObject = { ...withoutNulls(left), source: 'agent' };
  const commands: ImportedCommand[] = [];
  // Commands of a copied step were typed once, in the conversation that it was copied from.
  const copied = step.is_copied_context === true;
  if (listOf(calls)) kept.tool_calls = copied ? calls : listOf(calls)?.map((call) => readCall(call, commands, at ?? talk.now));
  const text = textOf(message);
  // The rendered message is kept beside the answer as it was sampled.
  if (text === null || raw !== null) kept.message = message ?? '';
  const tokenIds = numbersOf(numbers?.completion_token_ids);
  const logprobs = numbersOf(numbers?.logprobs);
  if (numbers) {
    const { prompt_tokens: _p, completion_tokens: _c, completion_token_ids: ids, logprobs: logs, ...others } = numbers;
    kept.metrics = withoutNulls({ ...others, ...(tokenIds ? {} : { completion_token_ids: ids }), ...(logprobs ? {} : { logprobs: logs }) });
  }
  const thought = textOf(reasoning);
  if (thought === null && reasoning !== undefined && reasoning !== null) kept.reasoning_content = reasoning;
  const node = talk.say({
    role: 'assistant',
    author: 'sampled',
    content: raw?.text ?? text ?? plainText(message),
    reasoning: thought,
    // Trajectories with raw contents have the answer as it was sampled; most have a rendering, which is in no format.
    format: raw ? raw.format : copied || text === null ? null : formatOfMessage(text, asked),
    promptTokens: whole(numbers?.prompt_tokens),
    completionTokens: whole(numbers?.completion_tokens),
    tokenIds,
    logprobs,
    sampled: !copied,
    commands,
    at,
  });
  return { node: node.id, replies: readObservation(observation, kept, talk), left: kept };
}

/** Takes what is typed out of a tool call. */
function readCall(value: unknown, commands: ImportedCommand[], at: number): JsonObject {
  const call = withoutNulls(objectOf(value) ?? {});
  const args = objectOf(call.arguments);
  const command = commandOf(textOf(call.function_name) ?? '', args);
  if (!command?.key || !args) return call;
  const { [command.key]: _typed, duration, ...others } = args;
  commands.push(typed(command.keystrokes, command.duration ?? 1, at));
  return {
    ...call,
    arguments: command.duration === null && duration !== undefined ? { ...others, duration } : others,
    $typed: command.key,
    $waits: command.duration !== null,
  };
}

/** A prompt in front of everything, or the mark of a compaction: what follows that replaces the conversation. */
function readSystem(step: JsonObject, talk: Conversation): Skeleton {
  const skeleton = readMessage(step, talk, 'system', talk.opening ? 'template' : 'environment');
  const management = objectOf(objectOf(step.extra)?.context_management);
  if (management?.boundary === 'replace') talk.restart();
  return skeleton;
}

function readMessage(step: JsonObject, talk: Conversation, role: 'user' | 'system', author: 'template' | 'environment'): Skeleton {
  const { step_id: _id, message, observation, ...left } = step;
  const kept = withoutNulls(left);
  const text = textOf(message);
  if (text === null) kept.message = message ?? '';
  const node = talk.say({ role, author, content: text ?? plainText(message), at: timeOf(step.timestamp) });
  return { node: node.id, replies: readObservation(observation, kept, talk), left: kept };
}

/** Each text of an observation is a message to the model; `kept` gets the results without their texts. */
function readObservation(observation: unknown, kept: JsonObject, talk: Conversation): string[] {
  const seen = objectOf(observation);
  if (!seen) return [];
  const replies: string[] = [];
  const results = (listOf(seen.results) ?? []).map((item) => {
    const { content, ...result } = withoutNulls(objectOf(item) ?? {});
    if (content === undefined) return result;
    const text = textOf(content);
    replies.push(talk.say({ role: 'user', author: 'environment', content: text ?? plainText(content) }).id);
    return text === null ? { ...result, content, $said: true } : { ...result, $said: true };
  });
  kept.observation = { ...withoutNulls(seen), results };
  return replies;
}

/** The text parts of a message in parts; images are named. */
function plainText(message: unknown): string {
  return (listOf(message) ?? [])
    .map((item) => {
      const part = objectOf(item);
      return textOf(part?.text) ?? (part?.type === 'image' ? `[image ${textOf(objectOf(part.source)?.path) ?? ''}]` : '');
    })
    .join('\n');
}

function whole(value: unknown): number | null {
  const number = numberOf(value);
  return number === null ? null : Math.round(number);
}
