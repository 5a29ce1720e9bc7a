// Makes a document of any ATIF version one of 1.7: keys that 1.7 does not know move into `extra`, nothing is lost.
import { type JsonObject, listOf, objectOf, textOf, withoutNulls } from './json.ts';

const rootKeys = [
  'schema_version',
  'session_id',
  'trajectory_id',
  'agent',
  'steps',
  'notes',
  'final_metrics',
  'continued_trajectory_ref',
  'subagent_trajectories',
];
const agentKeys = ['name', 'version', 'model_name', 'tool_definitions'];
const totalKeys = ['total_prompt_tokens', 'total_completion_tokens', 'total_cached_tokens', 'total_cost_usd', 'total_steps'];
const saidKeys = ['step_id', 'timestamp', 'source', 'message', 'observation', 'is_copied_context', 'llm_call_count'];
const answerKeys = [...saidKeys, 'model_name', 'reasoning_effort', 'reasoning_content', 'tool_calls', 'metrics'];
const callKeys = ['tool_call_id', 'function_name', 'arguments'];
const resultKeys = ['source_call_id', 'content', 'subagent_trajectory_ref'];
const refKeys = ['session_id', 'trajectory_id', 'trajectory_path'];
const metricKeys = [
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cost_usd',
  'prompt_token_ids',
  'completion_token_ids',
  'logprobs',
];

/** The document in version 1.7. Steps are numbered anew, as they stand. */
export function strictAtif(document: JsonObject): JsonObject {
  const agent = objectOf(document.agent) ?? {};
  const totals = objectOf(document.final_metrics);
  const embedded = listOf(document.subagent_trajectories);
  return keep(rootKeys, {
    ...document,
    schema_version: 'ATIF-v1.7',
    agent: keep(agentKeys, { ...agent, name: textOf(agent.name) ?? 'unknown', version: textOf(agent.version) ?? 'unknown' }),
    steps: (listOf(document.steps) ?? []).map((step, index) => strictStep(objectOf(step) ?? {}, index + 1)),
    ...(totals ? { final_metrics: keep(totalKeys, totals) } : {}),
    ...(embedded ? { subagent_trajectories: embedded.map((part) => strictAtif(objectOf(part) ?? {})) } : {}),
  });
}

function strictStep(step: JsonObject, id: number): JsonObject {
  const answer = step.source === 'agent';
  const calls = listOf(step.tool_calls);
  const seen = objectOf(step.observation);
  const metrics = objectOf(step.metrics);
  const time = textOf(step.timestamp);
  return keep(answer ? answerKeys : saidKeys, {
    ...step,
    step_id: id,
    ...(time === null ? {} : { timestamp: isoTime(time) }),
    ...(answer && calls ? { tool_calls: calls.map((call, index) => strictCall(objectOf(call) ?? {}, `call_${id}_${index + 1}`)) } : {}),
    ...(answer && metrics ? { metrics: keep(metricKeys, metrics) } : {}),
    ...(seen ? { observation: { results: (listOf(seen.results) ?? []).map((result) => strictResult(objectOf(result) ?? {})) } } : {}),
  });
}

function strictCall(call: JsonObject, id: string): JsonObject {
  return keep(callKeys, {
    ...call,
    tool_call_id: textOf(call.tool_call_id) ?? id,
    function_name: textOf(call.function_name) ?? 'unknown',
    arguments: objectOf(call.arguments) ?? (call.arguments === undefined ? {} : { value: call.arguments }),
  });
}

function strictResult(result: JsonObject): JsonObject {
  const refs = listOf(result.subagent_trajectory_ref);
  if (!refs) return keep(resultKeys, result);
  // Before 1.7 a session id alone told which document was meant.
  const named = refs.map((item) => {
    const ref = objectOf(item) ?? {};
    const known = textOf(ref.trajectory_id) ?? textOf(ref.trajectory_path);
    return keep(refKeys, known === null ? { ...ref, trajectory_id: textOf(ref.session_id) ?? 'unknown' } : ref);
  });
  return keep(resultKeys, { ...result, subagent_trajectory_ref: named });
}

/** A time without a zone, as some versions wrote it, is in UTC. */
function isoTime(time: string): string {
  return /(?:Z|[+-]\d{2}:?\d{2})$/.test(time) ? time : `${time}Z`;
}

/** The object with only the keys of the list; the others move into its `extra`. */
function keep(keys: readonly string[], object: JsonObject): JsonObject {
  const known: JsonObject = {};
  const others: JsonObject = {};
  for (const [key, value] of Object.entries(withoutNulls(object))) {
    if (keys.includes(key)) known[key] = value;
    else if (key !== 'extra') others[key] = value;
  }
  const extra = { ...(objectOf(object.extra) ?? {}), ...others };
  return Object.keys(extra).length === 0 && !objectOf(object.extra) ? known : { ...known, extra };
}
