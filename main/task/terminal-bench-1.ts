// Reads a Terminal-Bench 1 task directory: task.yaml, a compose file with the service "client", run-tests.sh, tests/ and a solution.
import { basename, join } from 'node:path';
import * as z from 'zod';
import { readYaml } from '../config/yaml.ts';
import type { ConfigIssue } from '../contract/schema/task.ts';
import { AppError } from '../lib/errors.ts';
import { type Checked, checkAgainst } from './against.ts';
import { readCompose, type SimpleService } from './compose.ts';
import { wholeDigest } from './digest.ts';
import { hasFile, hasFolder, insideOrNull, readText } from './files.ts';
import type { Task, TaskEnvironment, TaskSolution } from './task.ts';
import { readSolutionScript } from './text.ts';

const FILE = 'task.yaml';
const BUILD_TIMEOUT_SEC = 600;
/** What the Terminal-Bench harness puts into the compose file. */
const COMPOSE_VARS = {
  T_BENCH_TEST_DIR: '/tests',
  T_BENCH_CONTAINER_LOGS_PATH: '/logs',
  T_BENCH_CONTAINER_AGENT_LOGS_PATH: '/agent-logs',
  T_BENCH_TASK_LOGS_PATH: '/logs',
  T_BENCH_TASK_AGENT_LOGS_PATH: '/agent-logs',
  T_BENCH_TASK_DOCKER_CLIENT_IMAGE_NAME: 'client',
  T_BENCH_TASK_DOCKER_CLIENT_CONTAINER_NAME: 'client',
  T_BENCH_TASK_DOCKER_NAME_PREFIX: 'client',
};
const PARSERS = ['pytest', 'swebench', 'swelancer', 'mlebench', 'sweperf'];

const minutes = z.number().nullable().optional();
const taskYaml = z.strictObject({
  instruction: z.string().optional(),
  /** Older tasks: several wordings, of which "base" is the one that is played. */
  descriptions: z.array(z.looseObject({ key: z.string(), description: z.string() })).optional(),
  author_name: z.string().nullable().optional(),
  author_email: z.string().nullable().optional(),
  difficulty: z.string().default('unknown'),
  category: z.string().default('software_engineering'),
  tags: z.array(z.string()).nullable().default([]),
  parser_name: z.string().default('pytest'),
  max_agent_timeout_sec: z.number().positive().default(360),
  max_test_timeout_sec: z.number().positive().default(60),
  run_tests_in_same_shell: z.boolean().default(false),
  disable_asciinema: z.boolean().default(false),
  estimated_duration_sec: minutes,
  expert_time_estimate_min: minutes,
  junior_time_estimate_min: minutes,
});

const solutionYaml = z.array(
  z.strictObject({
    command: z.string(),
    min_timeout_sec: z.number().min(0).default(0),
    max_timeout_sec: z.number().positive().default(180),
    block: z.boolean().default(false),
    append_enter: z.boolean().default(false),
  }),
);

/**
 * Reads the Terminal-Bench 1 task in `folder` (absolute). A compose file of one plain service becomes the Dockerfile with that
 * service's settings. Fails with `task.invalid` and `where` at the file and line at fault.
 */
export async function readTerminalBench1Task(folder: string, signal?: AbortSignal): Promise<Task> {
  signal?.throwIfAborted();
  const text = await readText(folder, FILE);
  if (text === null) throw new AppError('task.invalid', 'has no task.yaml', { where: join(folder, FILE) });
  const { data, issues } = readAgainst(taskYaml, text, folder, FILE);
  const instruction = data.instruction ?? data.descriptions?.find((entry) => entry.key === 'base')?.description;
  if (instruction === undefined) throw new AppError('task.invalid', 'instruction: is missing', { where: join(folder, FILE) });
  if (!(await hasFile(folder, 'run-tests.sh'))) {
    throw new AppError('task.invalid', 'has no run-tests.sh', { where: folder, hint: 'Add the script that runs the tests.' });
  }
  const { environment, user, unsupported } = await readClient(folder);
  const { instruction: _said, descriptions: _wordings, ...metadata } = data;

  return {
    name: basename(folder),
    folder,
    format: 'terminal-bench-1',
    schemaVersion: '1',
    digest: await wholeDigest(folder, signal),
    instruction,
    difficulty: data.difficulty,
    category: data.category,
    tags: data.tags ?? [],
    metadata,
    environment,
    agent: { timeoutSec: data.max_agent_timeout_sec, user },
    verifier: {
      folder: (await hasFolder(folder, 'tests')) ? join(folder, 'tests') : null,
      script: 'run-tests.sh',
      scriptFile: join(folder, 'run-tests.sh'),
      timeoutSec: data.max_test_timeout_sec,
      user,
      env: { TEST_DIR: '/tests' },
      mode: 'shared',
      parser: data.parser_name,
      sameShell: data.run_tests_in_same_shell,
    },
    solution: await readSolution(folder, issues),
    initialTests: null,
    steps: [],
    multiStepReward: 'mean',
    issues,
    unsupported:
      unsupported ??
      (PARSERS.includes(data.parser_name)
        ? null
        : `Its tests are read by the parser "${data.parser_name}", which Terminal-Bench does not have (it has ${PARSERS.join(', ')}).`),
  };
}

