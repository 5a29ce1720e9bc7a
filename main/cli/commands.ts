// What each command of the CLI does.
import { resolve } from 'node:path';
import pc from 'picocolors';
import { checkConfig, checkTask, passed, plainGates } from '../check/check.ts';
import { loadRunConfig } from '../config/load.ts';
import type { Paths } from '../config/paths.ts';
import type { RunRow } from '../contract/schema/run.ts';
import { type ConfigIssue, type GateName, gateName } from '../contract/schema/task.ts';
import { AppError } from '../lib/errors.ts';
import { createDockerProvider } from '../sandbox/docker.ts';
import { CHECK_LAB, currentOwner } from '../sandbox/labels.ts';
import { readLock } from '../store/lock.ts';
import { loadTasks } from '../task/load.ts';
import { rejectionOf } from '../task/unreadable.ts';
import { requestUrl } from '../transport/connect.ts';
import { cliLog, openLab } from './connection.ts';
import { followRun } from './follow.ts';
import { exitCodes, type OutputMode, plain, printError, printJson, rateWords } from './print.ts';
import { exitCodeOf, failures, issueLines, rolloutTable } from './report.ts';
import { serveApp } from './serve.ts';

export interface Common extends OutputMode {
  paths: Paths;
  signal: AbortSignal;
}

export interface RunOptions {
  config: string[];
  override: string[];
  tasks?: string;
  agents?: string;
  model?: string;
  attempts?: number;
  concurrency?: number;
  name?: string;
}

/** `termarium run`: starts a run and follows it to its end. */
export async function runCommand(options: RunOptions, common: Common): Promise<number> {
  const overrides = [...options.override];
  const list = (text: string) => JSON.stringify(text.split(',').map((part) => part.trim()));
  if (options.tasks !== undefined) overrides.push(`tasks=${list(options.tasks)}`);
  if (options.agents !== undefined) overrides.push(`agents=${list(options.agents)}`);
  if (options.model !== undefined) overrides.push(`model=${JSON.stringify(options.model)}`);
  if (options.attempts !== undefined) overrides.push(`attempts=${options.attempts}`);
  if (options.concurrency !== undefined) overrides.push(`concurrency=${options.concurrency}`);
  if (options.name !== undefined) overrides.push(`name=${JSON.stringify(options.name)}`);
  const { config } = await loadRunConfig({ files: options.config, overrides, paths: common.paths });
  await using lab = await openLab(common.paths, cliLog());
  // Folders are given relative to where the command is typed; the backend may have been started elsewhere.
  const tasks = await Promise.all(config.tasks.map((pattern) => absoluteIfFolder(pattern)));
  const { runId, issues } = await lab.client.runs.start({ config: { ...config, tasks } });
  if (common.json) for (const issue of issues) printJson({ issue });
  else process.stderr.write(issueLines(issues));
  return await followAndReport(lab, runId, common, issues);
}

/** `termarium resume RUN`: plays what is left of a run. */
export async function resumeCommand(runId: string | undefined, common: Common): Promise<number> {
  await using lab = await openLab(common.paths, cliLog());
  const id = runId ?? (await latestUnfinished(lab.client));
  await lab.client.runs.resume({ runId: id });
  return await followAndReport(lab, id, common);
}

async function latestUnfinished(client: Awaited<ReturnType<typeof openLab>>['client']): Promise<string> {
  let latest: RunRow | null = null;
  for (let after: number | undefined; ; ) {
    const { rows, cursor, more } = await client.runs.watch(after === undefined ? {} : { after });
    for (const run of rows) {
      const { total, finished } = run.counts;
      if (run.origin === undefined && finished < total && (latest === null || run.createdAt >= latest.createdAt)) latest = run;
    }
    if (!more) break;
    after = cursor;
  }
  if (!latest) throw new AppError('request.not_found', 'no run has anything left to play', { hint: 'Start one with `termarium run`.' });
  return latest.id;
}

type Access = Awaited<ReturnType<typeof openLab>>;

