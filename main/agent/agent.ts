// An agent plays one task: it yields what happens, step by step, and ends with why it stopped. Only files in this folder know a protocol.
import {
  type AgentName,
  type AgentSettings,
  agentSettings,
  type LimitsConfig,
  type RunConfig,
  type SamplingConfig,
} from '../contract/schema/config.ts';
import type { NodeAuthor, Outcome } from '../contract/schema/rollout.ts';
import type { ChatMessage, Completion, Model } from '../model/model.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Task } from '../task/task.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface Command {
  keystrokes: string;
  /** Seconds to wait for it. */
  duration: number;
}

export interface CommandResult {
  exitCode: number | null;
  settled: 'idle' | 'elapsed' | 'exited' | 'interrupted';
  startedAt: number;
  endedAt: number;
  /** Byte offsets of its output in the terminal's tail. */
  from: number;
  to: number;
}

export interface FormatVerdict {
  /** Terminus-2's own parser would accept the answer. */
  strict: boolean;
  /** Ours does. */
  robust: boolean;
  /** Errors and warnings, in the words that are fed back. */
  problems: string[];
}

/**
 * What an agent yields. The stop points of the debugger are exactly these places: P0 `prompt` · P1 `sampling` · P2 `response` ·
 * P3 `command` · P4 `executed` · P5 `observation`. The consumer may hold the loop at any of them by not asking for the next.
 */
export type Step =
  /** Messages that open the conversation (or replace it, after compaction). */
  | { at: 'prompt'; turn: number; messages: { role: ChatMessage['role']; content: string; author: NodeAuthor }[] }
  | { at: 'sampling'; turn: number }
  | {
      at: 'response';
      turn: number;
      author: NodeAuthor;
      text: string;
      completion: Completion | null;
      format: FormatVerdict | null;
      commands: Command[];
    }
  | { at: 'command'; turn: number; index: number; command: Command; startedAt: number; from: number }
  | { at: 'executed'; turn: number; index: number; result: CommandResult }
  /** The environment's answer, word for word what the next prompt will hold. Ends the turn. */
  | { at: 'observation'; turn: number; text: string }
  /** Something to tell the reader of the trajectory that is no message: a retry, a divergence, a note by a human. */
  /** `used`: an answer that was sampled for it and is no turn; its tokens count all the same. */
  | { at: 'note'; turn: number; text: string; used?: Completion };

/** Why the agent stopped. `done` is graded like every other end; whether it is solved is the verifier's to say. */
export interface AgentEnd {
  outcome: 'done' | Exclude<Outcome, 'solved' | 'unsolved' | 'verify_timeout'>;
  detail: string;
}

/** What a human at the keyboard can ask for while the human agent plays. */
export type HumanAction =
  | { action: 'submit' | 'give_up' | 'pause' | 'continue' }
  | { action: 'note'; text: string }
  | { action: 'type'; data: string };

export interface AgentContext {
  task: Task;
  attempt: number;
  sandbox: Sandbox;
  terminal: Terminal;
  /** Null for agents that need none. */
  model: Model | null;
  sampling: SamplingConfig;
  limits: LimitsConfig;
  settings: AgentSettings;
  /** Folder of the user's own prompt profiles; null where there are none. */
  profiles: string | null;
  /** Wall time left to the agent in ms, without time spent paused; Infinity where there is no limit. */
  timeLeftMs: () => number;
  /** Streams what is being sampled to whoever watches. */
  onDelta: (turn: number, text: string) => void;
  /** What has streamed of this turn's answer is void: the model is asked again. */
  onRestart: (turn: number) => void;
  /** Human agent only: yields what the human does. */
  human: AsyncIterable<HumanAction> | null;
  /** Replay agent only: path of the recorded trial. */
  replay: string | null;
  signal: AbortSignal;
}

/** Throws `AppError` for infrastructure failures and the signal's reason when aborted; never for what a model or program did. */
export type Agent = (context: AgentContext) => AsyncGenerator<Step, AgentEnd, void>;

export interface AgentSpec {
  name: AgentName;
  needsModel: boolean;
  describe: string;
  play: Agent;
  /** With these settings the agent wants a shell that tells nothing about its prompts, as Terminus-2 has it. */
  bareShell?: (settings: AgentSettings) => boolean;
}

/** The settings of a run; one that an older lab has stored may lack some. */
export function settingsOf(config: RunConfig): AgentSettings {
  return agentSettings.parse(config.agentSettings ?? {});
}