async function readClient(folder: string): Promise<{ environment: TaskEnvironment; user: string | null; unsupported: string | null }> {
  const file = (await hasFile(folder, 'docker-compose.yaml')) ? 'docker-compose.yaml' : 'docker-compose.yml';
  const text = await readText(folder, file);
  const read = text === null ? null : readCompose(text, 'client', COMPOSE_VARS, join(folder, file));
  if (read?.kind === 'several') {
    return {
      environment: environmentOf(null, null, join(folder, file)),
      user: null,
      unsupported: `It needs Docker Compose (${read.reason}, ${file}:${read.line}); tasks of several containers are not played yet.`,
    };
  }
  const context = read ? read.context : '.';
  const dockerfile = read?.dockerfile ?? 'Dockerfile';
  const inside = context === null ? null : await insideOrNull(folder, context);
  if (context !== null && (inside === null || !(await hasFile(folder, join(context, dockerfile))))) {
    throw new AppError('task.invalid', `has no ${join(context, dockerfile)}`, {
      where: join(folder, text === null ? 'Dockerfile' : file),
      hint: 'The build context must lie inside the task and hold the Dockerfile.',
    });
  }
  if (context === null && read?.image === null) {
    throw new AppError('task.invalid', 'the service "client" has neither build nor image', { where: join(folder, file) });
  }
  return {
    environment: environmentOf(read, context === null ? null : { folder: join(folder, context), dockerfile }, null),
    user: read?.user ?? null,
    unsupported: null,
  };
}

function environmentOf(
  service: SimpleService | null,
  build: { folder: string; dockerfile: string } | null,
  compose: string | null,
): TaskEnvironment {
  return {
    image: service?.image ?? null,
    context: build?.folder ?? null,
    dockerfile: build?.dockerfile ?? 'Dockerfile',
    compose,
    buildTimeoutSec: BUILD_TIMEOUT_SEC,
    cpus: service?.cpus ?? null,
    memoryMb: service?.memoryMb ?? null,
    storageMb: null,
    gpus: null,
    gpuTypes: [],
    env: service?.env ?? {},
    workdir: service?.workdir ?? null,
    network: { mode: service?.offline ? 'none' : 'public', allowedHosts: [] },
    healthcheck: null,
  };
}

async function readSolution(folder: string, issues: ConfigIssue[]): Promise<TaskSolution> {
  const text = await readText(folder, 'solution.yaml');
  if (text === null || (await hasFile(folder, 'solution.sh'))) return readSolutionScript(folder, 'solution.sh', {});
  const { data, issues: found } = readAgainst(solutionYaml, text, folder, 'solution.yaml');
  issues.push(...found);
  return {
    kind: 'commands',
    commands: data.map((entry) => ({
      command: entry.command,
      minTimeoutSec: entry.min_timeout_sec,
      maxTimeoutSec: entry.max_timeout_sec,
      block: entry.block,
      appendEnter: entry.append_enter,
    })),
  };
}

function readAgainst<S extends z.ZodType>(schema: S, text: string, folder: string, name: string): Checked<z.output<S>> {
  const { value, lineOf } = readYaml(text, join(folder, name), 'task.invalid');
  return checkAgainst(schema, value, lineOf, folder, name);
}
