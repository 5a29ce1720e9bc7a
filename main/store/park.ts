// Waits that cost nothing while nothing happens. A parked wait stands under the tables (and the scope) it watches, so a write looks up
// only those it concerns. Knows no SQL: the revisions of recent writes are kept here, for a bounded number of scopes.
import type { Table } from './store.ts';

/** One table that a committed write has changed, and the ids (row, run, rollout, set) under which someone may watch the change. */
export interface Touch {
  table: Table;
  scopes: readonly string[];
  rev: number;
}

/** Scopes whose last revision is remembered; for older ones a wait returns at once and the reader looks for itself. */
const rememberedScopes = 20_000;

type Wake = () => void;

function closed(): DOMException {
  return new DOMException('the store was closed', 'AbortError');
}

export class Parking implements Disposable {
  readonly #parked = new Map<string, Set<Wake>>();
  readonly #lastOfTable = new Map<Table, number>();
  readonly #lastOfScope = new Map<string, number>();
  /** Nothing is known about scopes that are not remembered, except that they did not change after this revision. */
  #floor: number;
  readonly #remembered: number;
  /** Rejecting each parked call, for when the store closes; null once it has. */
  #leaving: Set<(reason: unknown) => void> | null = new Set();

  constructor(rev: number, remembered: number = rememberedScopes) {
    this.#floor = rev;
    this.#remembered = remembered;
  }

  /** Calls that wait now. */
  get size(): number {
    let size = 0;
    for (const wakes of this.#parked.values()) size += wakes.size;
    return size;
  }

  /** Notes what a commit has changed, then wakes those who watch it. */
  changed(touches: readonly Touch[]): void {
    const woken = new Set<Wake>();
    for (const { table, scopes, rev } of touches) {
      this.#lastOfTable.set(table, rev);
      this.#collect(table, woken);
      for (const scope of scopes) {
        const place = `${table} ${scope}`;
        this.#remember(place, rev);
        this.#collect(place, woken);
      }
    }
    for (const wake of woken) wake();
  }

  /**
   * Resolves as soon as one of the tables (in this scope) may have a row newer than `rev`, or after `maxMs`. May resolve early, never
   * late: the caller reads and looks. Rejects with the signal's reason, and with an AbortError when the store closes.
   */
  wait(tables: readonly Table[], rev: number, signal: AbortSignal, options: { scope?: string; maxMs?: number } = {}): Promise<void> {
    const { scope, maxMs } = options;
    const places = tables.map((table) => (scope === undefined ? table : `${table} ${scope}`));
    return new Promise((resolve, reject) => {
      const leaving = this.#leaving;
      if (signal.aborted) return reject(signal.reason);
      if (leaving === null) return reject(closed());
      if (tables.some((table) => this.#lastOf(table, scope) > rev)) return resolve();

      const leave = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        leaving.delete(giveUp);
        for (const place of places) this.#unpark(place, wake);
      };
      const wake = () => {
        leave();
        resolve();
      };
      const giveUp = (reason: unknown) => {
        leave();
        reject(reason);
      };
      const abort = () => giveUp(signal.reason);
      const timer = maxMs === undefined ? undefined : setTimeout(wake, maxMs);
      signal.addEventListener('abort', abort, { once: true });
      leaving.add(giveUp);
      for (const place of places) this.#park(place, wake);
    });
  }

  [Symbol.dispose](): void {
    const leaving = this.#leaving ?? [];
    this.#leaving = null;
    for (const giveUp of [...leaving]) giveUp(closed());
  }

  #lastOf(table: Table, scope: string | undefined): number {
    const last = scope === undefined ? this.#lastOfTable.get(table) : this.#lastOfScope.get(`${table} ${scope}`);
    return last ?? this.#floor;
  }

  #remember(place: string, rev: number): void {
    // Deleting first keeps the map in order of last change, so that what is forgotten is what changed longest ago.
    this.#lastOfScope.delete(place);
    this.#lastOfScope.set(place, rev);
    if (this.#lastOfScope.size <= this.#remembered) return;
    for (const [oldest, last] of this.#lastOfScope) {
      this.#lastOfScope.delete(oldest);
      this.#floor = Math.max(this.#floor, last);
      break;
    }
  }

  #collect(place: string, into: Set<Wake>): void {
    for (const wake of this.#parked.get(place) ?? []) into.add(wake);
  }

  #park(place: string, wake: Wake): void {
    const wakes = this.#parked.get(place);
    if (wakes) wakes.add(wake);
    else this.#parked.set(place, new Set([wake]));
  }

  #unpark(place: string, wake: Wake): void {
    const wakes = this.#parked.get(place);
    wakes?.delete(wake);
    if (wakes?.size === 0) this.#parked.delete(place);
  }
}
