// Reads a Harbor task directory: task.toml up to schema 1.4, its older spellings, and the files beside it.
import { basename, join } from 'node:path';
import { dotted } from '../config/explain.ts';
import type { ConfigIssue } from '../contract/schema/task.ts';
import { AppError } from '../lib/errors.ts';
import { contentDigest } from './digest.ts';
import { hasFile, hasFolder, readText } from './files.ts';
import { readEnvironment } from './harbor-environment.ts';
import { type HarborStep, type HarborVerifier, NEWEST_SCHEMA, type TaskToml, taskToml } from './harbor-schema.ts';
import type { Task, TaskStep, TaskVerifier } from './task.ts';
import { readSolutionScript, stripCanary } from './text.ts';
import { lineIn, readToml } from './toml.ts';
import type { TomlEntry, TomlPath } from './toml-map.ts';

const FILE = 'task.toml';
const WINDOWS_SCRIPTS = ['test.bat', 'test.ps1', 'test.cmd'];

/**
 * Reads the Harbor task in `folder` (absolute), or as it would be with the text `toml` for its task.toml. Unknown keys, older spellings
 * and fields that the lab does not honour are in `issues`; what keeps the lab from playing it is in `unsupported`.
 * Fails with `task.invalid` and `where` at the file and line at fault.
 */
export async function readHarborTask(folder: string, signal?: AbortSignal, toml?: string): Promise<Task> {
  signal?.throwIfAborted();
  const text = toml ?? (await readText(folder, FILE));
  if (text === null) throw new AppError('task.invalid', 'has no task.toml', { where: join(folder, FILE) });
  const { data, entries, issues: unknown } = readToml(taskToml, text, folder, FILE);
  const issues: ConfigIssue[] = [...unknown, ...legacyNotes(data, entries), ...unhonouredNotes(data, entries)];
  if (!(await hasFolder(folder, 'environment')) && data.environment.docker_image === undefined) {
    throw new AppError('task.invalid', 'has no folder environment/', { where: folder, hint: 'Put the Dockerfile into environment/.' });
  }

  const read = await readEnvironment(folder, data.environment, entries);
  issues.push(...read.issues);
  const isWindows = data.environment.os === 'windows';
  const verifier = await readVerifier(folder, 'tests', data.verifier, isWindows);
  const steps: TaskStep[] = [];
  for (const step of data.steps) steps.push(await readStep(folder, step, data, verifier, isWindows));
  if (steps.length === 0 && verifier.folder === null) throw missingTests(folder, 'tests');

  return {
    name: data.task?.name ?? basename(folder),
    folder,
    format: 'harbor',
    schemaVersion: data.schema_version ?? data.version ?? NEWEST_SCHEMA,
    digest: await contentDigest(folder, signal),
    instruction: await readInstruction(folder, steps),
    difficulty: textOf(data.metadata.difficulty),
    category: textOf(data.metadata.category),
    tags: tagsOf(data),
    metadata: data.metadata,
    environment: read.environment,
    agent: { timeoutSec: data.agent.timeout_sec ?? null, user: data.agent.user ?? read.user },
    verifier,
    solution: await readSolutionScript(folder, 'solution/solve.sh', data.solution.env),
    initialTests: (await hasFile(folder, 'environment/test_initial_state.py')) ? join(folder, 'environment/test_initial_state.py') : null,
    steps,
    multiStepReward: data.multi_step_reward_strategy ?? 'mean',
    issues,
    unsupported: read.unsupported ?? unsupportedReason(steps, verifier),
  };
}

/** Kept in one place, so that whoever teaches the lab to play one of these removes one line. */
function unsupportedReason(steps: TaskStep[], verifier: TaskVerifier): string | null {
  if (steps.length > 0) return `It has ${steps.length} steps; tasks of several steps are not played yet.`;
  if (verifier.mode === 'separate') return 'Its verifier runs in an environment of its own, which is not played yet.';
  return null;
}

async function readVerifier(folder: string, below: string, table: HarborVerifier, isWindows: boolean): Promise<TaskVerifier> {
  if (table.environment_mode === 'shared' && table.environment) {
    throw new AppError('task.invalid', 'verifier.environment_mode = "shared" contradicts [verifier.environment]', {
      where: join(folder, FILE),
      hint: 'Remove [verifier.environment], or set environment_mode = "separate".',
    });
  }
  const script = await testScript(folder, below, isWindows);
  return {
    folder: (await hasFolder(folder, below)) && (script !== null || below !== 'tests') ? join(folder, below) : null,
    script: script ?? 'test.sh',
    timeoutSec: table.timeout_sec,
    user: table.user ?? null,
    env: table.env,
    mode: table.environment_mode ?? (table.environment ? 'separate' : 'shared'),
    parser: null,
    sameShell: false,
  };
}

