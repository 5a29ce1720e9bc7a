// What a run is made of. The same schema checks YAML files, -o overrides, the launch form and the CLI.
import * as z from 'zod';

export const agentName = z.enum(['terminus', 'minimal', 'batch', 'human', 'oracle', 'nop', 'replay']);
export type AgentName = z.infer<typeof agentName>;

export const limitsConfig = z.strictObject({
  turns: z.int().positive().default(64).describe('turns an agent may take'),
  seconds: z.number().positive().nullable().default(null).describe("wall seconds for the agent; null takes the task's own"),
  promptTokens: z.int().positive().nullable().default(null),
  completionTokens: z.int().positive().nullable().default(null),
  formatErrors: z.int().positive().default(8).describe('unparsable answers in a row before the rollout ends'),
  repeats: z.int().positive().nullable().default(null).describe('identical commands in a row before the rollout ends'),
});
export type LimitsConfig = z.infer<typeof limitsConfig>;

export const samplingConfig = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().gt(0).max(1).optional(),
  maxTokens: z.int().positive().optional(),
  seed: z.int().optional(),
  stop: z.array(z.string()).optional(),
});
export type SamplingConfig = z.infer<typeof samplingConfig>;

/** A model endpoint. `http`: any OpenAI-compatible server. `scripted`: answers from a file, for the demo and for tests. */
export const modelConfig = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('http'),
    name: z.string(),
    url: z.url().describe('base URL that ends before /chat/completions, usually in /v1'),
    model: z.string().describe('model name that the server expects'),
    apiKeyEnv: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
      .optional()
      .describe('NAME of the environment variable that holds the key'),
    sampling: samplingConfig.prefault({}),
    logprobs: z.boolean().default(false),
    contextLimit: z.int().positive().optional().describe('tokens; left out, the server is asked'),
    tokenizer: z.string().optional().describe("folder with the model's tokenizer.json, to count tokens; left out, they are estimated"),
    timeoutSeconds: z.number().positive().default(600),
    retries: z.int().min(0).default(5),
    concurrency: z.int().positive().default(16).describe('requests in flight at once'),
  }),
  z.strictObject({
    kind: z.literal('scripted'),
    name: z.string(),
    script: z.string().describe('YAML file or folder of them; see docs/guide/models.md'),
    delayMs: z.number().min(0).default(0).describe('pretended thinking time per answer'),
    concurrency: z.int().positive().default(64),
  }),
]);
export type ModelConfig = z.infer<typeof modelConfig>;

export const sandboxConfig = z.strictObject({
  profile: z.enum(['compatible', 'locked']).default('compatible'),
  /** Replaces the network mode of every task. */
  network: z.enum(['task', 'none', 'public']).default('task'),
  pool: z.int().min(0).default(2).describe('started containers kept ready per image'),
  aliases: z.record(z.string(), z.string()).default({}).describe('image names to replace, for sites without a registry'),
  grading: z
    .enum(['fresh', 'same', 'live'])
    .default('fresh')
    .describe("fresh: new box from a snapshot; same: the agent's box, its processes ended; live: the agent's box as it is, as Harbor does"),
  changes: z
    .boolean()
    .default(true)
    .describe('keep a list of the files that the agent changed; the engine compares the whole image for it'),
  cpus: z.number().positive().nullable().default(null),
  memoryMb: z.int().positive().nullable().default(null),
  pids: z.int().positive().nullable().default(null),
  gpus: z.int().min(0).nullable().default(null),
  buildTimeoutSeconds: z.number().positive().nullable().default(null),
  hostEnv: z.array(z.string()).default([]).describe('names of variables of this machine that task files may read as $NAME in braces'),
});
export type SandboxConfig = z.infer<typeof sandboxConfig>;

/** How agents that talk to a model in the Terminus-2 protocol do so. Other agents take no notice. */
export const agentSettings = z.strictObject({
  parser: z.enum(['json', 'xml']).default('json').describe('format of the answers'),
  mode: z
    .enum(['fixed', 'strict'])
    .default('fixed')
    .describe('strict: keys, waits, observations, parser and words as in Terminus-2, its defects included'),
  profile: z
    .string()
    .regex(/^[^\\/]+$/)
    .nullable()
    .default(null)
    .describe("name of a prompt profile, which also decides on the parser; null takes the parser's own"),
  compaction: z
    .enum(['handoff', 'keep-errors', 'drop-middle', 'none'])
    .default('handoff')
    .describe('what is done when the conversation nearly fills the context'),
  reserveTokens: z.int().min(0).default(8000).describe('tokens kept free for an answer, at most a quarter of the context'),
});
export type AgentSettings = z.infer<typeof agentSettings>;

export const runConfig = z.strictObject({
  name: z.string().optional(),
  tasks: z.array(z.string()).min(1).describe('task set names, folders, or task folders'),
  only: z.array(z.string()).default([]).describe('task names to keep; empty keeps all. * matches any text'),
  agents: z.array(agentName).min(1).default(['terminus']),
  agentSettings: agentSettings.prefault({}),
  model: z.string().nullable().default(null).describe('name of a file in configs/models, or a path to one'),
  attempts: z.int().positive().default(1),
  concurrency: z.int().positive().default(4),
  limits: limitsConfig.prefault({}),
  sandbox: sandboxConfig.prefault({}),
  /** Stop the run when this share of ended rollouts is excluded (no verdict through no fault of the agent). */
  maxExcludedShare: z.number().min(0).max(1).default(0.5),
  screen: z.strictObject({ cols: z.int().min(20).max(400).default(160), rows: z.int().min(5).max(200).default(40) }).prefault({}),
  /** For the replay agent: a recorded trajectory, or a folder of trials. */
  replay: z.string().nullable().default(null),
});
export type RunConfig = z.infer<typeof runConfig>;
