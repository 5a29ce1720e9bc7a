// What a Harbor task says, in every spelling that published tasks use, and what its author is told.
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadTask } from './load.ts';
import { taskRowOf } from './row.ts';
import { folderOf, harborFiles } from './test-folder.ts';
import { testUploads } from './uploads.ts';

async function load(replace: Record<string, string>) {
  await using folder = await folderOf(harborFiles(replace));
  return await loadTask(folder.path);
}

describe('fields', () => {
  test('a task that says everything', async () => {
    const task = await load({
      'task.toml': `
schema_version = "1.4"
source = "somewhere"
[task]
name = "lab/everything"
version = "2.0.0"
description = "d"
authors = [{ name = "A", email = "a@example.org" }]
keywords = ["k"]
[metadata]
difficulty = "hard"
category = "networking"
tags = ["a", "b"]
written = 2026-01-02
[agent]
timeout_sec = 900
user = 1000
[verifier]
timeout_sec = 30.5
user = "root"
env = { MODE = "strict" }
[solution]
env = { HINT = "1" }
[environment]
build_timeout_sec = 1200
docker_image = "registry.example/x:1"
cpus = 2
memory_mb = 4096
storage_mb = 10240
gpus = 1
gpu_types = ["h200"]
workdir = "/work"
network_mode = "allowlist"
allowed_hosts = ["pypi.org", "*.example.org", "10.0.0.0/8"]
env = { A = "1" }
[environment.healthcheck]
command = "true"
interval_sec = 2
`,
    });
    expect(task).toMatchObject({
      name: 'lab/everything',
      format: 'harbor',
      schemaVersion: '1.4',
      difficulty: 'hard',
      category: 'networking',
      tags: ['a', 'b'],
      metadata: { written: '2026-01-02' },
      agent: { timeoutSec: 900, user: '1000' },
      verifier: { timeoutSec: 30.5, user: 'root', env: { MODE: 'strict' }, script: 'test.sh', mode: 'shared' },
      solution: { kind: 'script', env: { HINT: '1' } },
      environment: {
        image: 'registry.example/x:1',
        dockerfile: 'Dockerfile',
        buildTimeoutSec: 1200,
        cpus: 2,
        memoryMb: 4096,
        storageMb: 10240,
        gpus: 1,
        gpuTypes: ['h200'],
        workdir: '/work',
        env: { A: '1' },
        network: { mode: 'allowlist', allowedHosts: ['pypi.org', '*.example.org', '10.0.0.0/8'] },
        healthcheck: { command: 'true', intervalSec: 2, timeoutSec: 30, startPeriodSec: 0, retries: 3 },
      },
      issues: [],
      unsupported: null,
    });
  });

  test('a task that says nothing takes the defaults of the format, and its name from its folder', async () => {
    const task = await load({ 'task.toml': '' });
    expect(task.name).toMatch(/^termarium-test-/);
    expect(task).toMatchObject({
      agent: { timeoutSec: null, user: null },
      verifier: { timeoutSec: 600, user: null },
      environment: { buildTimeoutSec: 600, cpus: null, memoryMb: null, gpus: null, network: { mode: 'public' } },
    });
  });

  test('older spellings mean what they meant', async () => {
    const task = await load({ 'task.toml': 'version = "1.0"\n[environment]\nmemory = "2G"\nstorage = "512M"\nallow_internet = false\n' });
    expect(task.schemaVersion).toBe('1.0');
    expect(task.environment).toMatchObject({ memoryMb: 2048, storageMb: 512, network: { mode: 'none' } });
    expect(task.issues.map(({ level, line }) => [level, line])).toEqual([
      ['note', 1],
      ['note', 3],
      ['note', 4],
      ['note', 5],
    ]);
  });

  test('network_mode wins over the older allow_internet', async () => {
    const task = await load({ 'task.toml': '[environment]\nallow_internet = true\nnetwork_mode = "no-network"\n' });
    expect(task.environment.network.mode).toBe('none');
  });
});

