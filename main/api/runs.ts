import { agents } from '../agent/index.ts';
import { checkRunConfig, loadRunConfigText, toYaml } from '../config/load.ts';
import { loadModel } from '../config/models.ts';
import type { ConfigIssue } from '../contract/schema/task.ts';
import { AppError, messageOf } from '../lib/errors.ts';
import { csvHeader, rolloutLine } from '../rollout/lines.ts';
import { selectTasks } from '../rollout/select.ts';
import type { ApiDeps } from './deps.ts';
import { os } from './os.ts';
import { signalOf } from './system.ts';
import { watchOne, watchRows } from './watch.ts';

/** Rollouts in one page of an export: a few milliseconds of the backend's time. */
const EXPORT_PAGE = 2000;

export function runsApi({ lab, scheduler, paths }: ApiDeps) {
  const { store } = lab;
  const require = (runId: string) => {
    const run = store.runs.get(runId);
    if (!run)
      throw new AppError('request.not_found', `there is no run ${runId}`, { hint: '`termarium serve` shows those that there are.' });
    return run;
  };
  return os.runs.router({
    watch: os.runs.watch.handler(({ input, signal }) =>
      watchRows(store, ['run'], (after) => store.runs.read(after), input.after, signalOf(signal)),
    ),
    watchOne: os.runs.watchOne.handler(async ({ input, signal }) => {
      await watchOne(store, ['run'], input.after, () => require(input.runId).rev, signalOf(signal), input.runId);
      const run = require(input.runId);
      return { run, cursor: run.rev };
    }),
    resolve: os.runs.resolve.handler(async ({ input, signal }) => {
      const { config, issues } =
        input.text === undefined
          ? await checkRunConfig(input.config, 'run', paths)
          : await loadRunConfigText(input.text, 'run.yaml', paths);
      if (!config) return { config: null, tasks: [], rollouts: 0, issues };
      const found: ConfigIssue[] = [...issues];
      const complain = (error: unknown, key: string) =>
        found.push({
          level: 'error',
          message: error instanceof AppError ? [error.message, error.hint].filter(Boolean).join(' ') : messageOf(error),
          file: key,
        });
      if (config.agents.some((agent) => agents[agent].needsModel)) {
        if (config.model === null) found.push({ level: 'error', message: 'the chosen agent needs a model', file: 'model' });
        else await loadModel(config.model, paths).catch((error: unknown) => complain(error, 'model'));
      }
      try {
        const { tasks, issues: taskIssues } = await selectTasks(config.tasks, config.only, store, signal);
        const unplayable = taskIssues.filter((issue) => issue.level === 'error');
        return {
          config,
          tasks: tasks.map((task) => task.name),
          rollouts: tasks.length * config.agents.length * config.attempts,
          issues: [...found, ...unplayable],
        };
      } catch (error) {
        complain(error, 'tasks');
        return { config, tasks: [], rollouts: 0, issues: found };
      }
    }),
    start: os.runs.start.handler(({ input }) => scheduler.start(input.config)),
    pause: os.runs.pause.handler(({ input }) => {
      scheduler.pause(input.runId);
      return {};
    }),
    resume: os.runs.resume.handler(async ({ input }) => {
      await scheduler.resume(input.runId);
      return {};
    }),
    cancel: os.runs.cancel.handler(async ({ input }) => {
      await scheduler.cancel(input.runId);
      return {};
    }),
    toYaml: os.runs.toYaml.handler(({ input }) => ({ text: toYaml(input.config) })),
    exportRollouts: os.runs.exportRollouts.handler(({ input: { runId, format, after } }) => {
      const { rows, cursor, more } = store.rollouts.read({ runId: require(runId).id }, after ?? 0, EXPORT_PAGE);
      return {
        header: format === 'csv' ? csvHeader : null,
        lines: rows.map((row) => ({ id: row.id, text: rolloutLine(row, format) })),
        next: more ? cursor : null,
      };
    }),
  });
}
