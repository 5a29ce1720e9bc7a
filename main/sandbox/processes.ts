// Ends processes inside a container: one program's tree, or everything but PID 1 and what the image's ENTRYPOINT started.
import type Docker from 'dockerode';
import { delay } from '../lib/abort.ts';
import { type Box, type ImageProcesses, launch, sleeper } from './box.ts';
import { containerFailure, statusOf } from './failure.ts';

const helperLimitMs = 8_000;
/** How long killed processes may take to be gone: a large one gives its memory back first. */
const killGraceMs = 2_000;

/** How long an ENTRYPOINT may take until it runs its command. One that never does is a program of its own, and left running. */
const entrypointLimitMs = 30_000;

const readFields = `
fields() { # of a process: state parent group session … started, as $2 $3 $4 $5 … \${21} with $1 as it was
  { read -r line <"/proc/$pid/stat"; } 2>/dev/null || return 1
  set -f; fields="\${line##*) }"; set +f
}`;

/**
 * Ends the tree below a program (`$1` is its pid): its sessions, its descendants, and what it made an orphan of in the meantime, unless
 * that belongs to the session of another program started from outside. Everything found is stopped first, until nothing new turns up,
 * so that nothing forks away. Uses nothing of the image but a POSIX shell and /proc; see proc(5) for the fields of stat.
 */
const killTreeScript = `${readFields}
pid=$1; fields || { echo ended; exit; }
set -- "$1" $fields; begun=\${21}
tree=" $1 "; roots=' 1 '; found=1
while [ "$found" ]; do
  found=
  for stat in /proc/[0-9]*/stat; do
    pid=\${stat#/proc/}; pid=\${pid%/stat}
    case $tree in *" $pid "*) continue ;; esac
    fields || continue
    set -- "$1" $fields
    [ "$3" != 0 ] || { roots="$roots$pid "; continue; }
    case $tree in
      *" $5 "* | *" $3 "*) ;;
      *)
        [ "$3" = 1 ] && [ "\${21}" -ge "$begun" ] || continue
        case $roots in *" $5 "*) continue ;; esac ;;
    esac
    kill -STOP "$pid" 2>/dev/null
    tree="$tree$pid "; found=1
  done
  kill -STOP "$1" 2>/dev/null
done
kill -KILL $tree 2>/dev/null
echo ended`;

/** Lists every process but itself as `pid:start time`. */
const listScript = `${readFields}
all=
for stat in /proc/[0-9]*/stat; do
  pid=\${stat#/proc/}; pid=\${pid%/stat}
  [ "$pid" != "$$" ] && fields || continue
  set -- '' $fields
  all="$all $pid:\${21}"
done
echo "$all ended"`;

/** Ends every process that is not in its arguments, each `pid:start time`. Stops all of them first, so that nothing forks away. */
const killOthersScript = `${readFields}
spared=" $* "; others=' '; found=1
while [ "$found" ]; do
  found=
  for stat in /proc/[0-9]*/stat; do
    pid=\${stat#/proc/}; pid=\${pid%/stat}
    [ "$pid" != "$$" ] || continue
    case $others in *" $pid "*) continue ;; esac
    fields || continue
    set -- "" $fields
    case $spared in *" $pid:\${21} "*) continue ;; esac
    kill -STOP "$pid" 2>/dev/null
    others="$others$pid "; found=1
  done
done
kill -KILL $others 2>/dev/null
echo ended`;

/**
 * Ends a program by the pid it has in the container, with all it started. False where it could not: a container whose pid limit is
 * used up takes no more helpers.
 */
export async function killTree(box: Box, pid: number, user: string | undefined): Promise<boolean> {
  return (await runHelper(box, ['sh', '-c', killTreeScript, 'sh', String(pid)], box.locked ? user : '0')) !== null;
}

/**
 * Ends every process but PID 1 and the image's; answers how many there were. Without an ENTRYPOINT one kill(-1) as root reaches all of them at once, which no fork can
 * outrun, because the kernel holds its process table meanwhile. What the host still sees afterwards (no process could be started for a
 * used-up pid limit, no capability to signal another user, a replaced shell) goes with a restart of the container.
 */
export async function stopEverything(box: Box): Promise<number> {
  const before = await agentProcesses(box);
  if (before === 0) return 0;
  const kill = box.ofImage ? [killOthersScript, 'sh', ...box.ofImage.inside] : ['kill -9 -1; echo ended'];
  const sent = await runHelper(box, ['sh', '-c', ...kill], '0');
  const deadline = performance.now() + (sent === null ? 0 : killGraceMs);
  while ((await agentProcesses(box)) > 0) {
    if (performance.now() < deadline) await delay(20);
    else return restart(box).then(() => before);
  }
  return before;
}

