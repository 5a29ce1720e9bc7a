// The demo: the bundled tasks, each played by the oracle, by an agent that does nothing, and by a scripted agent that is right most of the
// time. It proves the whole chain on this machine and gives a newcomer something to look at.
import { join } from 'node:path';
import pc from 'picocolors';
import { loadRunConfig } from '../config/load.ts';
import { memoryClient } from '../transport/memory.ts';
import type { Common } from './commands.ts';
import { cliLog } from './connection.ts';
import { followRun } from './follow.ts';
import { exitCodes, printJson, rateWords } from './print.ts';
import { failures, rolloutTable } from './report.ts';
import { serveApp } from './serve.ts';

/** Exit code 0 only where the oracle solves every task and doing nothing solves none. */
export async function demoCommand(options: { exit: boolean; port: number; concurrency?: number }, common: Common): Promise<number> {
  const { config } = await loadRunConfig({
    files: [join(common.paths.configs, 'eval', 'demo.yaml')],
    overrides: options.concurrency === undefined ? [] : [`concurrency=${options.concurrency}`],
    paths: common.paths,
  });
  await using served = await serveApp(common.paths, { port: options.port, host: '127.0.0.1' });
  const client = memoryClient({ router: served.app.router, log: cliLog() });
  await served.app.lab.sandboxes(config.sandbox).info(common.signal);
  const { runId } = await client.runs.start({ config });
  if (!common.json && !options.exit) process.stdout.write(`watch live: ${pc.cyan(served.door.issueUrl())}\n`);
  const { run, rollouts } = await followRun(client, runId, common, common.signal);

  const solved = (agent: string) => rollouts.filter((row) => row.agent === agent && row.outcome === 'solved').length;
  const tasks = rollouts.length / config.agents.length;
  const sound = run.status === 'finished' && run.counts.errors === 0 && solved('oracle') === tasks && solved('nop') === 0;
  if (common.json) printJson({ run: run.id, tasks, oracle: solved('oracle'), nop: solved('nop'), terminus: solved('terminus'), sound });
  else {
    process.stdout.write(`\n${rolloutTable(rollouts)}\n\n`);
    process.stdout.write(
      `oracle ${solved('oracle')}/${tasks} solved, nop ${solved('nop')}/${tasks}, demo agent ${solved('terminus')}/${tasks}\n`,
    );
    process.stdout.write(`over all trials: ${rateWords(run.overAll)}\n`);
    process.stderr.write(failures(run, rollouts));
    if (!sound)
      process.stdout.write(
        `${pc.red('The chain is not sound here')}: the oracle must solve every task and nop none. Look at the rollouts that differ.\n`,
      );
  }
  if (options.exit) {
    if (!common.json) process.stdout.write(`everything is stored in ${common.paths.data}; look at it with: npx termarium serve\n`);
    return sound ? exitCodes.ok : exitCodes.failed;
  }
  if (!common.json) process.stdout.write(`open ${pc.cyan(served.door.issueUrl())} to look at every turn ${pc.dim('(Ctrl+C ends)')}\n`);
  await new Promise<void>((done) => common.signal.addEventListener('abort', () => done(), { once: true }));
  return sound ? exitCodes.ok : exitCodes.failed;
}
