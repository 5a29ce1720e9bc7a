// Terminal-Bench 1 tasks are read as their own harness reads them.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadTask } from './load.ts';
import { fixturePack, folderOf, hasFixturePack, packNote } from './test-folder.ts';
import { testUploads } from './uploads.ts';

const compose = `services:
  client:
    build:
      dockerfile: Dockerfile
    image: \${T_BENCH_TASK_DOCKER_CLIENT_IMAGE_NAME}
    container_name: \${T_BENCH_TASK_DOCKER_CLIENT_CONTAINER_NAME}
    command: [ "sh", "-c", "sleep infinity" ]
    working_dir: /srv
    environment:
      - TEST_DIR=\${T_BENCH_TEST_DIR}
      - PRICE=5$$
      - LEVEL=\${LEVEL:-low}
    volumes:
      - \${T_BENCH_TASK_LOGS_PATH}:\${T_BENCH_CONTAINER_LOGS_PATH}
      - \${T_BENCH_TASK_AGENT_LOGS_PATH}:\${T_BENCH_CONTAINER_AGENT_LOGS_PATH}
    deploy:
      resources:
        limits: { cpus: '1.5', memory: 2G }
`;

function files(replace: Record<string, string> = {}): Record<string, string> {
  return {
    'task.yaml': 'instruction: |-\n  Say hello.\ndifficulty: easy\nmax_agent_timeout_sec: 100\nrun_tests_in_same_shell: true\n',
    'docker-compose.yaml': compose,
    Dockerfile: 'FROM debian\n',
    'run-tests.sh': 'pytest /tests\n',
    'tests/test_outputs.py': 'def test(): pass\n',
    'solution.sh': 'echo hello\n',
    ...replace,
  };
}

test('one service becomes its Dockerfile with its settings', async () => {
  await using folder = await folderOf(files());
  const task = await loadTask(folder.path);
  expect(task).toMatchObject({
    format: 'terminal-bench-1',
    instruction: 'Say hello.',
    difficulty: 'easy',
    category: 'software_engineering',
    agent: { timeoutSec: 100 },
    environment: {
      image: null,
      context: folder.path,
      dockerfile: 'Dockerfile',
      compose: null,
      cpus: 1.5,
      memoryMb: 2048,
      workdir: '/srv',
      env: { TEST_DIR: '/tests', PRICE: '5$', LEVEL: 'low' },
    },
    verifier: { script: 'run-tests.sh', timeoutSec: 60, parser: 'pytest', sameShell: true },
    solution: { kind: 'script' },
    unsupported: null,
    issues: [],
  });
  expect(testUploads(task)).toEqual([
    { path: '.', from: join(folder.path, 'tests') },
    { path: 'run-tests.sh', from: join(folder.path, 'run-tests.sh') },
  ]);
});

test('a solution of keystrokes is read with its waits', async () => {
  await using folder = await folderOf(
    files({ 'solution.yaml': '- command: nano x\n  min_timeout_sec: 0.5\n  append_enter: true\n- command: C-x\n' }),
  );
  await rm(join(folder.path, 'solution.sh'));
  expect((await loadTask(folder.path)).solution).toEqual({
    kind: 'commands',
    commands: [
      { command: 'nano x', minTimeoutSec: 0.5, maxTimeoutSec: 180, block: false, appendEnter: true },
      { command: 'C-x', minTimeoutSec: 0, maxTimeoutSec: 180, block: false, appendEnter: false },
    ],
  });
});

test('older tasks say their instruction as the base of several wordings', async () => {
  await using folder = await folderOf(
    files({ 'task.yaml': 'descriptions:\n  - key: hard\n    description: Guess.\n  - key: base\n    description: Say it.\n' }),
  );
  expect((await loadTask(folder.path)).instruction).toBe('Say it.');
});

describe('what one Dockerfile cannot say is named with its line', () => {
  test.each([
    ['a second service', `${compose}  db:\n    image: postgres\n`, 'it starts 1 more container(s): db, docker-compose.yaml:19'],
    ['more rights', compose.replace('working_dir: /srv', 'privileged: true'), 'uses "privileged", docker-compose.yaml:8'],
    ['a mounted folder', compose.replace('    deploy:', '      - ./data:/data\n    deploy:'), 'uses "volumes"'],
    ['a command that does something', compose.replace('sleep infinity', 'python server.py'), 'uses "command"'],
    ['build arguments', compose.replace('dockerfile: Dockerfile', 'args: { V: 1 }'), 'a form of "build" that one Dockerfile cannot say'],
  ])('%s', async (_, text, reason) => {
    await using folder = await folderOf(files({ 'docker-compose.yaml': text }));
    const task = await loadTask(folder.path);
    expect(task.unsupported).toContain(reason);
    expect(task.environment.compose).toBe(join(folder.path, 'docker-compose.yaml'));
  });
});

test.each([
  ['task.yaml', 'difficulty: easy\n', 'instruction: is missing'],
  ['task.yaml', 'instruction: x\nmax_test_timeout_sec: soon\n', 'max_test_timeout_sec: must be a number, not "soon"'],
  ['docker-compose.yaml', 'services:\n  web: {}\n', 'has no service "client"'],
  ['docker-compose.yaml', compose.replace('dockerfile: Dockerfile', 'context: ../elsewhere'), 'has no ../elsewhere/Dockerfile'],
])('a wrong %s is refused', async (name, text, message) => {
  await using folder = await folderOf(files({ [name]: text }));
  await expect(loadTask(folder.path)).rejects.toMatchObject({ code: 'task.invalid', message: expect.stringContaining(message) });
});

test('an unknown key is told with its line', async () => {
  await using folder = await folderOf(files({ 'task.yaml': 'instruction: x\nparser_nam: pytest\n' }));
  expect((await loadTask(folder.path)).issues).toEqual([
    { level: 'warning', message: 'parser_nam: unknown key; did you mean "parser_name"?', file: 'task.yaml', line: 2 },
  ]);
});

test.skipIf(!hasFixturePack)(`a real task with parsers of its own says what it lacks${packNote}`, async () => {
  const task = await loadTask(join(fixturePack, 'tb1_tasks/longcli__pytest_pytest_example'));
  expect(task.issues.map(({ message, line }) => [message.split(':')[0], line])).toEqual([
    ['parser_results_f2p', 12],
    ['parser_results_p2p', 13],
  ]);
  expect(task.unsupported).toContain('long_cli');
  expect(task.solution).toMatchObject({ kind: 'missing' });
});
