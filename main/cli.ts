// Entry of the command line on Node.
import { Command, InvalidArgumentError, Option } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import type { Common } from './cli/commands.ts';
import { exitCodes, printError, printJson } from './cli/print.ts';
import { resolvePaths } from './config/paths.ts';
import { exportFormat } from './contract/schema/exchange.ts';
import { isAbort } from './lib/abort.ts';

const collect = (value: string, before: string[]) => [...before, value];

/** Reads the value of an option that takes a whole number. */
const whole = (least: number, most = Number.MAX_SAFE_INTEGER) => {
  const range = most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `of at least ${least}`;
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It is a whole number ${range}.`);
  };
};
const port = whole(0, 65_535);

/** Runs one command line; answers the exit code. */
export async function main(argv: string[]): Promise<number> {
  const controller = new AbortController();
  let asked = 0;
  const stop = () => {
    asked += 1;
    if (asked > 2) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);

  let code: number = exitCodes.ok;
  const program = new Command('termarium')
    .description('A lab in which researchers raise terminal agents.')
    .version(packageJson.version)
    .option('--data <folder>', 'data folder (default: TERMARIUM_HOME, else ~/.local/share/termarium)')
    .option('--json', 'JSON lines on standard output, for programs', false)
    .showHelpAfterError('(add --help to see what there is)')
    .configureOutput({ writeErr: (text) => void (argv.includes('--json') || process.stderr.write(text)) })
    .exitOverride();

  const common = (): Common => {
    const options = program.opts<{ data?: string; json: boolean }>();
    return { json: options.json, signal: controller.signal, paths: resolvePaths(options.data === undefined ? {} : { data: options.data }) };
  };
  const command = async () => await import('./cli/commands.ts');

  program
    .command('demo')
    .description('play the bundled tasks with the oracle, with nothing, and with a scripted agent; then serve the lab')
    .option('--exit', 'end after the run instead of serving', false)
    .option('--port <port>', 'port of the browser door; 0 takes a free one', port, 0)
    .option('--concurrency <n>', 'rollouts at once', whole(1))
    .action(async (options) => {
      code = await (await import('./cli/demo.ts')).demoCommand(options, common());
    });
  program
    .command('serve')
    .description('serve the lab to a browser on this machine')
    .option('--port <port>', 'port; 0 takes a free one', port, 4747)
    .option('--host <address>', 'address to listen on; others than loopback need --token', '127.0.0.1')
    .option('--token <token>', 'password that lets browsers and clients in')
    .option('--allow-host <name>', 'further host name by which browsers address this lab', collect, [])
    .action(async (options) => {
      code = await (await command()).serveCommand(options, common());
    });
  program
    .command('run')
    .description('play tasks with agents and wait for the verdicts')
    .option('-c, --config <file>', 'YAML file, merged over the defaults; repeatable, later wins', collect, [])
    .option('-o, --override <key=value>', 'single setting, e.g. limits.turns=20; repeatable', collect, [])
    .option('-t, --tasks <list>', 'task sets, folders or task names, separated by commas')
    .option('-a, --agents <list>', 'terminus, minimal, batch, oracle, nop, replay, human')
    .option('-m, --model <name>', 'model of configs/models, or a file')
    .option('-k, --attempts <n>', 'attempts per task', whole(1))
    .option('-n, --concurrency <n>', 'rollouts at once', whole(1))
    .option('--name <name>', 'name of the run')
    .action(async (options) => {
      code = await (await command()).runCommand(options, common());
    });
  program
    .command('resume')
    .description('play what is left of a run: interrupted, cancelled and failed rollouts; without an id, of the latest such run')
    .argument('[run]', 'id of the run')
    .action(async (run: string | undefined) => {
      code = await (await command()).resumeCommand(run, common());
    });
  program
    .command('check')
    .description('pass tasks through the gates: build, initial state, nop scores 0, oracle scores 1, fresh grading agrees')
    .argument('<folder...>', 'task folders, or folders of tasks')
    .option('--gates <list>', 'only these gates, separated by commas')
    .option('--repeats <n>', 'plays for the flaky gate', whole(1), 1)
    .option('-o, --override <key=value>', 'single setting, e.g. sandbox.grading=same; repeatable', collect, [])
    .action(async (folders: string[], options) => {
      code = await (await command()).checkCommand(folders, options, common());
    });
  program
    .command('import-task')
    .description('add a folder of tasks (Harbor or Terminal-Bench 1) as a task set')
    .argument('<folder>')
    .option('--name <name>', 'name of the set (default: the folder)')
    .action(async (folder: string, options) => {
      code = await (await command()).importCommand(folder, options, common());
    });
  program
    .command('import')
    .description('add what was played elsewhere: Harbor jobs, ATIF and chat trajectories, tables of rollouts')
    .argument('<path...>', 'files or folders')
    .option('--name <name>', 'name of the new run (default: the folder)')
    .action(async (paths: string[], options) => {
      code = await (await import('./cli/exchange.ts')).importCommand(paths, options, common());
    });
  program
    .command('import-profile')
    .description('add a prompt of your own: from a template file, or from the first message of a recorded trajectory')
    .argument('<path>', 'template file, trial folder, trajectory.json or prompt.txt')
    .option('--name <name>', 'name of the profile (default: the file)')
    .addOption(new Option('--parser <format>', 'format of the answers (default: as the text says)').choices(['json', 'xml']))
    .option('--task <folder>', 'task that was recorded, where no heading tells where it stands')
    .option('--rows <n>', 'rows of the recorded terminal', whole(1), 40)
    .option('--replace', 'replace the profile of this name', false)
    .action(async (path: string, options) => {
      code = await (await import('./cli/profile.ts')).importProfileCommand(path, options, common());
    });
  program
    .command('export')
    .description('write a run, or single rollouts, for other programs')
    .argument('<id...>', 'id of a run, or ids of rollouts')
    .addOption(new Option('--format <format>', 'what to write').choices(exportFormat.options).makeOptionMandatory())
    .requiredOption('--to <path>', 'folder (atif, harbor, asciicast) or file (messages, sharegpt, csv)')
    .option('--overwrite', 'write over what is there', false)
    .action(async (ids: string[], options) => {
      code = await (await import('./cli/exchange.ts')).exportCommand(ids, options, common());
    });
  program
    .command('parity')
    .description('compare two prompts token by token: what a model is trained on with what it is evaluated on')
    .argument('<first>', 'ROLLOUT[@TURN] or FILE.jsonl[:LINE][@TURN]; lines and turns count from 1')
    .argument('<second>', 'the same')
    .requiredOption('--tokenizer <model or folder>', 'model whose file names a tokenizer, or folder with tokenizer.json')
    .option('--turns <n>', 'turns to compare, from the given ones on', whole(1), 1)
    .action(async (first: string, second: string, options) => {
      code = await (await import('./cli/parity.ts')).parityCommand(first, second, options, common());
    });
  program
    .command('clean')
    .description('remove what this lab left in Docker: containers, networks, volumes, snapshots')
    .option('--images', 'also images that the lab built', false)
    .option('--dry-run', 'only list', false)
    .action(async (options) => {
      code = await (await command()).cleanCommand(options, common());
    });
  program
    .command('doctor')
    .description('look at everything the lab needs of this machine')
    .action(async () => {
      code = await (await command()).doctorCommand(common());
    });
  program
    .command('open')
    .description('print a new address of the running lab, for a browser')
    .action(async () => {
      code = await (await command()).openCommand(common());
    });

  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (isCommanderEnd(error)) {
      if (error.exitCode === 0) return exitCodes.ok;
      const message = error.message.replace(/^error: /, '');
      if (argv.includes('--json')) printJson({ error: { code: 'request.invalid', message, retryable: false } });
      return exitCodes.usage;
    }
    if (controller.signal.aborted && isAbort(error)) return exitCodes.interrupted;
    return printError(error, { json: program.opts<{ json: boolean }>().json });
  }
  return code;
}

function isCommanderEnd(error: unknown): error is Error & { exitCode: number } {
  return error instanceof Error && 'exitCode' in error && error.constructor.name.startsWith('Commander');
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of a pipe went away (`| head`): nothing left to say.
  if (error.code === 'EPIPE') process.exit(exitCodes.ok);
});
process.exitCode = await main(process.argv);
