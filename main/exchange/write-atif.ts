// Writes ATIF 1.7. An imported trajectory is given back as it was; one of our own is written from its nodes the way Terminus-2 would.

import type { CommandRow, NodeRow } from '../contract/schema/rollout.ts';
import { AppError } from '../lib/errors.ts';
import { readAnswer } from './answers.ts';
import { atifDocument } from './atif-schema.ts';
import { type JsonObject, listOf, objectOf, textOf } from './json.ts';
import { conversationsOf, type Recorded } from './recorded.ts';
import { strictAtif } from './strict-atif.ts';
import type { RestDocument, Skeleton } from './trial.ts';

export interface AtifOutput {
  /** `trajectory.json`, and what it refers to. */
  path: string;
  document: JsonObject;
}

/** The documents of a rollout, the main one first; none where nothing was said. Every one passes the strict schema. `version` is the lab's. */
export function writeAtif(recorded: Recorded, version: string): AtifOutput[] {
  const documents = recorded.rest?.documents;
  const written = documents ? recordedDocuments(documents, recorded.nodes) : playedDocument(recorded, version);
  return written.map(({ path, document }) => {
    const strict = strictAtif(document);
    const checked = atifDocument.safeParse(strict);
    if (!checked.success) {
      const issue = checked.error.issues[0];
      throw new AppError('request.invalid', `cannot be written as ATIF 1.7: ${issue?.path.join('.')}: ${issue?.message}`);
    }
    return { path, document: strict };
  });
}

// ── imported ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function recordedDocuments(documents: RestDocument[], nodes: readonly NodeRow[]): AtifOutput[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const whole = documents.map(({ root, steps }): JsonObject => ({ ...root, steps: steps.map((step) => filled(step, byId)) }));
  for (const [index, { within }] of documents.entries()) {
    const parent = within === null ? undefined : whole[within];
    if (parent) parent.subagent_trajectories = [...(listOf(parent.subagent_trajectories) ?? []), whole[index]];
  }
  return documents.flatMap(({ path, within }, index) => (within === null ? [{ path, document: whole[index] ?? {} }] : []));
}

/** A step with what its nodes hold put back in place. */
function filled({ node: id, replies, left }: Skeleton, byId: ReadonlyMap<string, NodeRow>): JsonObject {
  const node = byId.get(id);
  const texts = replies.map((reply) => byId.get(reply)?.content ?? '');
  const step: JsonObject = { ...left, message: left.message ?? node?.content ?? '' };
  const seen = objectOf(left.observation);
  if (seen) {
    const results = (listOf(seen.results) ?? []).map((item) => {
      const { $said: wasSaid, ...result } = objectOf(item) ?? {};
      if (wasSaid !== true) return result;
      const text = texts.shift();
      return { ...result, content: result.content ?? text };
    });
    step.observation = { ...seen, results };
  }
  if (left.source !== 'agent' || !node) return step;
  if (node.reasoning !== null) step.reasoning_content = node.reasoning;
  const commands = [...node.commands];
  const calls = listOf(left.tool_calls)?.map((call) => filledCall(objectOf(call) ?? {}, commands));
  if (calls) step.tool_calls = calls;
  const metrics = objectOf(left.metrics);
  if (metrics) step.metrics = { ...metrics, ...metricsOf(node) };
  return step;
}

function filledCall({ $typed: key, $waits: waits, ...call }: JsonObject, commands: CommandRow[]): JsonObject {
  const name = textOf(key);
  if (name === null) return call;
  const command = commands.shift();
  const typed = { [name]: command?.keystrokes ?? '', ...(waits === true ? { duration: command?.duration } : {}) };
  return { ...call, arguments: { ...typed, ...objectOf(call.arguments) } };
}

function metricsOf(node: NodeRow): JsonObject {
  return {
    ...(node.promptTokens === null ? {} : { prompt_tokens: node.promptTokens }),
    ...(node.completionTokens === null ? {} : { completion_tokens: node.completionTokens }),
    ...(node.tokenIds === null ? {} : { completion_token_ids: node.tokenIds }),
    ...(node.logprobs === null ? {} : { logprobs: node.logprobs }),
  };
}