/** Ends PID 1 from outside, and with it, by the kernel, every process of the container; then starts it again on the same filesystem. */
export async function restart(box: Box): Promise<void> {
  try {
    await box.container.restart({ t: 0 });
  } catch (error) {
    throw containerFailure('restart a container', box.container.id, error);
  }
  if (!box.ofImage) return;
  await commandReached(box.container);
  box.ofImage = await imageProcesses(box);
}

/** `ready`: it runs the command that it was given. `busy`: it runs on without. `ended`: it ended, and the container with it. */
export type EntrypointState = 'ready' | 'busy' | 'ended';

/** Waits until the ENTRYPOINT of a container that was just started runs the sleeper, which is its command. */
export async function commandReached(
  container: Docker.Container,
  withinMs = entrypointLimitMs,
  signal?: AbortSignal,
): Promise<EntrypointState> {
  const limit = performance.now() + withinMs;
  for (let pause = 10; ; pause = Math.min(pause * 1.5, 250)) {
    try {
      if ((await listProcesses(container)).some(isSleeper)) return 'ready';
    } catch (error) {
      // Asked about the processes of a container that has ended, the engine answers with a conflict.
      if (statusOf(error) === undefined || statusOf(error) === 404) throw error;
      if (!(await container.inspect()).State.Running) return 'ended';
    }
    if (performance.now() > limit) return 'busy';
    await delay(pause, signal);
  }
}

/** The processes of the image, once its ENTRYPOINT has started everything: all there are. */
export async function imageProcesses(box: Box): Promise<ImageProcesses> {
  const listed = await runHelper(box, ['sh', '-c', listScript], '0');
  const outside = await listProcesses(box.container);
  return { outside: new Set(outside.map((row) => row.pid)), inside: listed?.match(/\d+:\d+/g) ?? [] };
}

/** A process as the engine's host sees it. */
interface ProcessRow {
  pid: string;
  parent: string;
  state: string;
  args: string;
}

/** What runs in a container, listed from outside: needs nothing of the image, and cannot be lied to. */
async function listProcesses(container: Docker.Container): Promise<ProcessRow[]> {
  const listed: { Processes: string[][] | null } = await container.top({ ps_args: '-eo pid,ppid,stat,args' });
  return (listed.Processes ?? []).map(([pid = '', parent = '', state = '', ...args]) => ({ pid, parent, state, args: args.join(' ') }));
}

/** The lab's own program, which keeps a container alive. */
function isSleeper(row: ProcessRow): boolean {
  return row.args === sleeper.join(' ');
}

/** Processes that are neither PID 1 with its child nor the image's. */
export async function agentProcesses(box: Box): Promise<number> {
  let rows: ProcessRow[];
  try {
    rows = await listProcesses(box.container);
  } catch (error) {
    throw containerFailure('list processes', box.container.id, error);
  }
  const pids = new Set(rows.map((row) => row.pid));
  const living = rows.filter((row) => !row.state.startsWith('Z'));
  const isImages = (row: ProcessRow) => box.ofImage?.outside.has(row.pid) === true;
  // PID 1 and programs started by exec both have a parent outside; of those only PID 1 has the sleeper's command line and came first.
  const first = living.find((row) => isSleeper(row) && (!pids.has(row.parent) || isImages(row)));
  const itsChild = living.find((row) => row.parent === first?.pid && row.args === 'sleep 2147483647');
  return living.filter((row) => row !== first && row !== itsChild && !isImages(row)).length;
}

/**
 * Runs a helper that prints `ended` when it has done its work, which counts rather than its own end: the engine reports that late
 * where something keeps an earlier program's output open. Answers what it printed, or null where it could not do its work.
 */
async function runHelper(box: Box, command: string[], user: string | undefined): Promise<string | null> {
  const { stream } = await launch(box, { command, user, cwd: '/', tty: false, stdin: false });
  let output = '';
  try {
    return await new Promise<string | null>((resolve) => {
      const timer = setTimeout(() => resolve(null), helperLimitMs);
      const done = () => {
        clearTimeout(timer);
        resolve(output.includes('ended') ? output : null);
      };
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString('latin1');
        if (output.includes('ended')) done();
      });
      stream.on('end', done);
      stream.on('close', done);
    });
  } finally {
    stream.destroy();
  }
}