async function followAndReport(lab: Access, runId: string, common: Common, issues: ConfigIssue[] = []): Promise<number> {
  if (!common.json) process.stderr.write(`run ${runId}${lab.url ? ` (in the lab at ${lab.url})` : ''}\n`);
  let stopping = false;
  const stop = () => {
    stopping = true;
  };
  common.signal.addEventListener('abort', stop, { once: true });
  try {
    const { run, rollouts } = await followRun(lab.client, runId, common, common.signal);
    if (common.json) printJson({ run: run.id, status: run.status, overAll: run.overAll, overVerdict: run.overVerdict, counts: run.counts });
    else {
      process.stdout.write(`${rolloutTable(rollouts)}\n\n`);
      process.stdout.write(`solved, over all trials:            ${rateWords(run.overAll)}\n`);
      process.stdout.write(`solved, over trials with a verdict: ${rateWords(run.overVerdict)}\n`);
      process.stderr.write(failures(run, rollouts));
    }
    return exitCodeOf(run, rollouts, issues);
  } catch (error) {
    if (!stopping) throw error;
    if (common.json) printJson({ run: runId, status: lab.app ? 'interrupted' : 'running', lab: lab.url });
    else
      process.stderr.write(
        `\n${lab.app ? `interrupted; go on with: termarium resume ${runId}` : `the run goes on in the lab at ${lab.url}`}\n`,
      );
    return exitCodes.interrupted;
  }
}

/** `termarium check PATH…`: the gates, for each task of each folder. */
export async function checkCommand(
  folders: string[],
  options: { gates?: string; repeats: number; override: string[] },
  common: Common,
): Promise<number> {
  const gates = options.gates === undefined ? plainGates : options.gates.split(',').map((gate) => parseGate(gate.trim()));
  const { config } = await loadRunConfig({ files: [], overrides: [...options.override, 'tasks=["."]'], paths: common.paths });
  const log = cliLog();
  await using provider = createDockerProvider({ lab: CHECK_LAB, owner: currentOwner(), aliases: config.sandbox.aliases, log });
  await provider.info(common.signal);
  let good = 0;
  let bad = 0;
  for (const folder of folders) {
    const { tasks, rejected } = await loadTasks(resolve(folder));
    for (const { folder: path, error } of rejected) {
      const issue = rejectionOf(path, error);
      bad += 1;
      if (common.json) printJson({ task: null, passed: false, issue });
      else
        process.stdout.write(
          `${pc.red('rejected')} ${plain(issue.file)}${issue.line === undefined ? '' : `:${issue.line}`}: ${plain(issue.message)}\n`,
        );
    }
    for (const task of tasks) {
      common.signal.throwIfAborted();
      if (!common.json) {
        process.stdout.write(`${pc.bold(plain(task.name))}\n`);
        for (const issue of task.issues.filter(({ level }) => level !== 'note')) {
          process.stdout.write(
            `  ${pc.yellow(issue.level)} ${plain(issue.file)}${issue.line === undefined ? '' : `:${issue.line}`}: ${plain(issue.message)}\n`,
          );
        }
      }
      try {
        const results = await checkTask(task, provider, {
          gates,
          repeats: options.repeats,
          config: { ...checkConfig(), sandbox: { ...config.sandbox, pool: 0 } },
          onLog: (line) => log.info({ task: task.name }, line),
          onGate: (result) => {
            if (!common.json)
              process.stdout.write(
                `  ${gateWord(result.state)} ${result.gate.padEnd(8)} ${plain(result.detail)} ${pc.dim(`${result.seconds.toFixed(1)} s`)}\n`,
              );
          },
          signal: common.signal,
        });
        if (passed(results)) good += 1;
        else bad += 1;
        if (common.json) printJson({ task: task.name, passed: passed(results), gates: results, issues: task.issues });
      } catch (error) {
        if (!(error instanceof AppError) || error.code.startsWith('docker')) throw error;
        bad += 1;
        printError(error, common);
      }
    }
  }
  if (common.json) printJson({ passed: good, failed: bad });
  else process.stdout.write(`\n${good} passed, ${bad} failed\n`);
  return bad === 0 ? exitCodes.ok : exitCodes.failed;
}

function parseGate(text: string): GateName {
  const parsed = gateName.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new AppError('config.invalid', `'${text}' is no gate`, { hint: `The gates are ${plainGates.join(', ')}.` });
}

function gateWord(state: string): string {
  const word = state.padEnd(7);
  return state === 'passed' ? pc.green(word) : state === 'failed' ? pc.red(word) : pc.dim(word);
}

