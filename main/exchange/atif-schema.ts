// ATIF 1.7 as Harbor checks it: no key that it does not know at any level except inside `extra`, and nothing of an agent on other steps.
// What we write must pass; what we read need not.
import * as z from 'zod';

const extra = z.record(z.string(), z.unknown()).optional();

const contentPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({
    type: z.literal('image'),
    source: z.strictObject({ media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']), path: z.string() }),
  }),
]);
const content = z.union([z.string(), z.array(contentPart)]);

const subagentRef = z
  .strictObject({
    session_id: z.string().optional(),
    trajectory_id: z.string().optional(),
    trajectory_path: z.string().optional(),
    extra,
  })
  .refine((ref) => ref.trajectory_id !== undefined || ref.trajectory_path !== undefined, 'needs trajectory_id or trajectory_path');

const toolCall = z.strictObject({
  tool_call_id: z.string(),
  function_name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  extra,
});

const observation = z.strictObject({
  results: z.array(
    z.strictObject({
      source_call_id: z.string().optional(),
      content: content.optional(),
      subagent_trajectory_ref: z.array(subagentRef).optional(),
      extra,
    }),
  ),
});

const metrics = z.strictObject({
  prompt_tokens: z.int().optional(),
  completion_tokens: z.int().optional(),
  cached_tokens: z.int().optional(),
  cost_usd: z.number().optional(),
  prompt_token_ids: z.array(z.int()).optional(),
  completion_token_ids: z.array(z.int()).optional(),
  logprobs: z.array(z.number()).optional(),
  extra,
});

const said = {
  step_id: z.int().min(1),
  timestamp: z.iso.datetime({ offset: true }).optional(),
  message: content,
  observation: observation.optional(),
  is_copied_context: z.boolean().optional(),
  llm_call_count: z.int().min(0).optional(),
  extra,
};

const step = z.discriminatedUnion('source', [
  z.strictObject({ source: z.literal('user'), ...said }),
  z.strictObject({ source: z.literal('system'), ...said }),
  z
    .strictObject({
      source: z.literal('agent'),
      ...said,
      model_name: z.string().optional(),
      reasoning_effort: z.union([z.string(), z.number()]).optional(),
      reasoning_content: z.string().optional(),
      tool_calls: z.array(toolCall).optional(),
      metrics: metrics.optional(),
    })
    .refine(
      (answer) => answer.llm_call_count !== 0 || (answer.metrics === undefined && answer.reasoning_content === undefined),
      'an answer without a model call has neither metrics nor reasoning',
    ),
]);

/** A whole document; embedded sub-agents are documents with a `trajectory_id`. */
export const atifDocument = z.strictObject({
  schema_version: z.literal('ATIF-v1.7'),
  session_id: z.string().optional(),
  trajectory_id: z.string().optional(),
  agent: z.strictObject({
    name: z.string(),
    version: z.string(),
    model_name: z.string().optional(),
    tool_definitions: z.array(z.record(z.string(), z.unknown())).optional(),
    extra,
  }),
  steps: z
    .array(step)
    .min(1)
    .refine((steps) => steps.every(({ step_id: id }, index) => id === index + 1), 'step_id counts from 1 without gaps'),
  notes: z.string().optional(),
  final_metrics: z
    .strictObject({
      total_prompt_tokens: z.int().optional(),
      total_completion_tokens: z.int().optional(),
      total_cached_tokens: z.int().optional(),
      total_cost_usd: z.number().optional(),
      total_steps: z.int().optional(),
      extra,
    })
    .optional(),
  continued_trajectory_ref: z.string().optional(),
  extra,
  subagent_trajectories: z.array(z.lazy((): z.ZodType => embedded)).optional(),
});

const embedded = atifDocument.refine((part) => part.trajectory_id !== undefined, 'an embedded sub-agent needs a trajectory_id');
