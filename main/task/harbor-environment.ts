// Harbor's [environment]: what the agent's container is made from, what it may use, and how its network is cut.
import { join } from 'node:path';
import type { ConfigIssue } from '../contract/schema/task.ts';
import { AppError } from '../lib/errors.ts';
import { type ComposeRead, readCompose } from './compose.ts';
import { hasFile, insideOrNull, readText } from './files.ts';
import type { HarborEnvironment } from './harbor-schema.ts';
import type { TaskEnvironment } from './task.ts';
import { lineIn } from './toml.ts';
import type { TomlEntry } from './toml-map.ts';

export interface EnvironmentRead {
  environment: TaskEnvironment;
  /** User of the compose service, where one is named. */
  user: string | null;
  issues: ConfigIssue[];
  /** Why the lab cannot provide it, null where it can. */
  unsupported: string | null;
}

const COMPOSE_FILES = ['docker-compose.yaml', 'docker-compose.yml'];
/** What Harbor puts into a task's compose file. */
const COMPOSE_VARS = {
  CONTEXT_DIR: '.',
  TEST_DIR: '/tests',
  ENV_AGENT_LOGS_PATH: '/logs/agent',
  ENV_VERIFIER_LOGS_PATH: '/logs/verifier',
  ENV_ARTIFACTS_PATH: '/logs/artifacts',
};

/** Reads `[environment]` together with the files of environment/. Fails with `task.invalid` where they contradict each other. */
export async function readEnvironment(folder: string, table: HarborEnvironment, entries: readonly TomlEntry[]): Promise<EnvironmentRead> {
  const issues: ConfigIssue[] = [];
  const line = (key: string) => lineIn(entries, ['environment', key]);
  const memoryMb = sizeOf('memory', table.memory_mb, table.memory);
  const storageMb = sizeOf('storage', table.storage_mb, table.storage);
  const composeFile = await firstFile(folder, COMPOSE_FILES);
  const compose = composeFile === null ? null : await composeOf(folder, composeFile);
  const simple = compose?.kind === 'simple' ? compose : null;
  const context = await contextOf(folder, simple);
  const image = table.docker_image ?? simple?.image ?? null;
  if (image === null && context === null && compose?.kind !== 'several') {
    throw new AppError('task.invalid', 'nothing says what the container is made from', {
      where: join(folder, 'task.toml'),
      hint: 'Add environment/Dockerfile, or set docker_image under [environment].',
    });
  }
  noteUnhonoured();

  return {
    environment: {
      image,
      context: context?.folder ?? null,
      dockerfile: context?.dockerfile ?? 'Dockerfile',
      compose: compose?.kind === 'several' && composeFile !== null ? join(folder, composeFile) : null,
      buildTimeoutSec: table.build_timeout_sec,
      cpus: table.cpus ?? simple?.cpus ?? null,
      memoryMb: memoryMb ?? simple?.memoryMb ?? null,
      storageMb,
      gpus: table.gpus ?? null,
      gpuTypes: table.gpu_types ?? [],
      env: { ...simple?.env, ...table.env },
      workdir: table.workdir ?? simple?.workdir ?? null,
      network: networkOf(simple?.offline ?? false),
      healthcheck: healthcheckOf(table.healthcheck),
    },
    user: simple?.user ?? null,
    issues,
    unsupported: unsupportedReason(),
  };

  function sizeOf(legacy: 'memory' | 'storage', exact: number | undefined, text: number | undefined): number | null {
    if (text !== undefined && exact !== undefined) {
      const at = line(legacy).line;
      throw new AppError('task.invalid', `environment.${legacy} and environment.${legacy}_mb are both set`, {
        where: at === undefined ? join(folder, 'task.toml') : `${join(folder, 'task.toml')}:${at}`,
        hint: `Keep ${legacy}_mb; ${legacy} is its older spelling.`,
      });
    }
    if (text !== undefined) note(legacy, `the older spelling of ${legacy}_mb; read as ${text}`);
    return exact ?? text ?? null;
  }

  function networkOf(isOffline: boolean): TaskEnvironment['network'] {
    const hosts = table.allowed_hosts ?? [];
    if (table.allow_internet !== undefined) note('allow_internet', 'the older spelling of network_mode');
    const given = table.network_mode ?? (table.allow_internet === false || isOffline ? 'no-network' : 'public');
    if (hosts.length > 0 && given !== 'allowlist') {
      const at = line('allowed_hosts').line;
      throw new AppError('task.invalid', `environment.allowed_hosts needs network_mode = "allowlist", not "${given}"`, {
        where: `${join(folder, 'task.toml')}:${at ?? 1}`,
        hint: 'Set network_mode = "allowlist", or remove allowed_hosts.',
      });
    }
    return { mode: given === 'no-network' ? 'none' : given, allowedHosts: hosts };
  }

  function noteUnhonoured(): void {
    if (table.mcp_servers.length > 0) note('mcp_servers', 'MCP servers are not offered to agents yet');
    if (table.skills_dir !== undefined) note('skills_dir', 'skills are not given to agents yet');
    if (table.healthcheck?.start_interval_sec !== undefined) {
      issues.push({
        level: 'note',
        message: 'environment.healthcheck.start_interval_sec: not used; checks run every interval_sec from the start',
        file: 'task.toml',
        ...lineIn(entries, ['environment', 'healthcheck', 'start_interval_sec']),
      });
    }
    if (table.tpu !== undefined) note('tpu', 'the lab has no TPUs');
  }

  function unsupportedReason(): string | null {
    if (table.os === 'windows') return 'It needs a Windows container; the lab runs Linux containers.';
    if (table.tpu !== undefined) return 'It needs a TPU, which the lab does not have.';
    return compose?.kind === 'several'
      ? `It needs Docker Compose (${compose.reason}); tasks of several containers are not played yet.`
      : null;
  }

  function note(key: string, message: string): void {
    issues.push({ level: 'note', message: `environment.${key}: ${message}`, file: 'task.toml', ...line(key) });
  }
}

/** Harbor's health check in the lab's terms, null where there is none. */
function healthcheckOf(table: HarborEnvironment['healthcheck']): TaskEnvironment['healthcheck'] {
  if (!table) return null;
  return {
    command: table.command,
    intervalSec: table.interval_sec,
    timeoutSec: table.timeout_sec,
    startPeriodSec: table.start_period_sec,
    retries: table.retries,
  };
}

async function composeOf(folder: string, file: string): Promise<ComposeRead> {
  const text = (await readText(folder, file)) ?? '';
  return readCompose(text, 'main', COMPOSE_VARS, join(folder, file));
}

async function contextOf(
  folder: string,
  simple: { context: string | null; dockerfile: string } | null,
): Promise<{ folder: string; dockerfile: string } | null> {
  const context = join('environment', simple?.context ?? '.');
  const dockerfile = simple?.context ? simple.dockerfile : 'Dockerfile';
  if (!(await hasFile(folder, join(context, dockerfile)))) return null;
  const inside = await insideOrNull(folder, context);
  return inside === null ? null : { folder: join(folder, context), dockerfile };
}

async function firstFile(folder: string, names: string[]): Promise<string | null> {
  for (const name of names) if (await hasFile(folder, `environment/${name}`)) return `environment/${name}`;
  return null;
}
