// The `termarium` command as a user on an older system Node starts it.
import { execFile, spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const source = join(import.meta.dirname, '..', 'bin', 'termarium.cjs');
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'termarium-bin-'));
  await mkdir(join(root, 'bin'), { recursive: true });
  await copyFile(source, join(root, 'bin', 'termarium.cjs'));
});
afterEach(() => rm(root, { recursive: true }));

/** An installed and built checkout whose CLI is this text. */
async function install(cli: string) {
  await mkdir(join(root, 'node_modules', '.bin'), { recursive: true });
  await mkdir(join(root, 'dist', 'main'), { recursive: true });
  await symlink(process.execPath, join(root, 'node_modules', '.bin', 'node'));
  await writeFile(join(root, 'package.json'), '{ "type": "module" }');
  await writeFile(join(root, 'dist', 'main', 'cli.js'), cli);
}

/** Makes the running Node believe it is version 20, which is what the command looks at. */
async function oldNode(): Promise<string[]> {
  const file = join(root, 'old.cjs');
  await writeFile(
    file,
    "if (!process.env.BUNDLED) { process.env.BUNDLED = '1'; Object.defineProperty(process.versions, 'node', { value: '20.1.0' }); }",
  );
  return ['--require', file];
}

function run(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }));
  });
}

test('says what to run where the packages are not installed, and where nothing is built', async () => {
  const bare = await run([join(root, 'bin', 'termarium.cjs')]);
  expect(bare).toMatchObject({ code: 2, stderr: expect.stringContaining('npm ci && npm run build') });
  await mkdir(join(root, 'node_modules'));
  const unbuilt = await run([join(root, 'bin', 'termarium.cjs')]);
  expect(unbuilt).toMatchObject({ code: 2, stderr: expect.stringContaining('npm run build') });
});

test('runs the CLI in its own process on Node 24', async () => {
  await install('console.log(process.pid, process.argv.slice(2).join("|")); process.exitCode = 3;');
  const child = spawn(process.execPath, [join(root, 'bin', 'termarium.cjs'), 'run', '-o', 'a b=$c']);
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect({ code, stdout }).toEqual({ code: 3, stdout: `${child.pid} run|-o|a b=$c\n` });
});

test('hands arguments and exit code through to the bundled Node from an older one', async () => {
  await install('console.log(process.versions.node, process.argv.slice(2).join("|")); process.exitCode = 7;');
  const result = await run([...(await oldNode()), join(root, 'bin', 'termarium.cjs'), 'check', "it's"]);
  expect(result).toEqual({ code: 7, stdout: `${process.versions.node} check|it's\n`, stderr: '' });
});

test('passes a signal on to the bundled Node and ends as it did', async () => {
  await install(
    "process.on('SIGTERM', () => { console.log('asked to end'); process.exit(9); }); console.log('up'); setInterval(() => {}, 1000);",
  );
  const child = spawn(process.execPath, [...(await oldNode()), join(root, 'bin', 'termarium.cjs')]);
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    if (stdout === 'up\n') child.kill('SIGTERM');
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect({ code, stdout }).toEqual({ code: 9, stdout: 'up\nasked to end\n' });
});
