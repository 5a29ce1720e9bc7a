// Finds the container engine the way Docker's own tools do, and says where it looked when there is none.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import Docker from 'dockerode';
import { AppError, messageOf } from '../lib/errors.ts';
import type { EngineInfo } from './sandbox.ts';

/** An engine that answers. */
export interface Engine {
  docker: Docker;
  info: EngineInfo;
  close(): void;
}

interface Endpoint {
  /** Where the address comes from, for messages. */
  source: string;
  url: string;
  tls?: { ca: Buffer; cert: Buffer; key: Buffer };
}

const answerWithinMs = 5_000;

/**
 * Connects to the first engine that answers: DOCKER_HOST, else the current docker context, else the default, rootless and Podman
 * sockets. An endpoint that somebody chose (the first two) is never silently replaced by another. Fails with `docker.unreachable`.
 */
export async function connectEngine(env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<Engine> {
  const tried: string[] = [];
  for (const endpoint of endpoints(env)) {
    signal?.throwIfAborted();
    try {
      return await open(endpoint);
    } catch (error) {
      tried.push(`${endpoint.url} (${endpoint.source}): ${messageOf(error)}`);
    }
  }
  throw new AppError('docker.unreachable', `no container engine answers; tried ${tried.join('; ')}`, {
    hint:
      process.platform === 'linux'
        ? 'Start Docker (sudo systemctl start docker, or sudo dockerd &) or point DOCKER_HOST at an engine; your user must be in the group docker.'
        : 'Start Docker Desktop, or point DOCKER_HOST at an engine.',
    retryable: true,
  });
}

/** Addresses to try, in order. Exported for its test. */
export function endpoints(env: NodeJS.ProcessEnv, home: string = homedir()): Endpoint[] {
  if (env.DOCKER_HOST) {
    const certificates = env.DOCKER_TLS_VERIFY ? (env.DOCKER_CERT_PATH ?? join(home, '.docker')) : undefined;
    return [{ source: 'DOCKER_HOST', url: env.DOCKER_HOST, ...(certificates ? { tls: readTls(certificates) } : {}) }];
  }
  const context = currentContext(env, env.DOCKER_CONFIG ?? join(home, '.docker'));
  if (context) return [context];
  const runtime = env.XDG_RUNTIME_DIR ?? (process.getuid ? `/run/user/${process.getuid()}` : undefined);
  const sockets: [string, string | undefined][] = [
    ['default socket', process.platform === 'win32' ? '//./pipe/docker_engine' : '/var/run/docker.sock'],
    ['Docker Desktop', join(home, '.docker', 'run', 'docker.sock')],
    ['rootless Docker', runtime && join(runtime, 'docker.sock')],
    ['rootless Podman', runtime && join(runtime, 'podman', 'podman.sock')],
    ['Podman', '/run/podman/podman.sock'],
  ];
  return sockets.flatMap(([source, path]) => (path ? [{ source, url: `${path.startsWith('//') ? 'npipe' : 'unix'}://${path}` }] : []));
}

/** The context that the docker command line would use, unless it is the default one. */
function currentContext(env: NodeJS.ProcessEnv, configFolder: string): Endpoint | undefined {
  const name = env.DOCKER_CONTEXT ?? readJson(join(configFolder, 'config.json'))?.currentContext;
  if (typeof name !== 'string' || name === '' || name === 'default') return undefined;
  // Contexts are stored under the hash of their name: docs.docker.com/engine/manage-resources/contexts
  const id = createHash('sha256').update(name).digest('hex');
  const meta = readJson(join(configFolder, 'contexts', 'meta', id, 'meta.json'));
  const host = meta?.Endpoints?.docker?.Host;
  const source = `docker context ${name}`;
  if (typeof host !== 'string') return { source, url: `context ${name} has no endpoint` };
  const tls = join(configFolder, 'contexts', 'tls', id, 'docker');
  return { source, url: host, ...(existsSync(join(tls, 'key.pem')) ? { tls: readTls(tls) } : {}) };
}

interface DockerJson {
  currentContext?: unknown;
  Endpoints?: { docker?: { Host?: unknown } };
}

function readJson(path: string): DockerJson | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    // Both files are objects by Docker's definition; each field read is checked where it is used.
    return typeof value === 'object' && value !== null ? (value as DockerJson) : undefined;
  } catch {
    return undefined;
  }
}

function readTls(folder: string): { ca: Buffer; cert: Buffer; key: Buffer } {
  try {
    const [ca, cert, key] = ['ca.pem', 'cert.pem', 'key.pem'].map((name) => readFileSync(join(folder, name)));
    if (ca && cert && key) return { ca, cert, key };
    throw new Error('incomplete');
  } catch (error) {
    throw new AppError('docker.unreachable', `cannot read the engine's TLS certificates in ${folder}: ${messageOf(error)}`, {
      hint: 'DOCKER_CERT_PATH must hold ca.pem, cert.pem and key.pem.',
    });
  }
}

async function open(endpoint: Endpoint): Promise<Engine> {
  // One agent per engine: connections are reused, and closing the provider closes them.
  const agent = new QuietAgent({ keepAlive: true });
  try {
    const docker = new Docker(connection(endpoint, agent));
    const [version, info] = await withTimeout(Promise.all([docker.version(), docker.info()]), answerWithinMs);
    return {
      docker,
      info: {
        version: version.Version,
        apiVersion: version.ApiVersion,
        endpoint: endpoint.url,
        cpus: info.NCPU,
        memoryBytes: info.MemTotal,
        gpuRuntime: Object.hasOwn(info.Runtimes ?? {}, 'nvidia'),
        storageQuota: mayHaveQuota(info),
      },
      close: () => agent.destroy(),
    };
  } catch (error) {
    agent.destroy();
    throw error;
  }
}

/**
 * docker-modem formats every request for its debug log, whether that is written or not, and with it all that hangs off the agent: sockets,
 * buffers, whole parsers, which takes longer than the request.
 */
class QuietAgent extends Agent {
  [inspect.custom](): string {
    return 'Agent';
  }
}

/** The agent is an option of docker-modem that its types leave out. */
function connection(endpoint: Endpoint, agent: Agent): Docker.DockerOptions & { agent?: Agent } {
  const { url, tls } = endpoint;
  if (url.startsWith('unix://')) return { socketPath: url.slice('unix://'.length), agent };
  if (url.startsWith('npipe://')) return { socketPath: url.slice('npipe://'.length), agent };
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  switch (parsed?.protocol) {
    case 'ssh:':
      return {
        protocol: 'ssh',
        host: parsed.hostname,
        port: parsed.port || 22,
        username: parsed.username,
        sshOptions: { ...(process.env.SSH_AUTH_SOCK ? { agent: process.env.SSH_AUTH_SOCK } : {}) },
      };
    case 'tcp:':
    case 'http:':
    case 'https:':
      if (tls || parsed.protocol === 'https:') return { protocol: 'https', host: parsed.hostname, port: parsed.port || 2376, ...tls };
      return { protocol: 'http', host: parsed.hostname, port: parsed.port || 2375, agent };
    default:
      throw new Error('not an address of an engine (unix://, npipe://, tcp://, ssh://)');
  }
}

/** Storage drivers that can limit a container's disk. overlay2 can on xfs only, and whether it really does shows at the first try. */
function mayHaveQuota(info: { Driver?: string; DriverStatus?: [string, string][] }): boolean {
  const backing = info.DriverStatus?.find(([name]) => name === 'Backing Filesystem')?.[1];
  return info.Driver === 'btrfs' || info.Driver === 'zfs' || (info.Driver === 'overlay2' && backing === 'xfs');
}

async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
