// A rollout's messages as turns: what was asked, what was answered, what was run, what came back. Pure.
import { readResponse } from '../../../main/contract/schema/response.ts';
import type { CommandRow, NodeRow } from '../../../main/contract/schema/rollout.ts';

export interface Turn {
  /** Stable for as long as the turn exists, whatever is added to it. */
  key: string;
  number: number;
  /** Messages before the answer that answer nothing themselves: the opening, or a new start after compaction. */
  prompt: NodeRow[];
  /** Null while it is being sampled. */
  response: NodeRow | null;
  /** What the environment said to it. */
  replies: NodeRow[];
}

/**
 * Groups the messages of one branch, oldest first. A turn begins with messages that follow a finished turn (or nothing) and with its
 * answer; the first message after an answer is its observation, whoever wrote it.
 */
export function turnsOf(nodes: readonly NodeRow[]): Turn[] {
  const turns: Turn[] = [];
  const begin = (node: NodeRow, parts: Pick<Turn, 'prompt' | 'response'>) => {
    const turn: Turn = { key: node.id, number: node.turn, replies: [], ...parts };
    turns.push(turn);
    return turn;
  };
  let open: Turn | null = null;
  for (const node of nodes) {
    if (node.role === 'assistant') {
      if (open && open.response === null) {
        open.response = node;
        open.number = node.turn;
      } else {
        open = begin(node, { prompt: [], response: node });
      }
    } else if (open?.response && (open.replies.length === 0 || (node.author !== 'template' && node.turn === open.number))) {
      open.replies.push(node);
    } else if (open && open.response === null) {
      open.prompt.push(node);
    } else {
      open = begin(node, { prompt: [node], response: null });
    }
  }
  return turns;
}

/** What the outline says of a turn: its first command, else the beginning of what was said. */
export function summaryOf(turn: Turn): string {
  const command = turn.response?.commands.find((each) => each.keystrokes.trim() !== '');
  if (command) return command.keystrokes.trim().split('\n')[0] ?? '';
  if (!turn.response && turn.prompt.length === 0) return 'answering…';
  const said = turn.response?.content ?? turn.prompt.at(-1)?.content ?? '';
  if (turn.response && readResponse(said).complete) return 'says it is done';
  return said.trim().slice(0, 120).split('\n')[0] ?? '';
}

/** The command of a turn that went wrong first, where one did. */
export function failedCommand(turn: Turn): CommandRow | undefined {
  return turn.response?.commands.find((command) => command.exitCode !== null && command.exitCode !== 0);
}

/** Milliseconds of a turn: sampling, commands, and all else from the question to its observation. Null while that is not known. */
export function turnTime({ response, replies }: Turn): { model: number; commands: number; rest: number } | null {
  const last = replies.at(-1);
  const model = response?.timings.totalMs;
  if (!response || !last || model === undefined) return null;
  const commands = response.commands.reduce((sum, { startedAt, endedAt }) => sum + Math.max(0, (endedAt ?? startedAt) - startedAt), 0);
  // An answer is stored the moment it is there.
  return { model, commands, rest: Math.max(0, last.createdAt - response.createdAt - commands) };
}

/** When the clock of a person at the terminal was stopped and started, in order. */
export interface ClockMark {
  at: number;
  running: boolean;
}

/** Milliseconds that the clock has run from `startedAt` until `now`, without the time it stood. */
export function clockTime(startedAt: number, marks: readonly ClockMark[], now: number): { ms: number; running: boolean } {
  let ms = 0;
  let since: number | null = startedAt;
  for (const mark of marks) {
    if (mark.running && since === null) since = mark.at;
    if (!mark.running && since !== null) {
      ms += mark.at - since;
      since = null;
    }
  }
  return { ms: Math.max(0, ms + (since === null ? 0 : now - since)), running: since !== null };
}
