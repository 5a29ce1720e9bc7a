// Conversations as rows of a data set: one row a conversation with everything that was said, never a row for each prefix of it.
import type { NodeRow } from '../contract/schema/rollout.ts';
import { type JsonObject, listOf, objectOf, textOf } from './json.ts';
import { conversationsOf, type Recorded, trialNameOf } from './recorded.ts';

/** What a row says about where it is from. */
interface Described {
  task: string;
  trial_name: string;
  agent: string;
  model: string | null;
  run_id: string;
  rollout_id: string;
  attempt: number;
  /** From 0; above that, what followed a compaction or was said with a sub-agent. */
  conversation: number;
  reward: number | null;
  rewards: Record<string, number>;
  verdict_state: string | null;
  outcome: string | null;
}

/** Rows in the form of OpenAI's API: `messages[{role, content, …}]`. Conversations without an answer that was sampled give none. */
export function messageRows(recorded: Recorded): (Described & { messages: JsonObject[] })[] {
  return rowsOf(recorded, (nodes, left) => ({ messages: nodes.map((node) => messageOf(node, left.get(node.id))) }));
}

/** Rows in the form of ShareGPT: `conversations[{from, value}]`. Reasoning and tool calls are in the text, as chat templates write them. */
export function shareGptRows(recorded: Recorded): (Described & { conversations: JsonObject[] })[] {
  return rowsOf(recorded, (nodes, left) => ({ conversations: nodes.map((node) => turnOf(node, left.get(node.id))) }));
}

function rowsOf<T>(recorded: Recorded, tell: (nodes: NodeRow[], left: ReadonlyMap<string, JsonObject>) => T): (Described & T)[] {
  const { rollout, verdict } = recorded;
  const left = new Map((recorded.rest?.messages ?? []).map((message) => [message.node, message.left]));
  return conversationsOf(recorded.nodes).flatMap((nodes, conversation) => {
    if (!nodes.some((node) => node.role === 'assistant' && node.sampled)) return [];
    const described: Described = {
      task: rollout.taskName,
      trial_name: trialNameOf(recorded),
      agent: rollout.agent,
      model: rollout.model,
      run_id: rollout.runId,
      rollout_id: rollout.id,
      attempt: rollout.attempt,
      conversation,
      reward: rollout.reward,
      rewards: verdict?.rewards ?? {},
      verdict_state: rollout.verdictState,
      outcome: rollout.outcome,
    };
    return [{ ...tell(nodes, left), ...described }];
  });
}

/** A message of an imported list as it was; one of our own with its role, text and reasoning. */
function messageOf(node: NodeRow, left: JsonObject | undefined): JsonObject {
  const reasoning = node.reasoning === null ? {} : { reasoning_content: node.reasoning };
  return { role: node.role, content: node.content, ...reasoning, ...left };
}

const speakers = { system: 'system', user: 'human', assistant: 'gpt' } as const;

function turnOf(node: NodeRow, left: JsonObject | undefined): JsonObject {
  const thought = node.reasoning === null ? '' : `<think>\n${node.reasoning}\n</think>\n\n`;
  const calls = (listOf(left?.tool_calls) ?? []).map((call) => {
    const { name, arguments: args } = objectOf(objectOf(call)?.function) ?? {};
    return `\n<tool_call>\n${JSON.stringify({ name, arguments: parsed(args) })}\n</tool_call>`;
  });
  return { from: left?.role === 'tool' ? 'tool' : speakers[node.role], value: `${thought}${node.content}${calls.join('')}` };
}

/** Arguments are JSON in a string, except where the model got that wrong. */
function parsed(args: unknown): unknown {
  const text = textOf(args);
  if (text === null) return args;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
