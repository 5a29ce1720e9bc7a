// What a user gets wrong, and what is wrong around the lab, is told once, in words that say what, where and what to do, with an exit code
// that scripts can use. Here whatever needs no container; bad-input.docker.test.ts has the rest.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acquireLock } from '../main/store/lock.ts';
import { openStore } from '../main/store/open.ts';
import { termarium } from './cli.ts';
import { answerTest, writeTask } from './lab.ts';

let folder: string;
let tasks: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'termarium-bad-input-'));
  tasks = join(folder, 'tasks');
  await writeTask(tasks, { name: 'good', test: answerTest });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the command twice, for people and for programs, and expects the same one error from both. */
async function expectError(
  args: string[],
  wanted: { exit: number; code: string; says: string | RegExp; todo?: string | RegExp; where?: string | RegExp },
  env: Record<string, string | undefined> = {},
): Promise<void> {
  const data = ['--data', join(folder, 'data')];
  const all = args.includes('--data') ? args : [...data, ...args];
  const people = await termarium(all, env);
  const programs = await termarium(['--json', ...all], env);
  expect(people.stdout).toBe('');
  expect(people.stderr).toMatch(wanted.says);
  expect(people.stderr.match(/^error/gm), people.stderr).toHaveLength(1);
  if (wanted.todo) expect(people.stderr).toMatch(wanted.todo);
  if (wanted.where) expect(people.stderr).toMatch(wanted.where);
  expect(people.code).toBe(wanted.exit);

  expect(programs.stderr).toBe('');
  expect(programs.lines()).toEqual([
    {
      error: expect.objectContaining({
        code: wanted.code,
        message: expect.stringMatching(wanted.says),
        ...(wanted.todo ? { hint: expect.stringMatching(wanted.todo) } : {}),
        ...(wanted.where ? { where: expect.stringMatching(wanted.where) } : {}),
      }),
    },
  ]);
  expect(programs.code).toBe(wanted.exit);
}

describe('a command', () => {
  it.each([
    ['that there is not', ['rnu'], /unknown command 'rnu'/],
    ['with an option that there is not', ['run', '--task', 'x'], /unknown option '--task'/],
    [
      'with a word where a number belongs',
      ['run', '-t', 'bundled', '-k', 'four'],
      /argument 'four' is invalid. It is a whole number of at/,
    ],
    ['with a port that no machine has', ['serve', '--port', '99999'], /argument '99999' is invalid. It is a whole number from 0 to 65535/],
    ['without its argument', ['check'], /missing required argument 'folder'/],
  ])('%s is told in one line', async (_, args, says) => {
    await expectError(args, { exit: 2, code: 'request.invalid', says });
  });
});

describe('a configuration', () => {
  it.each([
    ['an unknown key, with the nearest one', 'limits.turn=3', /-o limits.turn=3: limits.turn: unknown key; did you mean "turns"\?/],
    ['a value of the wrong kind', 'limits.turns=many', /limits.turns: must be a number, not "many"/],
    ['an agent that there is not', 'agents=[oracel]', /must be one of .*; did you mean "oracle"\?/],
    ['no assignment', 'limits', /-o limits: is not of the form key.key=value/],
    ['broken YAML', 'agents=[oracle', /the value is not valid YAML/],
  ])('-o with %s', async (_, override, says) => {
    await expectError(['run', '-t', 'bundled', '-o', override], { exit: 2, code: 'config.invalid', says, todo: /\w/ });
  });

  it('a file is named with the line at fault', async () => {
    const typo = join(folder, 'typo.yaml');
    await writeFile(typo, 'agents: [oracle]\nlimits:\n  turnz: 3\n');
    await expectError(['run', '-t', 'bundled', '-c', typo], {
      exit: 2,
      code: 'config.invalid',
      says: /limits.turnz: unknown key; did you mean "turns"\?/,
      where: /typo\.yaml:3/,
      todo: /configs\/default\.yaml/,
    });
    const broken = join(folder, 'broken.yaml');
    await writeFile(broken, 'agents: [oracle]\nlimits: {turns: 3\nattempts: 2\n');
    await expectError(['run', '-t', 'bundled', '-c', broken], {
      exit: 2,
      code: 'config.invalid',
      says: /not valid YAML/,
      where: /broken\.yaml:\d/,
      todo: /Look at line/,
    });
  });

  it('a file that is not there', async () => {
    await expectError(['run', '-c', join(folder, 'nothing.yaml')], {
      exit: 2,
      code: 'config.not_found',
      says: /nothing\.yaml/,
      todo: /-c/,
    });
  });

  it('a model that there is not, and one whose key is not set', async () => {
    await expectError(['run', '-t', tasks, '-m', 'vlm'], { exit: 2, code: 'model.unknown', says: /no model "vlm"/, todo: /Known: .*vllm/ });
    await expectError(
      ['run', '-t', tasks, '-m', 'openai'],
      {
        exit: 3,
        code: 'model.unauthorized',
        says: /takes its key from OPENAI_API_KEY, which is not set/,
        todo: /Set the environment variable/,
      },
      { OPENAI_API_KEY: undefined },
    );
    await expectError(['run', '-t', tasks], { exit: 2, code: 'config.invalid', says: /terminus needs a model/, todo: /--model/ });
  });

  it('tasks that are not there, or that nobody can read', async () => {
    await expectError(['run', '-t', join(folder, 'nowhere'), '-a', 'oracle'], {
      exit: 2,
      code: 'task.not_found',
      says: /is no task set, no folder and no task's name/,
      todo: /Known sets: bundled/,
    });
    await expectError(['run', '-t', '', '-a', 'oracle'], { exit: 2, code: 'task.not_found', says: /an empty name/, todo: /Name a task/ });
    const broken = await writeTask(join(folder, 'unreadable'), { name: 'unreadable', test: answerTest, toml: 'memory_mb 3' });
    await expectError(['run', '-t', broken, '-a', 'oracle'], {
      exit: 2,
      code: 'task.not_found',
      says: /not valid TOML/,
      where: /task\.toml:\d+/,
      todo: /./,
    });
  });
});