async function readStep(folder: string, step: HarborStep, task: TaskToml, shared: TaskVerifier, isWindows: boolean): Promise<TaskStep> {
  const below = `steps/${step.name}`;
  const instruction = await readText(folder, `${below}/instruction.md`);
  if (instruction === null) {
    throw new AppError('task.invalid', `step "${step.name}" has no ${below}/instruction.md`, { where: join(folder, FILE) });
  }
  const own = await readVerifier(folder, `${below}/tests`, step.verifier, isWindows);
  const hasOwnScript = (await testScript(folder, `${below}/tests`, isWindows)) !== null;
  if (!hasOwnScript && shared.folder === null) throw missingTests(folder, `${below}/tests`);
  const isModeGiven = step.verifier.environment_mode !== undefined || step.verifier.environment !== undefined;
  return {
    name: step.name,
    instruction: stripCanary(instruction),
    agentTimeoutSec: step.agent.timeout_sec ?? task.agent.timeout_sec ?? null,
    verifier: {
      ...own,
      script: hasOwnScript ? own.script : shared.script,
      mode: isModeGiven ? own.mode : shared.mode,
      user: own.user ?? shared.user,
      env: { ...shared.env, ...own.env },
    },
    solution: await readSolutionScript(folder, `${below}/solution/solve.sh`, task.solution.env),
    workdirFolder: (await hasFolder(folder, `${below}/workdir`)) ? join(folder, below, 'workdir') : null,
    minReward: step.min_reward ?? null,
  };
}

async function testScript(folder: string, below: string, isWindows: boolean): Promise<string | null> {
  for (const name of isWindows ? WINDOWS_SCRIPTS : ['test.sh']) if (await hasFile(folder, `${below}/${name}`)) return name;
  return null;
}

function missingTests(folder: string, below: string): AppError {
  return new AppError('task.invalid', `has no ${below}/test.sh`, {
    where: join(folder, below),
    hint: 'Add a script that writes a number to /logs/verifier/reward.txt.',
  });
}

async function readInstruction(folder: string, steps: TaskStep[]): Promise<string> {
  const text = await readText(folder, 'instruction.md');
  if (text !== null && text.trim() !== '') return stripCanary(text);
  if (steps.length === 0) throw new AppError('task.invalid', 'has no instruction.md', { where: join(folder, 'instruction.md') });
  return steps.map((step, index) => `## Step ${index + 1} of ${steps.length}: ${step.name}\n\n${step.instruction.trim()}\n`).join('\n');
}

function legacyNotes(data: TaskToml, entries: readonly TomlEntry[]): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  if (data.version !== undefined) issues.push(issue('note', ['version'], 'the older spelling of schema_version', entries));
  const version = data.schema_version ?? data.version;
  if (version !== undefined && isNewer(version, NEWEST_SCHEMA)) {
    const key = data.schema_version === undefined ? 'version' : 'schema_version';
    issues.push(issue('warning', [key], `${version} is newer than ${NEWEST_SCHEMA}, the newest that the lab knows`, entries));
  }
  return issues;
}

/** Fields that are read and kept but change nothing here; a researcher must know before comparing numbers. */
function unhonouredNotes(data: TaskToml, entries: readonly TomlEntry[]): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  if (data.artifacts.length > 0) issues.push(issue('note', ['artifacts'], 'artifacts are not collected yet', entries));
  if (data.verifier.collect.length > 0) issues.push(issue('note', ['verifier', 'collect'], 'collect hooks are not run yet', entries));
  const base = data.environment.network_mode ?? 'public';
  const phases = [
    { path: ['agent'], table: data.agent },
    { path: ['verifier'], table: data.verifier },
    ...data.steps.flatMap((step, index) => [
      { path: ['steps', index, 'agent'], table: step.agent },
      { path: ['steps', index, 'verifier'], table: step.verifier },
    ]),
  ];
  for (const { path, table } of phases) {
    if (table.network_mode === undefined || table.network_mode === base) continue;
    const message = `the network is not switched between phases: [environment]'s policy holds throughout, not "${table.network_mode}"`;
    issues.push(issue('warning', [...path, 'network_mode'], message, entries));
  }
  data.steps.forEach((step, index) => {
    if (step.artifacts.length > 0) issues.push(issue('note', ['steps', index, 'artifacts'], 'artifacts are not collected yet', entries));
    if (step.healthcheck) issues.push(issue('note', ['steps', index, 'healthcheck'], 'health checks of steps are not run yet', entries));
  });
  for (const [table, env] of [
    ['environment', data.environment.env],
    ['verifier', data.verifier.env],
    ['solution', data.solution.env],
  ] as const) {
    for (const [name, value] of Object.entries(env)) {
      const host = /\$\{(\w+)/.exec(value)?.[1];
      if (host !== undefined) {
        issues.push(
          issue('note', [table, 'env', name], `asks for ${host} of this machine; sandbox.hostEnv of the run must name it`, entries),
        );
      }
    }
  }
  return issues;
}

function issue(level: ConfigIssue['level'], path: TomlPath, message: string, entries: readonly TomlEntry[]): ConfigIssue {
  return { level, message: `${dotted(path)}: ${message}`, file: FILE, ...lineIn(entries, path) };
}

function isNewer(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [thanMajor = 0, thanMinor = 0] = than.split('.').map(Number);
  return major > thanMajor || (major === thanMajor && minor > thanMinor);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function tagsOf(data: TaskToml): string[] {
  const tags = data.metadata.tags;
  if (Array.isArray(tags)) return tags.filter((tag): tag is string => typeof tag === 'string');
  return data.task?.keywords ?? [];
}
