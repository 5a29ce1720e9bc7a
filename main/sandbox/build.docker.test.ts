// Images from Dockerfiles on a real engine: the real tasks of the fixture pack, what comes out of heredocs, and what goes wrong.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createDockerProvider } from './docker.ts';
import { currentOwner } from './labels.ts';
import type { SandboxProvider } from './sandbox.ts';

const quiet = { info() {}, warn() {} };
const open = (aliases: Record<string, string> = {}) =>
  createDockerProvider({ lab: `test-build-${process.pid}`, owner: currentOwner(), aliases, log: quiet });
const lab = open({ 'base-of-test': 'termarium/base:1' });
let context: string;

beforeEach(async () => {
  context = await mkdtemp(join(tmpdir(), 'termarium-build-'));
  return () => rm(context, { recursive: true });
});
afterAll(async () => {
  await lab.reap({ all: true, images: true });
  await lab[Symbol.asyncDispose]();
});

async function files(content: Record<string, string>) {
  for (const [path, text] of Object.entries(content)) {
    await mkdir(dirname(join(context, path)), { recursive: true });
    await writeFile(join(context, path), text);
  }
}

async function run(provider: SandboxProvider, image: string, command: string): Promise<string> {
  await using box = await provider.start({
    image,
    resources: {},
    network: { mode: 'none', allowedHosts: [] },
    profile: 'compatible',
    env: {},
    labels: {},
  });
  const { stdout, stderr } = await box.exec(['sh', '-c', command]);
  return stdout + stderr;
}

test('heredocs of every kind build, and leave nothing else in the image', async () => {
  await files({
    Dockerfile: [
      'FROM base-of-test',
      'ARG NAME=nobody',
      'ENV GREETING="hello $NAME"',
      'WORKDIR /app',
      'SHELL ["/bin/bash", "-c"]',
      'COPY . .',
      "COPY --chown=user --chmod=750 <<expanded <<'raw' heredocs/",
      '$GREETING',
      'expanded',
      '$GREETING',
      'raw',
      "RUN <<'EOF'",
      "cat >inner.txt <<'PY'",
      'a "quoted" \\ $line',
      'PY',
      '[[ -n $BASH_VERSION ]] && echo bash >shell.txt',
      'EOF',
      'USER user',
      'RUN python3 - <<EOF >/tmp/python.txt && id -un >>/tmp/python.txt',
      'print("$NAME")',
      'EOF',
      'RUN <<EOF',
      '#!/usr/bin/env python3',
      'open("/tmp/script.txt", "w").write("program")',
      'EOF',
      '',
    ].join('\n'),
    'ctx.txt': 'from the context',
  });
  const image = await lab.prepareImage({ context, buildArgs: { NAME: 'ada' } }, {});
  const seen = await run(
    lab,
    image,
    'cd /app && ls -A && stat -c "%U %a" heredocs/expanded && cat heredocs/expanded heredocs/raw inner.txt shell.txt /tmp/python.txt /tmp/script.txt; ls /tmp',
  );
  expect(seen).toBe(
    [
      ...[
        'Dockerfile',
        'ctx.txt',
        'heredocs',
        'inner.txt',
        'shell.txt',
        'user 750',
        'hello ada',
        '$GREETING',
        'a "quoted" \\ $line',
        'bash',
      ],
      ...['ada', 'user', 'programpython.txt', 'script.txt', ''],
    ].join('\n'),
  );
});

test('.dockerignore keeps files out, and is found again by content: built once, also for two who ask at once', async () => {
  await files({
    Dockerfile: 'FROM base-of-test\nCOPY . /ctx\n',
    '.dockerignore': 'secret\n*.log\n!keep.log\ndeep\n!deep/kept\n',
    secret: 's',
    'a.log': '',
    'keep.log': '',
    'deep/dropped': '',
    'deep/kept': '',
  });
  await symlink('/etc/passwd', join(context, 'link'));
  const logs: string[][] = [[], []];
  const [one, two] = await Promise.all(logs.map((log) => lab.prepareImage({ context }, { onLog: (line) => log.push(line) })));
  expect(one).toBe(two);
  expect(logs[0]).toEqual(logs[1]);
  expect(logs[0]?.filter((line) => line.startsWith('Step 2'))).toHaveLength(1);
  expect(await run(lab, one ?? '', 'cd /ctx && find . -type f | sort; readlink link')).toBe(
    './.dockerignore\n./Dockerfile\n./deep/kept\n./keep.log\n/etc/passwd\n',
  );
  await writeFile(join(context, 'a.log'), 'ignored, so still the same');
  expect(await lab.prepareImage({ context }, { onLog: () => expect.unreachable('nothing to build') })).toBe(one);
  await writeFile(join(context, 'keep.log'), 'changed');
  expect(await lab.prepareImage({ context }, {})).not.toBe(one);
});

