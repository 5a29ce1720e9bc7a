import { resolve } from 'node:path';
import { checkConfig, checkTask, passed, plainGates } from '../check/check.ts';
import type { ConfigIssue, TaskRow } from '../contract/schema/task.ts';
import { cloneTasks } from '../edit/clone.ts';
import { createTask, duplicateTask, refreshTask, removeTask, requireTask, restoreTask } from '../edit/tasks.ts';
import { AppError } from '../lib/errors.ts';
import { allTasks, importFolder } from '../rollout/select.ts';
import { listTaskFiles, readTaskFile } from '../task/files.ts';
import { loadTask } from '../task/load.ts';
import type { ApiDeps } from './deps.ts';
import { os } from './os.ts';
import { signalOf } from './system.ts';
import { PARK_MS, watchRows } from './watch.ts';

export function tasksApi({ lab, checkLogs, paths }: ApiDeps) {
  const { store } = lab;
  const place = { store, paths };
  const require = (taskId: string): TaskRow => requireTask(store, taskId);
  const taken = async (folder: string, name: string | undefined, signal: AbortSignal | undefined) => {
    const issues: ConfigIssue[] = [];
    const { setId } = await importFolder(folder, store, issues, name, signal);
    return {
      setId,
      tasks: allTasks(store, setId).length,
      rejected: issues.filter((issue) => issue.level === 'error'),
      issues: issues.filter((issue) => issue.level !== 'error'),
    };
  };
  return os.tasks.router({
    watchSets: os.tasks.watchSets.handler(({ input, signal }) =>
      watchRows(store, ['task_set'], (after) => store.tasks.readSets(after), input.after, signalOf(signal)),
    ),
    watch: os.tasks.watch.handler(({ input, signal }) => {
      const filter = input.setId === undefined ? {} : { setId: input.setId };
      return watchRows(store, ['task'], (after) => store.tasks.read(filter, after), input.after, signalOf(signal));
    }),
    get: os.tasks.get.handler(async ({ input }) => {
      const task = require(input.taskId);
      return { ...task, files: await listTaskFiles(task.path) };
    }),
    readFile: os.tasks.readFile.handler(({ input }) => readTaskFile(require(input.taskId).path, input.path)),
    importFolder: os.tasks.importFolder.handler(({ input, signal }) => taken(resolve(input.path), input.name, signal)),
    importGit: os.tasks.importGit.handler(async ({ input, signal }) => {
      const { folder, commit } = await cloneTasks(paths.checkouts, input, signal);
      return { ...(await taken(folder, input.name, signal)), commit };
    }),
    create: os.tasks.create.handler(async ({ input, signal }) => ({ taskId: await createTask(place, input, signal) })),
    duplicate: os.tasks.duplicate.handler(async ({ input, signal }) => ({
      taskId: await duplicateTask(place, require(input.taskId), input.name, signal),
    })),
    remove: os.tasks.remove.handler(async ({ input }) => {
      const row = require(input.taskId);
      return { setId: row.setId, token: await removeTask(place, row) };
    }),
    restore: os.tasks.restore.handler(async ({ input, signal }) => ({
      taskId: await restoreTask(place, input.setId, input.token, signal),
    })),
    check: os.tasks.check.handler(async ({ input, signal }) => {
      const row = require(input.taskId);
      const log = checkLogs.open(row.id);
      try {
        const config = checkConfig();
        await refreshTask(store, row, signal);
        const task = await loadTask(row.path);
        const results = await checkTask(task, lab.sandboxes(config.sandbox), {
          gates: input.gates ?? plainGates,
          repeats: input.repeats,
          config,
          onLog: (line) => log.write(line),
          onGate: (result) => {
            const now = store.tasks.get(row.id);
            // A result speaks of the files that were checked; files that changed meanwhile have not been.
            if (now?.digest !== task.digest) return;
            store.tasks.putGates(row.id, [...now.gates.filter(({ gate }) => gate !== result.gate), result]);
          },
          signal: signalOf(signal),
        });
        return { passed: passed(results), gates: results };
      } catch (error) {
        log.write(error instanceof AppError ? [error.message, error.hint].filter(Boolean).join(' ') : String(error));
        throw error;
      } finally {
        log.end();
      }
    }),
    watchCheckLog: os.tasks.watchCheckLog.handler(({ input, signal }) =>
      checkLogs.read(input.taskId, input.after, PARK_MS, signalOf(signal)),
    ),
  });
}
