// Where an engine is looked for, and what the engine is asked for.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { endpoints } from './engine.ts';
import { resolveAlias, withTag } from './image.ts';
import { currentOwner, fromLabels, ownerState, toLabels } from './labels.ts';
import { hostConfig } from './limits.ts';
import type { EngineInfo, SandboxSpec } from './sandbox.ts';

describe('an engine is looked for', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'termarium-home-'));
  });
  afterEach(() => rm(home, { recursive: true }));

  const urls = (env: NodeJS.ProcessEnv) => endpoints(env, home).map((endpoint) => endpoint.url);

  async function context(name: string, host: string) {
    const meta = join(home, '.docker', 'contexts', 'meta', createHash('sha256').update(name).digest('hex'));
    await mkdir(meta, { recursive: true });
    await writeFile(join(meta, 'meta.json'), JSON.stringify({ Name: name, Endpoints: { docker: { Host: host } } }));
    await writeFile(join(home, '.docker', 'config.json'), JSON.stringify({ currentContext: name }));
  }

  test('at DOCKER_HOST only, where it is set', async () => {
    await context('work', 'ssh://me@gpu-box');
    expect(urls({ DOCKER_HOST: 'tcp://10.0.0.1:2375' })).toEqual(['tcp://10.0.0.1:2375']);
  });

  test('at the current context of the docker command line', async () => {
    await context('work', 'ssh://me@gpu-box');
    expect(urls({})).toEqual(['ssh://me@gpu-box']);
    expect(endpoints({ DOCKER_CONTEXT: 'gone' }, home)).toEqual([{ source: 'docker context gone', url: 'context gone has no endpoint' }]);
  });

  test('at the default, rootless and Podman sockets, in this order', () => {
    expect(urls({ XDG_RUNTIME_DIR: '/run/user/7' })).toEqual([
      'unix:///var/run/docker.sock',
      `unix://${home}/.docker/run/docker.sock`,
      'unix:///run/user/7/docker.sock',
      'unix:///run/user/7/podman/podman.sock',
      'unix:///run/podman/podman.sock',
    ]);
  });
});

describe('an owner', () => {
  test('is alive while its process is, and dead after', async () => {
    expect(ownerState(currentOwner())).toBe('alive');
    const other = spawn(process.execPath, [
      '--input-type=module-typescript',
      '-e',
      `import { currentOwner } from ${JSON.stringify(join(import.meta.dirname, 'labels.ts'))}; console.log(currentOwner()); setInterval(() => {}, 1000)`,
    ]);
    const [owner] = (await once(other.stdout, 'data')).map(String);
    expect(ownerState(owner?.trim() ?? '')).toBe('alive');
    other.kill('SIGKILL');
    await once(other, 'exit');
    expect(ownerState(owner?.trim() ?? '')).toBe('dead');
  });

  test('of an earlier process with the same pid, or of an earlier boot, is dead; of another host, unknown', () => {
    const [host, boot, pid, start] = currentOwner().split('/');
    expect(ownerState([host, boot, pid, Number(start) - 1].join('/'))).toBe('dead');
    expect(ownerState([host, '00000000', pid, start].join('/'))).toBe('dead');
    expect(ownerState(['elsewhere', boot, pid, start].join('/'))).toBe('unknown');
    expect([ownerState(''), ownerState(`${hostname()}/x/-1/`)]).toEqual(['unknown', 'unknown']);
  });

  test('cannot be changed by labels from outside', () => {
    const labels = toLabels({ lab: 'l', owner: 'o', kind: 'box' }, { owner: 'someone else', run: 'r' });
    expect(fromLabels({ ...labels, 'com.example': 'x' })).toEqual({ lab: 'l', owner: 'o', kind: 'box', run: 'r' });
  });
});

test('an alias is found under every spelling of an image name', () => {
  const aliases = { 'ubuntu:24.04': 'local/ubuntu:1', 'ghcr.io/a/b': 'local/b:1' };
  for (const name of ['ubuntu:24.04', 'library/ubuntu:24.04', 'docker.io/library/ubuntu:24.04'])
    expect(resolveAlias(name, aliases)).toBe('local/ubuntu:1');
  expect(resolveAlias('ghcr.io/a/b:latest', aliases)).toBe('local/b:1');
  expect(resolveAlias('ubuntu', aliases)).toBe('ubuntu');
  expect([withTag('localhost:5000/a'), withTag('a@sha256:00'), withTag('a:1')]).toEqual(['localhost:5000/a:latest', 'a@sha256:00', 'a:1']);
});

test('limits: what a task asks for, cut to what the engine has; locked caps them; nothing is ever privileged or mounted', () => {
  const info: EngineInfo = { version: '', apiVersion: '', endpoint: '', cpus: 4, memoryBytes: 0, gpuRuntime: true, storageQuota: true };
  const spec: SandboxSpec = {
    image: 'i',
    resources: { cpus: 16, memoryMb: 2048, storageMb: 10_240, shmMb: 64, gpus: 2 },
    network: { mode: 'none', allowedHosts: [] },
    profile: 'compatible',
    env: {},
    labels: {},
  };
  expect(hostConfig(spec, info, 'none')).toEqual({
    NetworkMode: 'none',
    NanoCpus: 4e9,
    Memory: 2 ** 31,
    MemorySwap: 2 ** 31,
    PidsLimit: 4096,
    ShmSize: 64 * 2 ** 20,
    StorageOpt: { size: '10240M' },
    DeviceRequests: [{ Driver: '', Count: 2, Capabilities: [['gpu']] }],
    Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
    LogConfig: { Type: 'none', Config: {} },
  });
  const locked = hostConfig({ ...spec, profile: 'locked', resources: { memoryMb: 100 } }, { ...info, storageQuota: false }, 'none');
  expect(locked).toMatchObject({
    Memory: 100 * 2 ** 20,
    NanoCpus: 1e9,
    PidsLimit: 64,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
  });
});
