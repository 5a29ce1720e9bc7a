// The fields of Harbor's task.toml, schema versions 1.0 to 1.4, with the older spellings that published data sets still use.
// Objects are strict so that a mistyped key is noticed; harbor.ts reports unknown keys and reads on.
import * as z from 'zod';

/** Newest `schema_version` whose every field is in this file. */
export const NEWEST_SCHEMA = '1.4';

const seconds = z.number().positive();
const user = z.union([z.string(), z.int()]).transform(String);
const envTable = z.record(z.string(), z.string()).default({});
/** `2G`, `512M`, `10Gi`; a number without a unit is bytes. Gives mebibytes. */
const legacySize = z
  .string()
  .regex(/^\d+(\.\d+)?\s*[KMGT]?(i?B?)?$/i, 'must be a size such as "2G" or "512M"')
  .transform((text) => {
    const unit = /[KMGT]/i.exec(text)?.[0].toUpperCase() ?? '';
    const factor = { '': 1 / 1024 / 1024, K: 1 / 1024, M: 1, G: 1024, T: 1024 * 1024 }[unit] ?? 1;
    return Math.ceil(Number.parseFloat(text) * factor);
  });

const network = {
  network_mode: z.enum(['public', 'no-network', 'allowlist']).optional(),
  allowed_hosts: z
    .array(
      z.string().regex(/^[^/\s:]+(\/\d+)?$|^[0-9a-f:.]+(\/\d+)?$/i, 'must be a host name, *.suffix, address or CIDR: no URL, port or path'),
    )
    .optional(),
};

const artifact = z.union([
  z.string(),
  z.strictObject({
    source: z.string(),
    destination: z.string().optional(),
    exclude: z.array(z.string()).optional(),
    service: z.string().optional(),
  }),
]);

const healthcheck = z.strictObject({
  command: z.string(),
  interval_sec: seconds.default(5),
  timeout_sec: seconds.default(30),
  start_period_sec: z.number().min(0).default(0),
  start_interval_sec: seconds.optional(),
  retries: z.int().min(0).default(3),
});

const mcpServer = z.strictObject({
  name: z.string(),
  transport: z.enum(['stdio', 'sse', 'streamable-http', 'http']).default('sse'),
  url: z.string().optional(),
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
});

const environment = z.strictObject({
  build_timeout_sec: seconds.default(600),
  docker_image: z.string().min(1).optional(),
  os: z.enum(['linux', 'windows']).default('linux'),
  cpus: z.number().positive().optional(),
  memory_mb: z.int().positive().optional(),
  storage_mb: z.int().positive().optional(),
  memory: legacySize.optional(),
  storage: legacySize.optional(),
  gpus: z.int().min(0).optional(),
  gpu_types: z.array(z.string()).optional(),
  tpu: z.strictObject({ type: z.string().optional(), topology: z.string().optional() }).optional(),
  env: envTable,
  mcp_servers: z.array(mcpServer).default([]),
  skills_dir: z.string().optional(),
  workdir: z.string().optional(),
  healthcheck: healthcheck.optional(),
  allow_internet: z.boolean().optional(),
  ...network,
});
export type HarborEnvironment = z.infer<typeof environment>;

const agent = z.strictObject({ timeout_sec: seconds.optional(), user: user.optional(), ...network });

const verifier = z.strictObject({
  timeout_sec: seconds.default(600),
  env: envTable,
  user: user.optional(),
  environment_mode: z.enum(['shared', 'separate']).optional(),
  environment: environment.optional(),
  collect: z
    .array(
      z.strictObject({ command: z.string(), service: z.string().default('main'), timeout_sec: seconds.default(60), user: user.optional() }),
    )
    .default([]),
  ...network,
});
export type HarborVerifier = z.infer<typeof verifier>;

const step = z.strictObject({
  name: z.string().regex(/^[\w.-]+$/, 'must be the name of a folder under steps/'),
  agent: agent.prefault({}),
  verifier: verifier.prefault({}),
  min_reward: z.union([z.number(), z.record(z.string(), z.number())]).optional(),
  healthcheck: healthcheck.optional(),
  artifacts: z.array(artifact).default([]),
});
export type HarborStep = z.infer<typeof step>;

export const taskToml = z.strictObject({
  schema_version: z.string().optional(),
  version: z.string().optional(),
  source: z.string().optional(),
  multi_step_reward_strategy: z.enum(['mean', 'final']).optional(),
  artifacts: z.array(artifact).default([]),
  task: z
    .strictObject({
      name: z.string().regex(/^\w[\w.-]*\/\w[\w.-]*$/, 'must be written "organisation/name"'),
      version: z.string().optional(),
      description: z.string().optional(),
      authors: z.array(z.strictObject({ name: z.string(), email: z.string().optional() })).optional(),
      keywords: z.array(z.string()).optional(),
    })
    .optional(),
  metadata: z.record(z.string(), z.unknown()).default({}),
  agent: agent.prefault({}),
  verifier: verifier.prefault({}),
  solution: z.strictObject({ env: envTable }).prefault({}),
  environment: environment.prefault({}),
  steps: z.array(step).default([]),
});
export type TaskToml = z.infer<typeof taskToml>;