/** `termarium import-task FOLDER`: adds a folder of tasks as a set and says what was kept, unknown and rejected. */
export async function importCommand(folder: string, options: { name?: string }, common: Common): Promise<number> {
  await using lab = await openLab(common.paths, cliLog());
  const report = await lab.client.tasks.importFolder({
    path: resolve(folder),
    ...(options.name === undefined ? {} : { name: options.name }),
  });
  if (common.json) printJson(report);
  else {
    for (const issue of [...report.rejected, ...report.issues]) {
      const word = issue.level === 'error' ? pc.red('rejected') : issue.level === 'warning' ? pc.yellow('warning ') : pc.dim('note    ');
      process.stdout.write(`${word} ${plain(issue.file)}${issue.line === undefined ? '' : `:${issue.line}`}: ${plain(issue.message)}\n`);
    }
    process.stdout.write(`${report.tasks} tasks imported, ${report.rejected.length} rejected\n`);
  }
  return report.rejected.length === 0 ? exitCodes.ok : exitCodes.failed;
}

/** `termarium clean`: removes containers, networks, volumes and snapshots that this lab left in Docker. */
export async function cleanCommand(options: { images: boolean; dryRun: boolean }, common: Common): Promise<number> {
  // Where no lab runs, the one that is started for this command must not clean up before it is asked to.
  await using lab = await openLab(common.paths, cliLog(), { reap: false });
  const { found, removed } = await lab.client.system.clean({ remove: !options.dryRun, images: options.images });
  if (common.json) printJson({ found, removed });
  else {
    for (const thing of found)
      process.stdout.write(`${thing.kind.padEnd(9)} ${thing.id.slice(0, 12)}  ${plain(thing.name)}  ${pc.dim(plain(thing.detail))}\n`);
    process.stdout.write(options.dryRun ? `${found.length} found, nothing removed\n` : `${removed} removed\n`);
  }
  return exitCodes.ok;
}

/** `termarium doctor`: what the lab needs of this machine. Works where the lab itself cannot start. */
export async function doctorCommand(common: Common): Promise<number> {
  const { examine } = await import('../check/doctor.ts');
  await using provider = createDockerProvider({ lab: 'doctor', owner: currentOwner(), aliases: {}, log: cliLog() });
  const findings = await examine(common.paths, provider);
  if (common.json) printJson({ findings });
  else {
    for (const { state, title, detail, fix } of findings) {
      const word = state === 'ok' ? pc.green('ok     ') : state === 'warning' ? pc.yellow('warning') : pc.red('problem');
      process.stdout.write(`${word} ${title.padEnd(12)} ${plain(detail)}\n`);
      if (fix) process.stdout.write(`        ${' '.repeat(12)} → ${plain(fix)}\n`);
    }
  }
  return findings.some(({ state }) => state === 'problem') ? exitCodes.failed : exitCodes.ok;
}

/** `termarium serve`: the lab for a browser, until interrupted. */
export async function serveCommand(
  options: { port: number; host: string; token?: string; allowHost: string[] },
  common: Common,
): Promise<number> {
  const owner = readLock(common.paths.data);
  if (owner?.url && owner.token) {
    const url = await requestUrl(owner.url, owner.token);
    if (common.json) printJson({ url, pid: owner.pid });
    else process.stdout.write(`A lab serves ${common.paths.data} already (process ${owner.pid})\nopen ${pc.cyan(url)}\n`);
    return exitCodes.ok;
  }
  await using served = await serveApp(common.paths, {
    port: options.port,
    host: options.host,
    allowedHosts: options.allowHost,
    ...(options.token === undefined ? {} : { token: options.token }),
  });
  if (common.json) printJson({ url: served.door.issueUrl(), port: served.door.port });
  else
    process.stdout.write(
      `Termarium serves ${common.paths.data}\nopen ${pc.cyan(served.door.issueUrl())}\n${pc.dim('(this address works once; `termarium open` gives a new one; Ctrl+C ends)')}\n`,
    );
  await new Promise<void>((done) => {
    if (common.signal.aborted) done();
    common.signal.addEventListener('abort', () => done(), { once: true });
  });
  return exitCodes.ok;
}

async function absoluteIfFolder(pattern: string): Promise<string> {
  const { stat } = await import('node:fs/promises');
  return await stat(pattern).then(
    (found) => (found.isDirectory() ? resolve(pattern) : pattern),
    () => pattern,
  );
}

/** `termarium open`: a fresh one-time address of the lab that owns the data folder. */
export async function openCommand(common: Common): Promise<number> {
  const owner = readLock(common.paths.data);
  if (!owner?.url || !owner.token) {
    throw new AppError('request.not_found', `no lab serves ${common.paths.data}`, { hint: 'Start one with `termarium serve`.' });
  }
  const url = await requestUrl(owner.url, owner.token);
  if (common.json) printJson({ url });
  else process.stdout.write(`${url}\n`);
  return exitCodes.ok;
}
