// Grades what an agent left behind: ends its processes, starts a fresh box from a snapshot, empties the verifier's paths, puts the tests
// in, runs them and reads the result. See docs/guide/grading.md for what this does and does not protect against.
import type { SandboxConfig } from '../contract/schema/config.ts';
import type { Verdict } from '../contract/schema/rollout.ts';
import { AppError } from '../lib/errors.ts';
import type { Sandbox, SandboxProvider, SandboxSpec } from '../sandbox/sandbox.ts';
import type { Task } from '../task/task.ts';
import { testUploads } from '../task/uploads.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { judge, type TestRun } from './verdict.ts';

const TESTS = '/tests';
const RESULTS = '/logs/verifier';
const OUTPUT_LIMIT = 4 * 1024 * 1024;

export interface GradeRequest {
  task: Task;
  sandbox: Sandbox;
  /** Specification that the agent's sandbox was started with; the fresh box gets the same limits and network. */
  spec: SandboxSpec;
  grading: SandboxConfig['grading'];
  /** The agent's own terminal, for Terminal-Bench 1 tasks that are tested in the agent's shell. */
  terminal: Terminal | null;
}

export interface Grade {
  verdict: Verdict;
  /** What the test run printed. */
  output: string;
  /** The tests were ended because their time was over. */
  timedOut: boolean;
}

/** Runs the task's verifier once. Throws `AppError` for infrastructure failures only: a box that ended by what ran in it is a verdict. */
export async function grade(request: GradeRequest, provider: SandboxProvider, signal: AbortSignal): Promise<Grade> {
  const started = performance.now();
  const sameShell = request.task.verifier.sameShell && request.terminal !== null && !request.terminal.exited;
  // Tests that run in the agent's own shell need it alive.
  const grading = sameShell ? 'live' : request.grading;
  const tampering = grading === 'live' ? [] : await stopAgent(request.sandbox, grading);

  await using stack = new AsyncDisposableStack();
  let box = request.sandbox;
  if (grading === 'fresh') {
    const snapshot = stack.use(await request.sandbox.snapshot(request.spec.labels));
    box = stack.use(await provider.start({ ...request.spec, image: snapshot.image }, signal));
  }
  const seconds = () => (performance.now() - started) / 1000;
  try {
    tampering.push(...(await emptyVerifierPaths(box)));
    await box.upload(TESTS, testUploads(request.task));
    const run = sameShell && request.terminal ? await runInShell(request, request.terminal, signal) : await runInBox(request, box, signal);
    const verdict = { ...judge(await resultsOf(run, box, request.task)), box: grading, tampering, seconds: seconds() };
    return { output: run.output, timedOut: run.timedOut, verdict };
  } catch (error) {
    const why = await endOf(box, error);
    return { output: '', timedOut: false, verdict: { ...endedBox(why), tampering, seconds: seconds() } };
  }
}

/** Ends what the agent left running, and says so. A box that ends meanwhile, by its own doing or at its disk limit, has nothing left to end. */
async function stopAgent(sandbox: Sandbox, grading: 'fresh' | 'same'): Promise<string[]> {
  try {
    // Where a fresh box is graded, nothing needs to run in this one again, and what stands still need not be killed.
    const left = await (grading === 'fresh' ? sandbox.freeze() : sandbox.stopProcesses());
    // The agent's own shell is always there; anything more was left running.
    if (left <= 1) return [];
    return [`${left - 1} ${left === 2 ? 'process' : 'processes'} of the agent still ran when it stopped; stopped before grading`];
  } catch (error) {
    await endOf(sandbox, error);
    return [];
  }
}

/** Why the box ended, where that explains the failure; throws the failure where the box lives on or the call was given up. */
async function endOf(box: Sandbox, error: unknown): Promise<string> {
  const why = error instanceof AppError ? await box.whyEnded() : null;
  if (why === null) throw error;
  return why;
}