describe('the surroundings', () => {
  it.each([
    ['run', ['run', '-t', 'bundled', '-a', 'oracle']],
    ['check', ['check', 'resources/tasks']],
    ['clean', ['clean']],
    ['demo', ['demo', '--exit']],
  ])('an engine that is down stops `%s` before anything is stored', async (_, args) => {
    await expectError(
      args,
      { exit: 3, code: 'docker.unreachable', says: /no container engine answers.*dead\.sock/, todo: /Start Docker/ },
      { DOCKER_HOST: `unix://${folder}/dead.sock` },
    );
    const store = openStore(join(folder, 'data'));
    expect(store.runs.read().rows).toEqual([]);
    store[Symbol.dispose]();
  });

  it('a port that is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo; // a TCP server's address is an object
    await expectError(['serve', '--port', String(port)], {
      exit: 3,
      code: 'server.port_taken',
      says: new RegExp(`Port ${port} of 127\\.0\\.0\\.1 is taken`),
      todo: /Choose another with --port/,
    });
    await new Promise((resolve) => other.close(resolve));
  });

  it('a data folder that cannot be written', async () => {
    // A path below a file, and one in a file system that takes no folders, are refused to root too.
    await writeFile(join(folder, 'file'), '');
    for (const data of [join(folder, 'file', 'below'), '/sys/termarium', '/proc/termarium'])
      await expectError(['--data', data, 'run', '-t', tasks, '-a', 'oracle'], {
        exit: 3,
        code: 'data.read_only',
        says: /cannot be (written|used)/,
        todo: /--data or TERMARIUM_HOME/,
      });
  });

  it('a database of a newer version, or one that is none, is left as it is', async () => {
    const newer = join(folder, 'newer');
    openStore(newer)[Symbol.dispose]();
    const database = new Database(join(newer, 'lab.sqlite'));
    database.pragma('user_version = 999');
    database.close();
    const damaged = join(folder, 'damaged');
    await mkdir(damaged);
    await writeFile(join(damaged, 'lab.sqlite'), 'This was a database once. '.repeat(1000));
    for (const [data, code, says, todo] of [
      [newer, 'data.newer', /written by a newer version/, /Update Termarium/],
      [damaged, 'data.corrupt', /damaged or not a database/, /Move it away/],
    ] as const) {
      const before = await readFile(join(data, 'lab.sqlite'));
      await expectError(['--data', data, 'serve', '--port', '0'], { exit: 3, code, says, todo });
      expect((await readFile(join(data, 'lab.sqlite'))).equals(before)).toBe(true);
    }
  });

  it('a folder that another lab uses', async () => {
    const data = join(folder, 'used');
    using _lock = acquireLock(data);
    await expectError(['--data', data, 'run', '-t', tasks, '-a', 'oracle'], {
      exit: 3,
      code: 'data.locked',
      says: new RegExp(`in use by process ${process.pid}`),
      todo: /close it first/,
    });
  });
});
