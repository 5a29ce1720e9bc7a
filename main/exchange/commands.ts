// Which tool calls of an answer are commands typed into a terminal, under the names that the programs of the field give them.
import { type JsonObject, numberOf, textOf } from './json.ts';

const names = new Set([
  'bash_command',
  'bash',
  'execute_bash',
  'run_bash',
  'shell',
  'run_shell',
  'terminal',
  'run_command',
  'execute_command',
]);
const keys = ['keystrokes', 'command', 'cmd'] as const;

/** A tool call as a command: the argument that is typed, and the seconds to wait for it where the call says so. */
export interface CalledCommand {
  key: (typeof keys)[number] | null;
  keystrokes: string;
  duration: number | null;
}

/** Null for a call of another tool. A terminal call whose arguments name no command is the empty command, as it was run. */
export function commandOf(name: string, args: JsonObject | null): CalledCommand | null {
  if (!names.has(name)) return null;
  const key = keys.find((candidate) => textOf(args?.[candidate]) !== null) ?? null;
  return { key, keystrokes: key === null ? '' : (textOf(args?.[key]) ?? ''), duration: numberOf(args?.duration) };
}
