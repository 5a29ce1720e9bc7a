// The whole contract answered from the memory of the fake lab.
import { type AnyRouter, implement } from '@orpc/server';
import { parse } from 'yaml';
import { toYaml } from '../../main/config/load.ts';
import { contract } from '../../main/contract/index.ts';
import { runConfig } from '../../main/contract/schema/config.ts';
import { AppError } from '../../main/lib/errors.ts';
import { Tail } from '../../main/lib/tail.ts';
import { csvHeader, rolloutLine } from '../../main/rollout/lines.ts';
import { nextSampled } from '../../main/rollout/live.ts';
import { fakeExchange } from './exchange.ts';
import { fakeFiles, fakeShells, fakeTasks } from './files.ts';
import { playHuman } from './human.ts';
import { addRollout, addRun, newId, playLive, refreshRun } from './play.ts';
import { fakeReading } from './reading.ts';
import { taskFiles } from './script.ts';
import { append, type FakeState } from './state.ts';
import { fakeTokens } from './tokens.ts';

const os = implement(contract);
const never = new AbortController().signal;

function require<T>(thing: T | undefined, what: string): T {
  if (thing === undefined) throw new AppError('request.not_found', `There is no such ${what}.`);
  return thing;
}

export function fakeRouter(state: FakeState, pace: number, ended: AbortSignal): AnyRouter {
  const outcomes = ['solved', 'unsolved', 'solved', 'solved', 'turn_limit'] as const;
  const playNext = (runId: string) => {
    const run = state.runs.get(runId);
    if (run?.status !== 'running') return;
    const rollouts = [...state.rollouts.rows.values()].filter((rollout) => rollout.runId === runId);
    const active = rollouts.filter(({ status }) => status === 'starting' || status === 'running' || status === 'verifying').length;
    for (const rollout of rollouts.filter(({ status }) => status === 'queued').slice(0, Math.max(0, run.config.concurrency - active))) {
      const place = rollouts.indexOf(rollout);
      const outcome =
        rollout.agent === 'oracle' ? 'solved' : rollout.agent === 'nop' ? 'unsolved' : (outcomes[place % outcomes.length] ?? 'solved');
      const playing =
        rollout.agent === 'human'
          ? playHuman(state, rollout.id, ended)
          : playLive(state, rollout.id, place, outcome, pace * (1 + (place % 3) * 0.3), ended);
      playing.then(
        () => playNext(runId),
        () => {},
      );
    }
  };

  return os.router({
    exchange: fakeExchange,
    tokens: fakeTokens(state),
    system: {
      hello: os.system.hello.handler(() => ({ version: '0.1.0-fake', instance: 'fake', platform: 'linux' })),
      watchStatus: os.system.watchStatus.handler(async ({ input, signal = never }) => {
        if (input.after !== undefined) await state.change(signal);
        const rollouts = [...state.rollouts.rows.values()].slice(-2_000);
        const running = rollouts.filter(({ status }) => status === 'running' || status === 'starting' || status === 'verifying').length;
        const queued = rollouts.filter(({ status }) => status === 'queued').length;
        const status = {
          version: '0.1.0-fake',
          dataFolder: '/home/you/.local/share/termarium',
          docker: { ok: true, detail: 'Docker Engine 28.5.1, overlay2, 8 CPUs, 31 GB' },
          containers: running + 2,
          running,
          queued,
          diskFreeBytes: 182_400_000_000,
          memoryBytes: 214_000_000,
          gpus: [],
        };
        return { status, cursor: state.rev };
      }),
      doctor: os.system.doctor.handler(() => ({
        findings: [
          { id: 'docker', title: 'Docker', state: 'ok', detail: 'Docker Engine 28.5.1 answers at unix:///var/run/docker.sock.' },
          { id: 'disk', title: 'Disk', state: 'ok', detail: '182 GB free in the data folder.' },
          {
            id: 'gpu',
            title: 'GPU',
            state: 'warning',
            detail: 'No NVIDIA driver is loaded.',
            fix: 'Install the driver and the NVIDIA Container Toolkit to train here, or use a model that is served elsewhere.',
          },
          { id: 'models', title: 'Models', state: 'ok', detail: '3 model files, all valid.' },
        ],
      })),
      clean: os.system.clean.handler(({ input }) => ({
        found: input.remove
          ? []
          : [
              { kind: 'container', id: 'c0ffee', name: 'termarium-sort-logs-1', detail: 'exited 3 hours ago' },
              { kind: 'network', id: 'n1', name: 'termarium-none', detail: 'unused' },
            ],
        removed: input.remove ? 2 : 0,
      })),
    },
    tasks: {
      watchSets: os.tasks.watchSets.handler(({ input, signal = never }) => state.sets.watch(input.after, () => true, signal)),
      watch: os.tasks.watch.handler(({ input, signal = never }) =>
        state.tasks.watch(input.after, (task) => input.setId === undefined || task.setId === input.setId, signal),
      ),
      get: os.tasks.get.handler(({ input }) => ({
        ...require(state.tasks.get(input.taskId), 'task'),
        files: [...taskFiles.keys()].map((path) => ({
          path,
          bytes: taskFiles.get(path)?.length ?? 0,
          executable: path.endsWith('.sh'),
          text: !path.endsWith('.bin'),
        })),
      })),
      readFile: os.tasks.readFile.handler(({ input }) => {
        const text = require(taskFiles.get(input.path), 'file');
        return { text: input.path.endsWith('.bin') ? null : text, bytes: text.length, cut: false };
      }),
      ...fakeTasks(state),
      importFolder: os.tasks.importFolder.handler(({ input }) => {
        if (!input.path.startsWith('/'))
          throw new AppError('request.invalid', `${input.path} is not an absolute path.`, { hint: 'Begin it with /.' });
        const set = state.sets.put({
          id: newId('set'),
          name: input.name ?? input.path.split('/').at(-1) ?? 'set',
          path: input.path,
          origin: 'imported',
          taskCount: 1,
        });
        const first = require([...state.tasks.rows.values()][0], 'task');
        state.tasks.put({
          ...first,
          id: newId('task'),
          setId: set.id,
          name: 'imported-task',
          path: `${input.path}/imported-task`,
          gates: [],
          issues: [],
        });
        return {
          setId: set.id,
          tasks: 1,
          rejected: [{ level: 'error', message: 'instruction.md is missing', file: 'half-a-task/task.toml' }],
          issues: [{ level: 'note', message: 'unknown key "metadata.estimate" is kept', file: 'imported-task/task.toml', line: 7 }],
        };
      }),
      check: os.tasks.check.handler(async ({ input }) => {
        const task = require(state.tasks.get(input.taskId), 'task');
        const log = new Tail();
        state.checkLogs.set(task.id, log);
        const gates = [];
        for (const gate of ['build', 'initial', 'nop', 'oracle', 'fresh', 'flaky'] as const) {
          append(log, `── ${gate} ──\nstarting a container\nrunning tests/test.sh\n`);
          await new Promise((resolve) => setTimeout(resolve, 700 * pace));
          gates.push({ gate, state: 'passed' as const, detail: 'holds', seconds: 0.7 });
          state.tasks.put({ ...task, gates: [...gates] });
        }
        log.close();
        return { passed: true, gates };
      }),
      watchCheckLog: os.tasks.watchCheckLog.handler(async ({ input, signal = never }) => {
        const log = state.checkLogs.get(input.taskId);
        if (!log) return { text: '', cursor: 0, ended: true };
        const read = await log.next(input.after, signal);
        return { text: read.kind === 'more' ? new TextDecoder().decode(read.data) : '', cursor: read.cursor, ended: read.kind === 'end' };
      }),
    },
    files: fakeFiles(state),
    shells: fakeShells(),
    runs: {
      watch: os.runs.watch.handler(({ input, signal = never }) => state.runs.watch(input.after, () => true, signal)),
      watchOne: os.runs.watchOne.handler(async ({ input, signal = never }) => {
        require(state.runs.get(input.runId), 'run');
        while ((state.runs.get(input.runId)?.rev ?? 0) <= (input.after ?? 0) && (await state.change(signal)));
        const run = require(state.runs.get(input.runId), 'run');
        return { run, cursor: run.rev };
      }),
      resolve: os.runs.resolve.handler(({ input }) => {
        const parsed = runConfig.safeParse(input.text === undefined ? input.config : parse(input.text));
        if (!parsed.success)
          return {
            config: null,
            tasks: [],
            rollouts: 0,
            issues: parsed.error.issues.map((issue) => ({ level: 'error' as const, message: issue.message, file: issue.path.join('.') })),
          };
        const tasks = chosenTasks(state, parsed.data.tasks, parsed.data.only).map((task) => task.name);
        const needsModel = parsed.data.agents.some((agent) => agent === 'terminus' || agent === 'minimal') && parsed.data.model === null;
        return {
          config: parsed.data,
          tasks,
          rollouts: tasks.length * parsed.data.agents.length * parsed.data.attempts,
          issues: needsModel ? [{ level: 'error' as const, message: 'the chosen agent needs a model', file: 'model' }] : [],
        };
      }),
      toYaml: os.runs.toYaml.handler(({ input }) => ({ text: toYaml(input.config) })),
      exportRollouts: os.runs.exportRollouts.handler(({ input: { runId, format } }) => ({
        header: format === 'csv' ? csvHeader : null,
        lines: [...state.rollouts.rows.values()]
          .filter((row) => row.runId === runId)
          .map((row) => ({ id: row.id, text: rolloutLine(row, format) })),
        next: null,
      })),
      start: os.runs.start.handler(({ input }) => {
        const run = addRun(state, input.config);
        for (const task of chosenTasks(state, input.config.tasks, input.config.only)) {
          for (const agent of input.config.agents)
            for (let attempt = 0; attempt < input.config.attempts; attempt += 1) addRollout(state, run, task, agent, attempt);
        }
        refreshRun(state, run.id);
        playNext(run.id);
        return { runId: run.id, issues: [] };
      }),
      pause: os.runs.pause.handler(({ input }) => {
        refreshRun(state, input.runId, { status: 'paused' });
        return {};
      }),
      resume: os.runs.resume.handler(({ input }) => {
        for (const rollout of state.rollouts.rows.values()) {
          if (rollout.runId === input.runId && ['cancelled', 'error', 'interrupted'].includes(rollout.status))
            state.rollouts.put({ ...rollout, status: 'queued', error: null, endedAt: null, startedAt: null, verdictState: null });
        }
        refreshRun(state, input.runId, { status: 'running', endedAt: null, error: null });
        playNext(input.runId);
        return {};
      }),
      cancel: os.runs.cancel.handler(({ input }) => {
        for (const rollout of state.rollouts.rows.values()) {
          if (rollout.runId === input.runId && rollout.endedAt === null)
            state.rollouts.put({ ...rollout, status: 'cancelled', verdictState: 'cancelled', endedAt: Date.now() });
        }
        refreshRun(state, input.runId, { status: 'cancelled', endedAt: Date.now() });
        return {};
      }),
    },
    rollouts: {
      watch: os.rollouts.watch.handler(({ input, signal = never }) =>
        state.rollouts.watch(input.after, (rollout) => input.runId === undefined || rollout.runId === input.runId, signal),
      ),
      watchOne: os.rollouts.watchOne.handler(async ({ input, signal = never }) => {
        while ((require(state.rollouts.get(input.rolloutId), 'rollout').rev ?? 0) <= (input.after ?? 0) && (await state.change(signal)));
        const rollout = require(state.rollouts.get(input.rolloutId), 'rollout');
        const graded = state.verdicts.get(rollout.id);
        return {
          rollout,
          verdict: graded?.verdict ?? null,
          verifierOutput: graded?.output ?? null,
          notes: state.notes.get(rollout.id) ?? [],
          cursor: rollout.rev,
        };
      }),
      watchNodes: os.rollouts.watchNodes.handler(({ input, signal = never }) =>
        state.nodesOf(input.rolloutId).watch(input.after, () => true, signal),
      ),
      node: os.rollouts.node.handler(({ input }) =>
        require([...state.nodes.values()].map((table) => table.get(input.nodeId)).find((node) => node !== undefined), 'message'),
      ),
      watchTerminal: os.rollouts.watchTerminal.handler(async ({ input, signal = never }) => {
        const playing = state.playing.get(input.rolloutId);
        if (playing) {
          const read = await playing.terminal.next(input.cursor, signal);
          if (read.kind === 'more') return { kind: 'more', data: Buffer.from(read.data).toString('base64'), cursor: read.cursor };
          return { kind: 'exit', cursor: read.cursor };
        }
        const rollout = require(state.rollouts.get(input.rolloutId), 'rollout');
        if (rollout.endedAt === null) {
          await state.change(signal);
          return { kind: 'more', data: '', cursor: input.cursor };
        }
        const screen = state.screens.get(rollout.id);
        if (screen !== undefined && input.cursor !== 1e9) return { kind: 'screen', screen, cols: 160, rows: 40, cursor: 1e9 };
        return { kind: 'exit', cursor: input.cursor };
      }),
      watchSampling: os.rollouts.watchSampling.handler(async ({ input, signal = never }) => {
        const sampling = state.playing.get(input.rolloutId)?.sampling;
        if (!sampling) return { turn: null, text: '', cursor: 0, ended: true };
        return { ...(await nextSampled(sampling, input.cursor, signal)), ended: false };
      }),
      ...fakeReading(state, ended),
      cancel: os.rollouts.cancel.handler(({ input }) => {
        const rollout = require(state.rollouts.get(input.rolloutId), 'rollout');
        state.rollouts.put({ ...rollout, status: 'cancelled', verdictState: 'cancelled', endedAt: Date.now() });
        refreshRun(state, rollout.runId);
        return {};
      }),
      type: os.rollouts.type.handler(({ input }) => {
        state.humans.get(input.rolloutId)?.({ do: 'type', data: input.data });
        return {};
      }),
      resize: os.rollouts.resize.handler(({ input }) => {
        const playing = require(state.playing.get(input.rolloutId), 'terminal');
        Object.assign(playing, { cols: input.cols, rows: input.rows });
        return {};
      }),
      human: os.rollouts.human.handler(({ input }) => {
        require(state.humans.get(input.rolloutId), 'human')({ do: input.action, text: input.text ?? '' });
        return {};
      }),
    },
    models: {
      list: os.models.list.handler(() => ({
        models: [
          {
            name: 'demo',
            file: 'configs/models/demo.yaml',
            config: { kind: 'scripted', name: 'demo', script: 'resources/demo', delayMs: 400, concurrency: 64 },
            error: null,
          },
          {
            name: 'qwen3-4b',
            file: 'configs/models/qwen3-4b.yaml',
            config: {
              kind: 'http',
              name: 'qwen3-4b',
              url: 'http://127.0.0.1:8000/v1',
              model: 'Qwen/Qwen3-4B',
              sampling: { temperature: 0.7 },
              logprobs: true,
              contextLimit: 32_768,
              timeoutSeconds: 600,
              retries: 5,
              concurrency: 16,
            },
            error: null,
          },
          {
            name: 'broken',
            file: 'configs/models/broken.yaml',
            config: null,
            error: 'configs/models/broken.yaml:4: unknown key "temprature"; did you mean "temperature"?',
          },
        ],
      })),
      probe: os.models.probe.handler(({ input }) =>
        input.name === 'demo'
          ? { ok: true, detail: 'Scripted: 12 sessions.', milliseconds: 3, contextLimit: null }
          : {
              ok: false,
              detail: 'Nothing listens at http://127.0.0.1:8000/v1. Start the server, or correct the URL.',
              milliseconds: 12,
              contextLimit: null,
            },
      ),
    },
  });
}

function chosenTasks(state: FakeState, names: readonly string[], only: readonly string[]) {
  const sets = [...state.sets.rows.values()];
  return [...state.tasks.rows.values()].filter(
    (task) =>
      (names.includes(task.path) || names.some((name) => sets.some((set) => set.name === name && set.id === task.setId))) &&
      (only.length === 0 || only.includes(task.name)),
  );
}