/** What the test run left in the box, read after its end. */
async function resultsOf(run: { output: string; exitCode: number; timedOut: boolean }, box: Sandbox, task: Task): Promise<TestRun> {
  const text = async (name: string) => (await box.readFile(`${RESULTS}/${name}`, OUTPUT_LIMIT).catch(tooLarge))?.toString('utf8') ?? null;
  const [rewardJson, rewardText, ctrf] = await Promise.all([text('reward.json'), text('reward.txt'), text('ctrf.json')]);
  return { ...run, timeoutSec: task.verifier.timeoutSec, rewardJson, rewardText, ctrf, parser: task.verifier.parser };
}

/** A result file larger than any honest one is treated as not there; other failures are the box's. */
function tooLarge(error: unknown): null {
  if (error instanceof AppError && error.code === 'request.invalid') return null;
  throw error;
}

function endedBox(why: string): Omit<Verdict, 'tampering' | 'seconds'> {
  const reason = `The box that was graded ended before there was a result: ${why}.`;
  return { state: 'no_verdict', reward: 0, rewards: {}, partial: null, tests: [], box: 'none', reason };
}

/** Removes whatever lies in the verifier's paths and says what it was, so that nothing planted there can speak for the tests. */
async function emptyVerifierPaths(box: Sandbox): Promise<string[]> {
  const script = [
    `for p in ${RESULTS} ${TESTS}; do if [ -e "$p" ] || [ -L "$p" ]; then find "$p" ! -type d 2>/dev/null | head -n 50; fi; done`,
    `for p in /logs ${RESULTS} ${TESTS}; do if [ -L "$p" ] || { [ -e "$p" ] && [ ! -d "$p" ]; }; then rm -f "$p"; fi; done`,
    `rm -rf ${RESULTS} ${TESTS}; mkdir -p ${RESULTS} ${TESTS} && chmod 777 ${RESULTS}`,
  ].join('\n');
  const result = await box.exec(['sh', '-c', script], { user: '0', cwd: '/', timeoutMs: 60_000 });
  if (result.exitCode !== 0) {
    throw new AppError(
      'verifier.failed',
      `the verifier's paths could not be emptied: ${result.stderr.trim().slice(0, 300) || `exit code ${result.exitCode}`}`,
      {
        hint: `The image needs sh, find, rm and mkdir, and a writable ${RESULTS}.`,
      },
    );
  }
  return result.stdout
    .split('\n')
    .filter((path) => path !== '')
    .map((path) => `${path} was there before the tests ran; removed`);
}

async function runInBox(request: GradeRequest, box: Sandbox, signal: AbortSignal) {
  const { task } = request;
  const script = `${TESTS}/${task.verifier.script}`;
  const result = await box.exec(commandFor(task, script), {
    ...(task.verifier.user === null ? {} : { user: task.verifier.user }),
    env: task.verifier.env,
    timeoutMs: task.verifier.timeoutSec * 1000,
    outputLimit: OUTPUT_LIMIT,
    signal,
  });
  return { output: result.stdout + result.stderr, exitCode: result.exitCode, timedOut: result.timedOut };
}

/** Terminal-Bench 1 `run_tests_in_same_shell`: the tests see the agent's shell as it is (cwd, exported variables, active venv). */
async function runInShell(request: GradeRequest, terminal: Terminal, signal: AbortSignal) {
  await terminal.observe();
  await terminal.send(`bash ${TESTS}/${request.task.verifier.script}\r`);
  const settled = await terminal.settle(request.task.verifier.timeoutSec * 1000, { signal });
  const { text } = await terminal.observe(OUTPUT_LIMIT);
  return { output: text, exitCode: settled.exitCode ?? -1, timedOut: settled.reason === 'elapsed' };
}

/** Harbor runs the script itself, by whatever interpreter it names; Terminal-Bench 1 runs it with bash, and some name none. */
function commandFor(task: Task, script: string): string[] {
  const run = task.format === 'terminal-bench-1' ? 'exec bash "$1"' : '"$1"';
  return ['sh', '-c', `chmod +x "$1" 2>/dev/null; exec 2>&1; ${run}`, 'sh', script];
}