describe('mistakes', () => {
  test('an unknown key is told with its line and the nearest known one, and the task still loads', async () => {
    const task = await load({ 'task.toml': '[agent]\n# minutes\ntimout_sec = 5\n\n[environment.helthcheck]\ncommand = "x"\n' });
    expect(task.agent.timeoutSec).toBeNull();
    expect(task.issues).toEqual([
      { level: 'warning', message: 'agent.timout_sec: unknown key; did you mean "timeout_sec"?', file: 'task.toml', line: 3 },
      { level: 'warning', message: 'environment.helthcheck: unknown key; did you mean "healthcheck"?', file: 'task.toml', line: 5 },
    ]);
  });

  test.each([
    ['broken TOML', { 'task.toml': 'a = 1\nb = "open\n' }, 2, 'not valid TOML'],
    ['a key given twice', { 'task.toml': 'source = "a"\nsource = "b"\n' }, 2, 'not valid TOML'],
    ['text for a number', { 'task.toml': '[agent]\ntimeout_sec = "long"\n' }, 2, 'agent.timeout_sec: must be a number, not "long"'],
    ['a negative limit', { 'task.toml': '\n[verifier]\ntimeout_sec = -1\n' }, 3, 'verifier.timeout_sec: Too small'],
    ['a mode out of a list', { 'task.toml': '[environment]\nnetwork_mode = "no_network"\n' }, 2, 'did you mean "no-network"?'],
    [
      'memory said twice',
      { 'task.toml': '[environment]\nmemory_mb = 10\nmemory = "2G"\n' },
      3,
      'environment.memory and environment.memory_mb are both set',
    ],
    ['a size nobody knows', { 'task.toml': '[environment]\nstorage = "lots"\n' }, 2, 'environment.storage: must be a size such as "2G"'],
    ['hosts without an allowlist', { 'task.toml': '[environment]\nallowed_hosts = ["a.org"]\n' }, 2, 'needs network_mode = "allowlist"'],
    ['a URL for a host', { 'task.toml': '[environment]\nnetwork_mode = "allowlist"\nallowed_hosts = ["https://a.org/x"]\n' }, 3, 'no URL'],
    ['a name without an organisation', { 'task.toml': '[task]\nname = "lonely"\n' }, 2, 'task.name: must be written "organisation/name"'],
  ])('%s is an error at its line', async (_, replace: Record<string, string>, line, message) => {
    await using folder = await folderOf(harborFiles(replace));
    await expect(loadTask(folder.path)).rejects.toMatchObject({
      code: 'task.invalid',
      where: `${join(folder.path, 'task.toml')}:${line}`,
      message: expect.stringContaining(message),
    });
  });

  test.each([
    ['instruction.md', 'has no instruction.md'],
    ['tests/test.sh', 'has no tests/test.sh'],
    ['environment/Dockerfile', 'nothing says what the container is made from'],
    ['environment', 'has no folder environment/'],
  ])('without %s it is no task', async (path, message) => {
    await using folder = await folderOf(harborFiles());
    await rm(join(folder.path, path), { recursive: true });
    await expect(loadTask(folder.path)).rejects.toMatchObject({ code: 'task.invalid', message });
  });

  test('a newer schema and fields that change nothing here are told', async () => {
    const task = await load({
      'task.toml': `schema_version = "1.7"
artifacts = ["/app/out"]
[agent]
network_mode = "no-network"
[verifier.env]
KEY = "\${OPENAI_API_KEY:-none}"
[environment]
skills_dir = "skills"
[[environment.mcp_servers]]
name = "m"
`,
    });
    expect(task.issues.map(({ level, line, message }) => `${level} ${line} ${message.split(':')[0]}`)).toEqual([
      'warning 1 schema_version',
      'note 2 artifacts',
      'warning 4 agent.network_mode',
      'note 6 verifier.env.KEY',
      'note 9 environment.mcp_servers',
      'note 8 environment.skills_dir',
    ]);
  });

  test('links that leave the task are never read', async () => {
    await using folder = await folderOf(harborFiles());
    await rm(join(folder.path, 'instruction.md'));
    await symlink('/etc/passwd', join(folder.path, 'instruction.md'));
    await expect(loadTask(folder.path)).rejects.toMatchObject({
      code: 'task.invalid',
      message: expect.stringContaining('leads out of the task'),
    });
  });
});

