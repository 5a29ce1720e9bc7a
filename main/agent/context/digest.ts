// What of forgotten turns is worth a few lines: the commands that failed and how, the paths that were touched, the variables that were set.
import type { TurnMemo } from './memory.ts';

const MOST_FAILURES = 12;
const MOST_NAMES = 30;
/** Characters of one command and of one line of output. */
const LINE = 160;

/** Words in the output of a command that went wrong, where the shell tells no exit code. */
const FAILED = /(?:error|not found|no such file|denied|failed|fatal|exception|traceback|refused|cannot)/i;
const PATH = /(?:^|[\s"'=(:<>])((?:\/|~\/|\.\.?\/)[\w.@%+-]+(?:\/[\w.@%+-]+)*\/?)/g;
const VARIABLE = /(?:^|[\s;&])(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*=[^\s;&|]{1,100})/g;

/** A few lines about turns that are left out; empty where there is nothing to tell. */
export function digestOf(memos: readonly TurnMemo[]): string {
  const failures = memos.flatMap(failuresOf).slice(-MOST_FAILURES);
  const typed = memos.flatMap(({ commands }) => commands.map(({ keystrokes }) => keystrokes)).map((keys) => keys.slice(0, 2_000));
  const paths = lastNames(typed, PATH);
  const variables = lastNames(typed, VARIABLE);
  return [
    failures.length === 0 ? '' : `Commands that failed there:\n${failures.join('\n')}`,
    paths.length === 0 ? '' : `Paths used there: ${paths.join(' ')}`,
    variables.length === 0 ? '' : `Variables set there: ${variables.join(' ')}`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function failuresOf({ turn, commands, seen }: TurnMemo): string[] {
  const bad = seen
    .split('\n')
    .findLast((line) => FAILED.test(line))
    ?.trim();
  const failed = commands.filter(({ exitCode }) => exitCode !== null && exitCode !== 0);
  // Without exit codes the last command stands for the turn, if its output speaks of a failure.
  const last = commands.at(-1);
  if (failed.length === 0 && last && last.exitCode === null && bad !== undefined) failed.push(last);
  const said = bad === undefined ? '' : `: ${bad.slice(0, LINE)}`;
  return failed.map(({ keystrokes, exitCode }) => {
    const line = keystrokes.trim().split('\n')[0]?.slice(0, LINE) ?? '';
    return `- turn ${turn + 1}: ${line}${exitCode === null ? '' : ` (exit code ${exitCode})`}${said}`;
  });
}

/** Distinct matches of the pattern's group, the latest ones. */
function lastNames(texts: string[], pattern: RegExp): string[] {
  const names = new Set<string>();
  for (const text of texts) for (const [, name = ''] of text.matchAll(pattern)) names.add(name.slice(0, LINE));
  return [...names].slice(-MOST_NAMES);
}
