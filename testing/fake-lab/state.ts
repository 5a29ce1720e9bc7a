// The memory of the fake lab: rows with one revision counter, and readers that park until something is newer.
import type { NodeRow, RolloutRow, Verdict } from '../../main/contract/schema/rollout.ts';
import type { RunRow } from '../../main/contract/schema/run.ts';
import type { TaskRow, TaskSetRow } from '../../main/contract/schema/task.ts';
import type { Tail } from '../../main/lib/tail.ts';
import type { HumanDeed } from './human.ts';

/** Rows of one answer, as in the real store. */
const LIMIT = 500;
/** A parked call answers at the latest after this, in ms. */
const PARK_MS = 20_000;

type Row = { id: string; rev: number };

/** One table whose rows are replaced, never changed. */
export class Table<T extends Row> {
  readonly rows = new Map<string, T>();
  /** Everything that was put, oldest first; of a row that was put again only the last entry counts. */
  readonly #log: T[] = [];
  readonly #state: FakeState;
  constructor(state: FakeState) {
    this.#state = state;
  }
  put(row: Omit<T, 'rev'>): T {
    const stored = { ...row, rev: this.#state.next() } as T; // Omit loses the type parameter's own fields; rev is put back here
    this.rows.set(stored.id, stored);
    this.#log.push(stored);
    this.#state.wake();
    return stored;
  }
  get(id: string): T | undefined {
    return this.rows.get(id);
  }
  #firstAfter(rev: number): number {
    let [low, high] = [0, this.#log.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#log[middle]?.rev ?? 0) > rev) high = middle;
      else low = middle + 1;
    }
    return low;
  }
  /** Answers a row watch, parking while nothing is newer. */
  async watch(after: number | undefined, keep: (row: T) => boolean, signal: AbortSignal) {
    for (;;) {
      signal.throwIfAborted();
      const rows: T[] = [];
      let place = this.#firstAfter(after ?? 0);
      for (; place < this.#log.length && rows.length < LIMIT; place += 1) {
        const row = this.#log[place];
        if (row && this.rows.get(row.id) === row && keep(row)) rows.push(row);
      }
      if (rows.length > 0 || after === undefined) {
        const kind = after === undefined ? ('all' as const) : ('changed' as const);
        return { kind, rows, removed: [], cursor: rows.at(-1)?.rev ?? this.#state.rev, more: place < this.#log.length };
      }
      if (!(await this.#state.change(signal))) return { kind: 'changed' as const, rows: [], removed: [], cursor: after, more: false };
    }
  }
}

/** What plays in a rollout now. */
export interface Playing {
  terminal: Tail;
  cols: number;
  rows: number;
  sampling: { turn: number; text: Tail };
}

export class FakeState {
  rev = 0;
  #waiting = new Set<() => void>();
  readonly sets = new Table<TaskSetRow>(this);
  readonly tasks = new Table<TaskRow>(this);
  readonly runs = new Table<RunRow>(this);
  readonly rollouts = new Table<RolloutRow>(this);
  /** Nodes by rollout; a long rollout would make one table slow to filter. */
  readonly nodes = new Map<string, Table<NodeRow>>();
  readonly verdicts = new Map<string, { verdict: Verdict; output: string }>();
  readonly notes = new Map<string, { kind: string; turn: number | null; text: string; at: number }[]>();
  readonly playing = new Map<string, Playing>();
  readonly screens = new Map<string, string>();
  /** What the people who play are told to do, by rollout. */
  readonly humans = new Map<string, (deed: HumanDeed) => void>();
  readonly checkLogs = new Map<string, Tail>();

  next(): number {
    this.rev += 1;
    return this.rev;
  }
  wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
  nodesOf(rolloutId: string): Table<NodeRow> {
    const known = this.nodes.get(rolloutId) ?? new Table<NodeRow>(this);
    this.nodes.set(rolloutId, known);
    return known;
  }
  /** Waits for any change; false when it has waited long enough. */
  change(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const end = (changed: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', abort);
        if (signal.aborted) reject(signal.reason);
        else resolve(changed);
      };
      const wake = () => end(true);
      const abort = () => end(false);
      const timer = setTimeout(() => end(false), PARK_MS);
      this.#waiting.add(wake);
      signal.addEventListener('abort', abort, { once: true });
    });
  }
}

const encoder = new TextEncoder();

export function append(tail: Tail, text: string): void {
  tail.append(encoder.encode(text));
}