// ── played here, or imported from another format ────────────────────────────────────────────────────────────────────────────────────

function playedDocument(recorded: Recorded, version: string): AtifOutput[] {
  const { rollout, verdict } = recorded;
  const steps: JsonObject[] = [];
  for (const [index, nodes] of conversationsOf(recorded.nodes).entries()) {
    if (index > 0) steps.push(compaction(nodes[0]));
    for (const node of nodes) addStep(steps, node, recorded);
  }
  if (steps.length === 0) return [];
  const document = {
    session_id: rollout.id,
    trajectory_id: rollout.id,
    agent: { name: rollout.agent, version, ...(rollout.model === null ? {} : { model_name: rollout.model }) },
    steps: steps.map((step, index) => ({ ...step, step_id: index + 1 })),
    final_metrics: {
      total_prompt_tokens: rollout.promptTokens,
      total_completion_tokens: rollout.completionTokens,
      total_steps: steps.length,
    },
    extra: {
      task_name: rollout.taskName,
      task_digest: rollout.taskDigest,
      attempt: rollout.attempt,
      outcome: rollout.outcome,
      reward: rollout.reward,
      verdict_state: rollout.verdictState,
      ...(verdict ? { verdict_reason: verdict.reason } : {}),
    },
  };
  return [{ path: 'trajectory.json', document }];
}

/** The mark that ATIF has for a conversation which replaces the one before it. */
function compaction(next: NodeRow | undefined): JsonObject {
  return {
    source: 'system',
    message: 'The conversation was replaced by the one that follows.',
    ...timestamp(next),
    extra: { context_management: { type: 'compaction', boundary: 'replace' } },
  };
}

function addStep(steps: JsonObject[], node: NodeRow, { rollout }: Recorded): void {
  const last = steps.at(-1);
  if (node.role === 'assistant') {
    steps.push(answerStep(node, steps.filter((step) => step.source === 'agent').length, rollout.agent));
  } else if (node.author === 'environment' && last?.source === 'agent') {
    const { results = [] } = objectOf(last.observation) ?? {};
    const calls = listOf(last.tool_calls) ?? [];
    // One text answers the whole turn; only where the turn had one call can it be said which.
    const of = calls.length === 1 ? { source_call_id: textOf(objectOf(calls[0])?.tool_call_id) } : {};
    last.observation = { results: [...(listOf(results) ?? []), { ...of, content: node.content }] };
  } else {
    steps.push({ source: node.role, message: node.content, ...timestamp(node), ...authored(node, 'template') });
  }
}

function answerStep(node: NodeRow, episode: number, agent: string): JsonObject {
  const calls: JsonObject[] = node.commands.map((command, index) => ({
    tool_call_id: `call_${episode}_${index + 1}`,
    function_name: 'bash_command',
    arguments: { keystrokes: command.keystrokes, duration: command.duration },
    ...(command.endedAt === null
      ? {}
      : {
          extra: {
            exit_code: command.exitCode,
            seconds: (command.endedAt - command.startedAt) / 1000,
            ...(command.settled === null ? {} : { settled: command.settled }),
          },
        }),
  }));
  if (agent === 'terminus' && readAnswer(node.content, null).complete) {
    calls.push({ tool_call_id: `call_${episode}_task_complete`, function_name: 'mark_task_complete', arguments: {} });
  }
  const called = node.sampled;
  const metrics = metricsOf(node);
  return {
    source: 'agent',
    message: node.content,
    ...timestamp(node),
    ...(called && node.reasoning !== null ? { reasoning_content: node.reasoning } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(called && Object.keys(metrics).length > 0 ? { metrics } : {}),
    ...(called ? {} : { llm_call_count: 0 }),
    ...authored(node, 'sampled'),
  };
}

/** Who wrote it, where it is not who writes such messages. */
function authored(node: NodeRow, usual: NodeRow['author']): JsonObject {
  return node.author === usual ? {} : { extra: { author: node.author } };
}

function timestamp(node: NodeRow | undefined): JsonObject {
  return node && node.createdAt > 0 ? { timestamp: new Date(node.createdAt).toISOString() } : {};
}
