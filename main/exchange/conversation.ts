// Builds the nodes of an imported trial in the order in which they were said.
import { uuidv7 } from 'uuidv7';
import type { ImportedCommand, ImportedNode } from '../store/imports.ts';

type Optional = Pick<
  ImportedNode,
  'reasoning' | 'format' | 'promptTokens' | 'completionTokens' | 'stopReason' | 'tokenIds' | 'logprobs' | 'timings'
>;

export interface Said extends Partial<Optional> {
  role: ImportedNode['role'];
  author: ImportedNode['author'];
  content: string;
  /** Milliseconds since the epoch; left out, the time of what was said before. */
  at?: number | null;
  /** An answer that only repeats one of another conversation is no sample of this one. */
  sampled?: boolean;
  /** A turn of the agent although its text was not recorded. */
  isTurn?: boolean;
  commands?: ImportedCommand[];
}

export interface Conversation {
  readonly nodes: ImportedNode[];
  /** Answers of the agent itself so far: copied ones and those of sub-agents are not among them. */
  readonly turns: number;
  say(said: Said): ImportedNode;
  /** Time of what was said last, in ms since the epoch. */
  readonly now: number;
  /** What is said next opens a conversation of its own: after a compaction, or with a sub-agent. */
  restart(): void;
  /** Whether nothing was said since the start of the present conversation. */
  readonly opening: boolean;
  /** What is said from now on counts as turns of the agent, or does not. */
  counting: boolean;
}

/** An empty conversation that began at `start`. */
export function conversation(start: number): Conversation {
  const nodes: ImportedNode[] = [];
  let parentId: string | null = null;
  let at = start;
  let turns = 0;
  return {
    nodes,
    counting: true,
    get turns() {
      return turns;
    },
    get opening() {
      return parentId === null;
    },
    get now() {
      return at;
    },
    restart() {
      parentId = null;
    },
    say(said) {
      at = said.at ?? at;
      const sampled = said.role === 'assistant' && (said.sampled ?? true);
      if ((sampled || said.isTurn) && this.counting) turns += 1;
      const node: ImportedNode = {
        id: uuidv7(),
        parentId,
        // Prompts and the first answer share turn 0; a reply belongs to the answer before it.
        turn: Math.max(0, turns - 1),
        role: said.role,
        author: said.author,
        content: said.content,
        reasoning: said.reasoning ?? null,
        format: said.format ?? null,
        promptTokens: said.promptTokens ?? null,
        completionTokens: said.completionTokens ?? null,
        stopReason: said.stopReason ?? null,
        tokenIds: said.tokenIds ?? null,
        logprobs: said.logprobs ?? null,
        tokens: null,
        sampled,
        timings: said.timings ?? {},
        createdAt: at,
        commands: said.commands ?? [],
      };
      nodes.push(node);
      parentId = node.id;
      return node;
    },
  };
}

/** A command of which is known what was typed and when, and perhaps how it ended. */
export function typed(keystrokes: string, duration: number, startedAt: number, end: Partial<ImportedCommand> = {}): ImportedCommand {
  return { keystrokes, duration, startedAt, endedAt: null, exitCode: null, settled: null, from: 0, to: null, ...end };
}
