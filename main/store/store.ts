// What the rest of the backend asks of the store. Every method that writes is one transaction: event, current row and `rev` together;
// parked watches wake after the commit. open.ts opens one.

import type { ErrorData } from '../contract/errors.ts';
import type { RunConfig } from '../contract/schema/config.ts';
import type { CommandRow, NodeRow, RolloutRow, Verdict } from '../contract/schema/rollout.ts';
import type { RunRow, RunStatus } from '../contract/schema/run.ts';
import type { GateResult, TaskRow, TaskSetRow } from '../contract/schema/task.ts';
import type { Imports } from './imports.ts';

/** Rows newer than a cursor. `all` on the first read (cursor undefined) or when the cursor is not of this store. */
export interface RowsRead<T> {
  kind: 'all' | 'changed';
  rows: T[];
  removed: string[];
  cursor: number;
  more: boolean;
}

export type SearchKind = 'instruction' | 'command' | 'output';

/** Where a text was found: `owner` is a task (instruction) or a node (command, output), `index` the command's. */
export interface SearchHit {
  kind: SearchKind;
  owner: string;
  index: number | null;
}

export type Table = 'task_set' | 'task' | 'run' | 'rollout' | 'node';

export interface NewRollout {
  taskId: string;
  taskName: string;
  taskDigest: string;
  attempt: number;
  agent: string;
  model: string | null;
}

/** What may change in a rollout's row after it was queued. */
export type RolloutPatch = Partial<
  Pick<
    RolloutRow,
    | 'taskDigest'
    | 'status'
    | 'outcome'
    | 'verdictState'
    | 'reward'
    | 'error'
    | 'turns'
    | 'promptTokens'
    | 'completionTokens'
    | 'timings'
    | 'startedAt'
    | 'endedAt'
  >
>;

export type NewNode = Omit<NodeRow, 'id' | 'rev' | 'createdAt' | 'commands'> & { id?: string; createdAt?: number };

/** Text of one file as it was typed. `base` is the digest of the file that it began from, null where there was none. */
export interface Draft {
  path: string;
  text: string;
  base: string | null;
  at: number;
}

export interface LabEvent {
  id: number;
  rolloutId: string | null;
  kind: string;
  data: unknown;
  at: number;
}

export interface Store extends Disposable {
  /** Data folder. */
  readonly folder: string;
  /** Revision of the newest commit. */
  readonly rev: number;

  /** Parks until a row of one of the tables is newer than `rev` (optionally of one rollout or run: `scope` is its id), at most `maxMs`. */
  wait(tables: Table[], rev: number, signal: AbortSignal, options?: { scope?: string; maxMs?: number }): Promise<void>;

  readonly tasks: {
    /** Replaces the content of the set of this path (or adds it) by these tasks; unchanged rows keep id and rev. */
    putSet(
      set: { name: string; path: string; origin: TaskSetRow['origin'] },
      tasks: Omit<TaskRow, 'id' | 'setId' | 'rev' | 'gates'>[],
    ): string;
    readSets(after?: number, limit?: number): RowsRead<TaskSetRow>;
    read(filter: { setId?: string }, after?: number, limit?: number): RowsRead<TaskRow>;
    get(taskId: string): TaskRow | null;
    setByName(nameOrPath: string): TaskSetRow | null;
    putGates(taskId: string, gates: GateResult[]): void;
    /** Adds one task to a set, or replaces the one of the same path. Answers its id. Gates are kept only for the files that they saw. */
    putTask(setId: string, task: Omit<TaskRow, 'id' | 'setId' | 'rev' | 'gates'>): string;
    /** Takes one task out of its set. Its files are not touched. */
    removeTask(taskId: string): void;
  };

  /** What was typed into files of tasks and not saved yet. */
  readonly drafts: {
    /** Drafts below this task folder, by path. */
    list(folder: string): Draft[];
    put(folder: string, draft: Omit<Draft, 'at'>): void;
    remove(folder: string, path: string): void;
  };

  readonly runs: {
    /** The run and its queued rollouts, in one transaction. Answers the run's id. */
    create(config: RunConfig, name: string, rollouts: NewRollout[]): string;
    setStatus(runId: string, status: RunStatus, error?: ErrorData | null): void;
    /** Row with counts and rates computed from its rollouts. */
    get(runId: string): RunRow | null;
    read(after?: number, limit?: number): RowsRead<RunRow>;
  };

  readonly rollouts: {
    get(rolloutId: string): RolloutRow | null;
    read(filter: { runId?: string }, after?: number, limit?: number): RowsRead<RolloutRow>;
    ofRun(runId: string): RolloutRow[];
    /** `event` names the fact (`started`, `verified`, …) and goes into the event log with the patch. */
    update(rolloutId: string, event: string, patch: RolloutPatch): void;
    /** Back to `queued` with nothing recorded: what was recorded by the earlier try is kept under an event, its nodes are removed. */
    requeue(rolloutId: string): void;
    putVerdict(rolloutId: string, verdict: Verdict, verifierOutput: string): void;
    verdict(rolloutId: string): { verdict: Verdict; verifierOutput: string } | null;
  };

  /** Rollouts that were played elsewhere. */
  readonly imports: Imports;

  readonly nodes: {
    append(node: NewNode): string;
    /** Adds a command that begins now. */
    beginCommand(command: Omit<CommandRow, 'endedAt' | 'exitCode' | 'settled' | 'to'>): void;
    endCommand(nodeId: string, index: number, end: Pick<CommandRow, 'endedAt' | 'exitCode' | 'settled' | 'to'>): void;
    get(nodeId: string): NodeRow | null;
    /**
     * Oldest first; content over `cut` bytes is cut there with a visible mark. An answer also ends (`more`) when its rows are heavy together.
     * `tokens: false` leaves token ids, log-probabilities and token texts out (null); `get` gives them.
     */
    read(rolloutId: string, after?: number, options?: { limit?: number; cut?: number; tokens?: boolean }): RowsRead<NodeRow>;
  };

  readonly events: {
    append(rolloutId: string | null, kind: string, data: unknown): void;
    read(rolloutId: string, after?: number, limit?: number): LabEvent[];
    /** Every event of these kinds, oldest first, however many others stand between them. */
    ofKinds(rolloutId: string, kinds: readonly string[]): LabEvent[];
  };

  readonly blobs: {
    /** Stores content once, zstd-compressed, by its SHA-256; answers the hash. */
    put(content: Uint8Array | string): string;
    get(hash: string): Buffer | null;
  };

  readonly settings: {
    get(key: string): unknown;
    put(key: string, value: unknown): void;
  };

  /** Texts that hold every word of the query, best first; the last word may be the beginning of one. */
  search(query: string, options?: { kind?: SearchKind; limit?: number }): SearchHit[];

  /** Marks what a killed lab left `running`, `starting`, `verifying` as `interrupted`, and its runs too. Answers how many rollouts. */
  markInterrupted(): number;
}
