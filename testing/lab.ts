// A real lab for tests: real store in a temporary folder, real Docker, real scheduler, spoken to through the contract.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { type App, createApp } from '../main/app.ts';
import { resolvePaths } from '../main/config/paths.ts';
import { type RunConfig, runConfig } from '../main/contract/schema/config.ts';
import type { NodeRow, RolloutRow } from '../main/contract/schema/rollout.ts';
import type { RunRow } from '../main/contract/schema/run.ts';
import { silent } from '../main/lib/log.ts';
import { type LabClient, memoryClient } from '../main/transport/memory.ts';

export interface TestLab extends AsyncDisposable {
  app: App;
  client: LabClient;
  /** Folder for whatever the test writes; removed at the end. */
  folder: string;
  /** Starts a run and waits for its end. */
  play(config: Partial<RunConfig> & Pick<RunConfig, 'tasks'>): Promise<{ run: RunRow; rollouts: RolloutRow[] }>;
  /** Writes a scripted model: answers by task name. Gives the name to use in a run. */
  scriptModel(name: string, answers: Record<string, Answer[]>): Promise<string>;
  nodes(rolloutId: string): Promise<NodeRow[]>;
}

export type Answer =
  | { analysis: string; plan: string; commands: { keystrokes: string; duration: number }[]; task_complete?: boolean }
  | { text: string };

export async function openTestLab(): Promise<TestLab> {
  const folder = await mkdtemp(join(tmpdir(), 'termarium-test-'));
  const paths = resolvePaths({ data: join(folder, 'data') });
  const app = await createApp({ paths, log: silent });
  const client = memoryClient({ router: app.router, log: silent });
  return {
    app,
    client,
    folder,
    async play(config) {
      const { runId } = await client.runs.start({ config: runConfig.parse(config) });
      const run = await untilRun(client, runId, (row) => !['running', 'paused'].includes(row.status));
      return { run, rollouts: (await client.rollouts.watch({ runId })).rows };
    },
    async scriptModel(name, answers) {
      const script = join(folder, 'scripts', name);
      for (const [task, list] of Object.entries(answers)) {
        await write(join(script, `${task === '*' ? 'any' : task}.yaml`), stringify({ task, attempts: [list] }));
      }
      await write(join(paths.userConfigs, 'models', `${name}.yaml`), stringify({ kind: 'scripted', name, script }));
      return name;
    },
    async nodes(rolloutId) {
      return (await client.rollouts.watchNodes({ rolloutId })).rows;
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Waits, through the watch, until a run's row is as wanted. */
export async function untilRun(client: LabClient, runId: string, wanted: (run: RunRow) => boolean): Promise<RunRow> {
  let { run, cursor } = await client.runs.watchOne({ runId });
  while (!wanted(run)) ({ run, cursor } = await client.runs.watchOne({ runId, after: cursor }));
  return run;
}

export interface TaskFiles {
  name: string;
  /** Lines after `FROM termarium/base:1`. */
  dockerfile?: string;
  instruction?: string;
  /** Shell text of tests/test.sh. */
  test: string;
  /** Shell text of solution/solve.sh. */
  solution?: string;
  /** More of task.toml. */
  toml?: string;
}

/** Writes a Harbor task folder; answers its path. */
export async function writeTask(folder: string, task: TaskFiles): Promise<string> {
  const path = join(folder, task.name);
  await write(
    join(path, 'task.toml'),
    `schema_version = "1.4"\n[task]\nname = "test/${task.name}"\n[verifier]\ntimeout_sec = 60.0\n[agent]\ntimeout_sec = 120.0\n[environment]\ncpus = 1\nmemory_mb = 512\nnetwork_mode = "no-network"\n${task.toml ?? ''}`,
  );
  await write(join(path, 'instruction.md'), task.instruction ?? 'Write the word done into /app/answer.txt.\n');
  await write(join(path, 'environment', 'Dockerfile'), `FROM termarium/base:1\nWORKDIR /app\n${task.dockerfile ?? ''}\n`);
  await write(join(path, 'tests', 'test.sh'), `#!/bin/bash\n${task.test}\n`);
  if (task.solution !== undefined) await write(join(path, 'solution', 'solve.sh'), `#!/bin/bash\n${task.solution}\n`);
  return path;
}

/** A verifier that checks /app/answer.txt with pytest and writes the reward from its exit code, as most real ones do. */
export const answerTest = `cat > /tests/test_answer.py <<'PY'
def test_answer():
    assert open('/app/answer.txt').read().strip() == 'done'
PY
cd /tests && python3 -m pytest -q -rA test_answer.py
if [ $? -eq 0 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi`;

/** Answers that type these commands, one a turn, and then finish with the double confirmation. */
export function typing(...commands: (string | { keystrokes: string; duration: number })[]): Answer[] {
  const turn = (text: string, list: { keystrokes: string; duration: number }[], done = false): Answer => ({
    analysis: text,
    plan: text,
    commands: list,
    ...(done ? { task_complete: true } : {}),
  });
  return [
    ...commands.map((command) => turn('next', [typeof command === 'string' ? { keystrokes: `${command}\n`, duration: 20 } : command])),
    turn('done', [], true),
    turn('sure', [], true),
  ];
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode: path.endsWith('.sh') ? 0o755 : 0o644 });
}