describe('what cannot be played here', () => {
  test.each([
    ['Windows', '[environment]\nos = "windows"\n', /Windows/],
    ['a TPU', '[environment.tpu]\ntype = "v5e"\n', /TPU/],
    ['a separate verifier', '[verifier.environment]\ncpus = 1\n', /environment of its own/],
  ])('%s', async (_, toml, reason) => {
    const task = await load({ 'task.toml': toml, 'tests/test.bat': '' });
    expect(task.unsupported).toMatch(reason);
    expect(taskRowOf(task).issues[0]).toMatchObject({ level: 'warning', message: task.unsupported });
  });

  test('a compose file with one plain service is read; with more it is named', async () => {
    const plain = await load({
      'environment/docker-compose.yaml': 'services:\n  main:\n    environment: { A: 1 }\n    working_dir: /srv\n',
    });
    expect(plain).toMatchObject({ unsupported: null, environment: { compose: null, env: { A: '1' }, workdir: '/srv' } });
    const several = await load({ 'environment/docker-compose.yaml': 'services:\n  main: {}\n  db:\n    image: postgres\n' });
    expect(several.unsupported).toMatch(/db/);
    expect(several.environment.compose).toMatch(/environment\/docker-compose\.yaml$/);
  });
});

test('steps: shared tests below, own tests above, settings inherited', async () => {
  await using folder = await folderOf({
    ...harborFiles({
      'task.toml': `multi_step_reward_strategy = "final"
[agent]
timeout_sec = 50
[verifier.env]
SHARED = "1"
[[steps]]
name = "one"
min_reward = 0.5
[steps.agent]
timeout_sec = 10
[[steps]]
name = "two"
[steps.verifier]
user = "root"
env = { OWN = "2" }
`,
    }),
    'steps/one/instruction.md': 'First.\n',
    'steps/one/workdir/seed.txt': '1',
    'steps/two/instruction.md': '# canary\nSecond.\n',
    'steps/two/tests/test.sh': 'exit 0\n',
    'steps/two/solution/solve.sh': 'touch two\n',
  });
  await rm(join(folder.path, 'instruction.md'));
  const task = await loadTask(folder.path);
  const [one, two] = task.steps;
  expect(task.instruction).toBe('## Step 1 of 2: one\n\nFirst.\n\n## Step 2 of 2: two\n\nSecond.\n');
  expect(task.multiStepReward).toBe('final');
  expect(one).toMatchObject({ agentTimeoutSec: 10, minReward: 0.5, workdirFolder: join(folder.path, 'steps/one/workdir') });
  expect(two).toMatchObject({
    agentTimeoutSec: 50,
    verifier: { user: 'root', env: { SHARED: '1', OWN: '2' } },
    solution: { kind: 'script' },
  });
  expect(testUploads(task, one)).toEqual([{ path: '.', from: join(folder.path, 'tests') }]);
  expect(testUploads(task, two).map(({ from }) => from)).toEqual([join(folder.path, 'tests'), join(folder.path, 'steps/two/tests')]);

  await rm(join(folder.path, 'steps/one/instruction.md'));
  await expect(loadTask(folder.path)).rejects.toMatchObject({
    message: expect.stringContaining('step "one" has no steps/one/instruction.md'),
  });
});

test('a name of a step cannot lead anywhere but below steps/', async () => {
  await using folder = await folderOf(harborFiles({ 'task.toml': '[[steps]]\nname = "../../etc"\n' }));
  await mkdir(join(folder.path, 'steps'));
  await expect(loadTask(folder.path)).rejects.toMatchObject({ code: 'task.invalid', message: expect.stringContaining('steps[0].name') });
});