test('a failing step is named by its line, with what it printed', async () => {
  await files({ Dockerfile: 'FROM base-of-test\n\nRUN <<EOF\necho fine\nEOF\nRUN echo about to fail \\\n && false\nRUN true\n' });
  const failing = lab.prepareImage({ context }, {});
  await expect(failing).rejects.toMatchObject({
    code: 'image.build_failed',
    where: `${context}/Dockerfile:6`,
    message: expect.stringContaining('about to fail'),
  });
});

test('a Dockerfile that cannot be parsed, or is not there, is named', async () => {
  await files({ Dockerfile: 'FROM base-of-test\nRUNN true\n' });
  await expect(lab.prepareImage({ context }, {})).rejects.toMatchObject({
    code: 'image.build_failed',
    message: expect.stringContaining('RUNN'),
  });
  await expect(lab.prepareImage({ context, dockerfile: 'no/Dockerfile' }, {})).rejects.toMatchObject({
    code: 'image.build_failed',
    message: expect.stringContaining('no/Dockerfile'),
  });
});

test('a Dockerfile that leads out of its folder is not read', async () => {
  await symlink('/etc/passwd', join(context, 'Dockerfile'));
  const error: Error = await lab.prepareImage({ context }, {}).then(
    () => expect.unreachable(),
    (reason) => reason,
  );
  expect(error.message).not.toContain('root:');
  expect(error).toMatchObject({ code: 'image.build_failed' });
});

test('a missing base image is named, with the line that asks for it', async () => {
  await files({ Dockerfile: '# a comment\nARG V=1\nFROM registry.invalid/nothing:$V\n' });
  await expect(lab.prepareImage({ context }, {})).rejects.toMatchObject({
    code: 'image.missing',
    where: `${context}/Dockerfile:3`,
    message: expect.stringContaining('registry.invalid/nothing:1'),
    hint: expect.stringContaining('docker pull registry.invalid/nothing:1'),
  });
});

test('a prebuilt image that cannot be pulled is built from its Dockerfile, and the log says so', async () => {
  await files({ Dockerfile: 'FROM base-of-test\n' });
  const log: string[] = [];
  await lab.prepareImage({ reference: 'registry.invalid/prebuilt:1', context }, { onLog: (line) => log.push(line) });
  expect(log.join('\n')).toMatch(/registry\.invalid\/prebuilt:1 .*; building it from its Dockerfile instead/);
  await expect(lab.prepareImage({ reference: 'registry.invalid/prebuilt:1' }, {})).rejects.toMatchObject({ code: 'image.missing' });
});

test('a build ends when its time is over or nobody waits for it any more', async () => {
  await files({ Dockerfile: 'FROM base-of-test\nRUN echo begun && sleep 300\n' });
  await expect(lab.prepareImage({ context, buildTimeoutMs: 1_500 }, {})).rejects.toMatchObject({
    code: 'image.build_failed',
    message: expect.stringContaining('longer than 2 s in line 2'),
  });
  const control = new AbortController();
  const onLog = (line: string) => line === 'begun' && control.abort();
  await expect(lab.prepareImage({ context }, { onLog, signal: control.signal })).rejects.toThrow('aborted');
});

const pack = join(import.meta.dirname, '..', '..', '..', 'shared', 'data');
const tasks = join(pack, 'jbarnes_meta_control', 'tasks');

describe.skipIf(!existsSync(join(pack, 'README.md')))('of the fixture pack (skipped where ../shared/data is not there)', () => {
  test('all 28 real tasks with nested heredocs build', async () => {
    const names = await readdir(tasks);
    const images = new Set<string>();
    for (const name of names) images.add(await lab.prepareImage({ context: join(tasks, name, 'environment') }, {}));
    expect([names.length, images.size]).toEqual([28, 28]);
  }, 600_000);
});
