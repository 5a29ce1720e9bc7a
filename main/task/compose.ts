// Compose files of tasks. One plain service is what a Dockerfile says with a few settings, and is read as that; anything more is left
// to tasks of several containers.
import { isMap, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import * as z from 'zod';
import { AppError } from '../lib/errors.ts';

export interface SimpleService {
  kind: 'simple';
  /** Build context relative to the compose file's folder; null where only an image is named. */
  context: string | null;
  dockerfile: string;
  image: string | null;
  env: Record<string, string>;
  workdir: string | null;
  user: string | null;
  cpus: number | null;
  memoryMb: number | null;
  /** `network_mode: none` */
  offline: boolean;
}

export type ComposeRead = SimpleService | { kind: 'several'; reason: string; line: number };

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const environment = z.union([z.array(z.string()), z.record(z.string(), scalar.nullable())]).default([]);
const service = z.object({
  build: z.union([z.string(), z.strictObject({ context: z.string().optional(), dockerfile: z.string().optional() })]).optional(),
  image: z.string().optional(),
  environment,
  working_dir: z.string().optional(),
  user: scalar.optional(),
  cpus: scalar.optional(),
  mem_limit: scalar.optional(),
  network_mode: z.enum(['none', 'bridge']).optional(),
  deploy: z
    .strictObject({
      resources: z.strictObject({
        limits: z.strictObject({ cpus: scalar.optional(), memory: scalar.optional() }).optional(),
        reservations: z.unknown().optional(),
      }),
    })
    .optional(),
});

/** Keys that change nothing for one container that the lab keeps alive itself. */
const HARMLESS = [
  'container_name',
  'command',
  'volumes',
  'expose',
  'stdin_open',
  'tty',
  'init',
  'stop_grace_period',
  'pull_policy',
  'restart',
  'platform',
];
const UNDERSTOOD = [...Object.keys(service.shape), ...HARMLESS];

/**
 * Reads a compose file whose main service is called `main`. `vars` are what the format's harness puts in for `${NAME}`; a variable
 * without value and default becomes empty, as in Compose. `where` is the file's path, for errors (`task.invalid`).
 */
export function readCompose(text: string, main: string, vars: Record<string, string>, where: string): ComposeRead {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [problem] = document.errors;
  if (problem) {
    throw new AppError('task.invalid', `not valid YAML: ${problem.message}`, { where: `${where}:${lines.linePos(problem.pos[0]).line}` });
  }
  const lineAt = (path: string[]) => lineOfKey(document.contents, path, lines);
  const services = z.object({ services: z.record(z.string(), z.unknown()) }).safeParse(document.toJS());
  if (!services.success || !Object.hasOwn(services.data.services, main)) {
    throw new AppError('task.invalid', `has no service "${main}"`, { where, hint: `The agent's container is the service "${main}".` });
  }
  const others = Object.keys(services.data.services).filter((name) => name !== main);
  const [other] = others;
  if (other !== undefined) {
    return {
      kind: 'several',
      reason: `it starts ${others.length} more container(s): ${others.join(', ')}`,
      line: lineAt(['services', other]),
    };
  }

  const raw = interpolate(services.data.services[main] ?? {}, vars);
  const keys = typeof raw === 'object' && raw !== null ? Object.keys(raw) : [];
  const strange =
    keys.find((key) => !UNDERSTOOD.includes(key)) ?? (hasForeignVolume(raw) ? 'volumes' : isForeignCommand(raw) ? 'command' : null);
  if (strange !== null) {
    return { kind: 'several', reason: `its service "${main}" uses "${strange}"`, line: lineAt(['services', main, strange]) };
  }
  const parsed = service.safeParse(raw);
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.map(String) ?? [];
    return {
      kind: 'several',
      reason: `its service "${main}" uses a form of "${path.join('.')}" that one Dockerfile cannot say`,
      line: lineAt(['services', main, ...path]),
    };
  }
  return simple(parsed.data);
}

function simple(data: z.infer<typeof service>): SimpleService {
  const build = typeof data.build === 'string' ? { context: data.build, dockerfile: undefined } : data.build;
  const limits = data.deploy?.resources.limits;
  const cpus = Number.parseFloat(limits?.cpus ?? data.cpus ?? '');
  return {
    kind: 'simple',
    context: build ? (build.context ?? '.') : null,
    dockerfile: build?.dockerfile ?? 'Dockerfile',
    // With a build, `image` only names the result.
    image: build ? null : (data.image ?? null),
    env: envOf(data.environment),
    workdir: data.working_dir ?? null,
    user: data.user ?? null,
    cpus: Number.isFinite(cpus) && cpus > 0 ? cpus : null,
    memoryMb: mebibytes(limits?.memory ?? data.mem_limit ?? ''),
    offline: data.network_mode === 'none',
  };
}

function envOf(given: z.infer<typeof environment>): Record<string, string> {
  if (!Array.isArray(given)) return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? '']));
  return Object.fromEntries(
    given.map((line) => {
      const [name = '', ...value] = line.split('=');
      return [name, value.join('=')];
    }),
  );
}

/** Log folders are mounted by the benchmark's own harness; the lab reads logs out of the container instead. */
function hasForeignVolume(raw: unknown): boolean {
  const volumes = typeof raw === 'object' && raw !== null && 'volumes' in raw ? raw.volumes : [];
  return (
    !Array.isArray(volumes) ||
    volumes.some((volume) => typeof volume !== 'string' || !/:\/(logs|agent-logs)(\/[\w/-]*)?(:\w+)?$/.test(volume.trim()))
  );
}

/** The lab keeps a container alive by itself; only a command that did just that can be dropped. */
function isForeignCommand(raw: unknown): boolean {
  if (typeof raw !== 'object' || raw === null || !('command' in raw)) return false;
  const words = Array.isArray(raw.command) ? raw.command.join(' ') : String(raw.command);
  return !/^\s*((\/bin\/)?(ba)?sh -c\s+)?["']?(sleep (infinity|inf|\d+)|tail -f \/dev\/null)["']?\s*$/.test(words);
}

/** Compose's `${NAME}`, `${NAME:-default}`, `${NAME-default}`, `$NAME` and `$$`, in every string of a value. */
function interpolate(value: unknown, vars: Record<string, string>): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\$(?:\$|\{(\w+)(?::?-([^}]*))?\}|(\w+))/g, (whole, braced?: string, fallback?: string, bare?: string) =>
      whole === '$$' ? '$' : (vars[braced ?? bare ?? ''] ?? fallback ?? ''),
    );
  }
  if (Array.isArray(value)) return value.map((item) => interpolate(item, vars));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolate(item, vars)]));
  }
  return value;
}

function mebibytes(text: string): number | null {
  const size = /^(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?$/i.exec(text.trim());
  if (!size) return null;
  const factor = { '': 1 / 1024 / 1024, k: 1 / 1024, m: 1, g: 1024, t: 1024 * 1024 }[(size[2] ?? '').toLowerCase()] ?? 1;
  return Math.ceil(Number.parseFloat(size[1] ?? '') * factor);
}

function lineOfKey(root: Node | null, path: string[], lines: LineCounter): number {
  let node: unknown = root;
  let line = 1;
  for (const part of path) {
    const pair = isMap(node) ? node.items.find((item) => isScalar(item.key) && String(item.key.value) === part) : undefined;
    if (!pair) break;
    if (isScalar(pair.key) && pair.key.range) line = lines.linePos(pair.key.range[0]).line;
    node = pair.value;
  }
  return line;
}
