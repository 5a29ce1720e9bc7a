// The suite against a real engine, and what only a real engine can show: limits, process trees, builds, pool, reaping.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDockerProvider, type DockerOptions } from './docker.ts';
import { currentOwner } from './labels.ts';
import { readUntil, sandboxSuite } from './sandbox.suite.ts';
import type { Sandbox, SandboxProvider, SandboxSpec } from './sandbox.ts';

const reference = 'termarium/base:1';
const engine = new Docker();
const quiet = { info() {}, warn() {} };

function provider(lab: string, options: Partial<DockerOptions> = {}): SandboxProvider {
  return createDockerProvider({ lab: `test-${lab}-${process.pid}`, owner: currentOwner(), aliases: {}, log: quiet, ...options });
}

sandboxSuite('in Docker', async () => ({
  provider: provider('suite'),
  reference,
  kill: (box) => engine.getContainer(box.id).kill(),
}));

describe('a container', () => {
  let lab: SandboxProvider;
  let spec: SandboxSpec;

  beforeAll(async () => {
    lab = provider('own');
    spec = {
      image: await lab.prepareImage({ reference }, {}),
      resources: {},
      network: { mode: 'none', allowedHosts: [] },
      profile: 'compatible',
      env: {},
      labels: {},
    };
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  const processes = async (box: Sandbox) => {
    const { stdout } = await box.exec(['ps', '-eo', 'args']);
    return stdout.split('\n').filter((line) => line !== '' && !/^(COMMAND|ps |sh -c trap|sleep 2147483647)/.test(line));
  };

  test('survives an agent that kills everything it can, PID 1 included', async () => {
    await using box = await lab.start(spec);
    await box.exec(['sh', '-c', 'kill -9 1; kill -TERM 1; pkill -9 sleep; kill -9 -1']);
    expect(await box.alive()).toBe(true);
    expect((await box.exec(['echo', 'here'])).stdout).toBe('here\n');
  });

  test('reaps what is left to PID 1', async () => {
    await using box = await lab.start(spec);
    await box.exec(['sh', '-c', '(sleep 0.05 &) ; exit 0']);
    await expect.poll(async () => (await box.exec(['ps', '-eo', 'stat,args'])).stdout).not.toMatch(/sleep 0\.05|^Z/m);
  });

  test('has no process left of a program that ran over its time, whatever it started', async () => {
    await using box = await lab.start(spec);
    const result = await box.exec(['bash', '-c', 'set -m; sleep 901 & setsid sleep 902 & nohup bash -c "sleep 903; :" & wait'], {
      timeoutMs: 700,
    });
    expect(result.timedOut).toBe(true);
    expect(await processes(box)).toEqual([]);
  });

  test('gives the result of a test script at its end, though a daemon that it left behind keeps its output open', async () => {
    await using box = await lab.start(spec);
    const script = '#!/bin/bash\npython3 -m http.server 8000 &\nsetsid sleep 907 &\necho passed\necho 1 >/reward.txt\nexit 3\n';
    await box.upload('/tests', [{ path: 'test.sh', content: script, mode: 0o755 }]);
    const result = await box.exec(['sh', '-c', '/tests/test.sh'], { timeoutMs: 60_000 });
    expect(result).toMatchObject({ exitCode: 3, stdout: 'passed\n', timedOut: false });
    expect((await processes(box)).toSorted()).toEqual(['python3 -m http.server 8000', 'sleep 907']);
  });

  test('is ready again after a fork bomb that has used up its processes', async () => {
    await using box = await lab.start({ ...spec, resources: { pids: 40 } });
    await using tty = await box.openTty({
      command: ['bash', '-c', 'f() { while :; do sleep 1000 & done; }; f 2>/dev/null'],
      cols: 80,
      rows: 24,
    });
    tty.output.resume();
    const used = async () => (await engine.getContainer(box.id).top()).Processes.length;
    await expect.poll(used, { timeout: 20_000 }).toBeGreaterThan(35);
    expect(await box.stopProcesses()).toBeGreaterThan(30);
    expect(await processes(box)).toEqual([]);
  });

  test('is killed when it writes more than its storage, and says so', async () => {
    await using box = await lab.start({ ...spec, resources: { storageMb: 20 } });
    await box.exec(['sh', '-c', 'head -c 60000000 /dev/zero >/big; exit 0']).catch(() => {});
    await expect.poll(() => box.alive(), { timeout: 20_000 }).toBe(false);
    expect(await box.whyEnded()).toBe('it wrote more than 20 MB to its disk');
  });

  test('kills what needs more memory than it may have, and lives on', async () => {
    await using box = await lab.start({ ...spec, resources: { memoryMb: 64 } });
    const result = await box.exec(['python3', '-c', 'print(len(bytearray(500_000_000)))']);
    expect(result).toMatchObject({ exitCode: 137, stdout: '' });
    expect(await box.alive()).toBe(true);
  });

  test('prints 200 MB without holding it in memory', async () => {
    await using box = await lab.start(spec);
    const before = process.memoryUsage().rss;
    const result = await box.exec(['sh', '-c', 'head -c 200000000 /dev/zero | tr "\\0" x']);
    expect(result.omittedBytes).toBe(200_000_000 - 1024 * 1024);
    expect(process.memoryUsage().rss - before).toBeLessThan(250e6);
  });

  test('that is locked has no capability, no network, and 64 processes', async () => {
    await using box = await lab.start({ ...spec, profile: 'locked', network: { mode: 'public', allowedHosts: [] } });
    const { stdout } = await box.exec(['sh', '-c', 'grep -E "CapEff|NoNewPrivs" /proc/self/status; ls /sys/class/net']);
    expect(stdout).toBe('CapEff:\t0000000000000000\nNoNewPrivs:\t1\nlo\n');
    const { HostConfig } = await engine.getContainer(box.id).inspect();
    expect(HostConfig).toMatchObject({
      PidsLimit: 64,
      Memory: 512 * 1024 * 1024,
      MemorySwap: 512 * 1024 * 1024,
      NanoCpus: 1e9,
      Privileged: false,
    });
  });

  test('that is locked is emptied although root in it may signal nobody', async () => {
    await using box = await lab.start({ ...spec, profile: 'locked' });
    await using tty = await box.openTty({ command: ['sleep', '1000'], cols: 80, rows: 24, user: 'user' });
    tty.output.resume();
    expect(await box.stopProcesses()).toBe(1);
    expect(await processes(box)).toEqual([]);
  });

  test('on a public network gets an address of its own and cannot reach its neighbour', async () => {
    const open: SandboxSpec = { ...spec, network: { mode: 'public', allowedHosts: [] } };
    await using one = await lab.start(open);
    await using two = await lab.start(open);
    const address = async (box: Sandbox) => (await box.exec(['hostname', '-i'])).stdout.trim();
    await using server = await two.openTty({ command: ['nc', '-l', '-p', '4000'], cols: 80, rows: 24 });
    server.output.resume();
    const result = await one.exec(['nc', '-z', '-w', '1', await address(two), '4000']);
    expect(await address(one)).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect(result.exitCode).not.toBe(0);
  });

  test('keeps owner and mode of a folder that files are uploaded to', async () => {
    await using box = await lab.start(spec);
    await box.exec(['sh', '-c', 'mkdir -p /app/src && chown -R user /app && chmod 700 /app']);
    await box.upload('/app', [
      { path: 'src/run.sh', content: 'x', mode: 0o750, uid: 1000 },
      { path: 'new/a', content: '' },
    ]);
    const { stdout } = await box.exec(['stat', '-c', '%n %U %a', '/app', '/app/src', '/app/src/run.sh', '/app/new', '/tmp']);
    expect(stdout).toBe('/app user 700\n/app/src user 755\n/app/src/run.sh user 750\n/app/new root 755\n/tmp root 1777\n');
  });

  test('gives a terminal that stops its program while nobody reads', async () => {
    await using box = await lab.start(spec);
    await using tty = await box.openTty({ command: ['sh', '-c', 'seq 1 20000000; echo finished >/done'], cols: 80, rows: 24 });
    await readUntil(tty, /1000\r\n/);
    tty.output.pause();
    // Longer than it would take to print everything.
    const { exitCode } = await box.exec(['sh', '-c', 'for i in $(seq 1 20); do [ -e /done ] && exit 1; sleep 0.1; done']);
    expect(exitCode).toBe(0);
  });

  test('hands back its terminals without a trace', async () => {
    await using box = await lab.start(spec);
    for (let round = 0; round < 5; round += 1) {
      await using tty = await box.openTty({ command: ['bash'], cols: 80, rows: 24 });
      await readUntil(tty, /[#$] /);
    }
    await expect.poll(() => processes(box)).toEqual([]);
  });

  test('is ready at once from the pool, and nothing is started that nobody will use', async () => {
    await using warm = provider('pool');
    const pooled = { ...spec, image: await warm.prepareImage({ reference }, {}) };
    const ids = async () => (await warm.list()).filter((thing) => thing.kind === 'container').map((thing) => thing.id);
    warm.warm(pooled, 2);
    await expect.poll(ids, { timeout: 20_000 }).toHaveLength(2);
    const ready = await ids();
    await using box = await warm.start({ ...pooled, labels: { rollout: 'r7' } });
    expect(ready).toContain(box.id);
    expect((await warm.list()).find((thing) => thing.id === box.id)?.labels.rollout).toBe('r7');
    await using other = await warm.start({ ...pooled, env: { X: '1' } });
    expect((await ids()).toSorted()).toEqual([...ready, other.id].toSorted());
    warm.warm(pooled, 0);
    await expect.poll(async () => (await ids()).toSorted(), { timeout: 20_000 }).toEqual([box.id, other.id].toSorted());
  });

  test('that is frozen changes no more, runs nothing, and can be read, compared and kept', async () => {
    await using box = await lab.start(spec);
    await box.exec(['sh', '-c', 'nohup sh -c "while :; do date +%s%N > /var/now; done" >/dev/null 2>&1 &']);
    expect(await box.freeze()).toBeGreaterThan(0);
    const then = String(await box.readFile('/var/now'));
    await using snapshot = await box.snapshot({});
    expect(String(await box.readFile('/var/now'))).toBe(then);
    expect(await box.changes()).toContainEqual({ path: '/var/now', kind: 'A' });
    expect([await box.alive(), await box.whyEnded()]).toEqual([true, null]);
    await expect(box.exec(['true'])).rejects.toMatchObject({ code: 'sandbox.lost' });
    await using copy = await lab.start({ ...spec, image: snapshot.image });
    expect(String(await copy.readFile('/var/now'))).toBe(then);
    expect(await processes(copy)).toEqual([]);
  });

  describe('that waited in the pool', () => {
    let warm: SandboxProvider;
    let pooled: SandboxSpec;
    beforeAll(async () => {
      warm = provider('waiting');
      pooled = { ...spec, image: await warm.prepareImage({ reference }, {}), terminalUser: 'nobody' };
    });
    afterAll(() => warm[Symbol.asyncDispose]());
    const taken = () => {
      warm.warm(pooled, 1);
      return warm.start(pooled);
    };
    const said = async (box: Sandbox, user: string, text: string) => {
      await using tty = await box.openTty({ command: ['sh', '-c', text], cols: 91, rows: 7, user, env: { ODD: "a'b\\n\t\u0003 é\n" } });
      return await readUntil(tty, /end\r\n/);
    };

    test('has a terminal open for its user, which starts any program with any environment', async () => {
      await using box = await taken();
      // A shell waits there already, and becomes the program.
      expect(await processes(box)).toHaveLength(1);
      expect(await said(box, 'nobody', 'id -un; stty size; printf %s "$ODD" | od -An -c; env | grep -c termarium_; echo end')).toBe(
        "nobody\r\n7 91\r\n   a   '   b   \\   n  \\t 003     303 251  \\n\r\n0\r\nend\r\n",
      );
    });

    test('opens a terminal for another user as well, and leaves none behind', async () => {
      await using box = await taken();
      expect(await said(box, 'root', 'id -un; echo end')).toBe('root\r\nend\r\n');
      await expect.poll(() => processes(box)).toEqual([]);
    });

    test('counts no process that it made itself as one of the agent', async () => {
      await using box = await taken();
      expect(await box.stopProcesses()).toBe(0);
    });
  });

  test('hands no entrypoint on to its snapshot where its image has none', async () => {
    await using box = await lab.start(spec);
    await using snapshot = await box.snapshot({});
    expect((await engine.getImage(snapshot.image).inspect()).Config.Entrypoint).toBeNull();
  });

  describe('of an image with an ENTRYPOINT', () => {
    const logged: [object, string][] = [];
    let own: SandboxProvider;
    let context: string;
    beforeAll(async () => {
      own = provider('entrypoint', { log: { info() {}, warn: (facts, message) => logged.push([facts, message]) } });
      context = await mkdtemp(join(tmpdir(), 'termarium-entrypoint-'));
    });
    afterAll(async () => {
      await own.reap({ all: true, images: true });
      await own[Symbol.asyncDispose]();
      await rm(context, { recursive: true });
    });
    const imageWith = async (entrypoint: string, ...script: string[]) => {
      await writeFile(join(context, 'entry.sh'), ['#!/bin/sh', ...script, ''].join('\n'), { mode: 0o755 });
      await writeFile(join(context, 'Dockerfile'), `FROM ${reference}\nCOPY entry.sh /\nENTRYPOINT ${entrypoint}\nCMD ["bash"]\n`);
      return own.prepareImage({ context }, {});
    };
    const service = 'nc -lk 127.0.0.1 4000 >/dev/null';
    const served = async (box: Sandbox) => (await box.exec(['nc', '-z', '127.0.0.1', '4000'])).exitCode === 0;

    test('has what the entrypoint starts, before and after the agent is stopped, and in what grows from its snapshot', async () => {
      const image = await imageWith('["/entry.sh"]', `${service} &`, 'until nc -z 127.0.0.1 4000; do sleep 0.1; done', 'exec "$@"');
      await using box = await own.start({ ...spec, image });
      expect(await served(box)).toBe(true);
      expect(await box.stopProcesses()).toBe(0);
      await using tty = await box.openTty({ command: ['bash', '-c', 'setsid sleep 904 & sleep 905'], cols: 80, rows: 24 });
      tty.output.resume();
      await expect.poll(() => processes(box)).toContain('sleep 904');
      expect(await box.stopProcesses()).toBe(3);
      expect(await processes(box)).toEqual([service.split(' >')[0]]);
      expect(await served(box)).toBe(true);
      await using snapshot = await box.snapshot({});
      await using copy = await own.start({ ...spec, image: snapshot.image });
      expect(await served(copy)).toBe(true);
      expect(logged).toEqual([]);
    });

    test('lives on under an entrypoint that stays above its command', async () => {
      const image = await imageWith('["/entry.sh"]', '"$@"', 'exit 3');
      await using box = await own.start({ ...spec, image });
      await box.exec(['sh', '-c', 'setsid sleep 906 >/dev/null 2>&1 &']);
      expect(await box.stopProcesses()).toBe(1);
      expect(await box.alive()).toBe(true);
      expect(await processes(box)).toEqual([expect.stringMatching(/^\/bin\/sh \/entry\.sh /)]);
    });

    test.each([
      ['fails', '["/entry.sh"]', 'exit 7'],
      ['does something else with its arguments', '["python3"]', ''],
      ['cannot be started at all', '["/no/such/file"]', ''],
    ])('is started without an entrypoint that %s, and the log says so', async (_what, entrypoint, script) => {
      logged.length = 0;
      const image = await imageWith(entrypoint, script);
      await using box = await own.start({ ...spec, image });
      expect((await box.exec(['echo', 'here'])).stdout).toBe('here\n');
      expect(logged).toEqual([[{ image, entrypoint: JSON.parse(entrypoint) }, expect.stringContaining('started without it')]]);
      expect((await own.list()).filter((thing) => thing.kind === 'container')).toHaveLength(1);
      await using snapshot = await box.snapshot({});
      await using _copy = await own.start({ ...spec, image: snapshot.image });
      expect(logged).toHaveLength(1);
    });
  });

  test('that died while it waited in the pool is not handed out', async () => {
    await using warm = provider('pool-died');
    const pooled = { ...spec, image: await warm.prepareImage({ reference }, {}) };
    warm.warm(pooled, 1);
    const running = async () => (await warm.list()).filter((thing) => / Up /.test(` ${thing.detail} `.replace(',', ' ')));
    await expect.poll(running, { timeout: 20_000 }).toHaveLength(1);
    const [ready] = await running();
    await engine.getContainer(ready?.id ?? '').kill();
    await expect.poll(running).toEqual([]);
    await using box = await warm.start(pooled);
    expect(box.id).not.toBe(ready?.id);
    expect((await box.exec(['echo', 'here'])).stdout).toBe('here\n');
  });

  test('that a killed lab left behind is found and removed by the next one; a living one keeps its own', async () => {
    const labId = `test-reap-${process.pid}`;
    const script = `
      import { createDockerProvider } from ${JSON.stringify(`${import.meta.dirname}/docker.ts`)};
      import { currentOwner } from ${JSON.stringify(`${import.meta.dirname}/labels.ts`)};
      const lab = createDockerProvider({ lab: ${JSON.stringify(labId)}, owner: currentOwner(), aliases: {}, log: { info() {}, warn() {} } });
      const image = await lab.prepareImage({ reference: '${reference}' }, {});
      const box = await lab.start({ image, resources: {}, network: { mode: 'public', allowedHosts: [] }, profile: 'compatible', env: {}, labels: {} });
      await box.snapshot({});
      console.log('started');
      setInterval(() => {}, 1000);`;
    const other = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(other.stdout, 'data');
    await using next = createDockerProvider({ lab: labId, owner: currentOwner(), aliases: {}, log: quiet });
    expect(await next.reap()).toEqual([]);
    other.kill('SIGKILL');
    await once(other, 'exit');
    expect((await next.reap()).map((thing) => thing.kind).toSorted()).toEqual(['container', 'image', 'network']);
    expect(await next.list()).toEqual([]);
  });
});

test('an engine that is down is named, with where it was looked for and what to do; the next try may succeed', async () => {
  const env: NodeJS.ProcessEnv = { DOCKER_HOST: 'unix:///nowhere/docker.sock' };
  await using lab = provider('down', { env });
  await expect(lab.info()).rejects.toMatchObject({
    code: 'docker.unreachable',
    message: expect.stringContaining('unix:///nowhere/docker.sock (DOCKER_HOST)'),
    hint: expect.stringContaining('Start Docker'),
  });
  delete env.DOCKER_HOST;
  expect((await lab.info()).cpus).toBeGreaterThan(0);
});
