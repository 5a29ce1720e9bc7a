// One connection: prepared statements kept, slow queries told, and the one way to write. A write is one transaction in which every
// changed row takes its own number from the revision counter; after the commit those who watch the changed tables are woken.
import type Database from 'better-sqlite3';
import { dataFailure, isSqliteError } from './failure.ts';
import { Parking, type Touch } from './park.ts';
import type { Table } from './store.ts';

type Value = string | number | null | Uint8Array;

/** Where the store says that a query was slow; pino fits. */
export interface StoreLog {
  info(data: object, message: string): void;
}

/** A frame of a 60 Hz screen: a query that takes longer is worth knowing about. */
const slowMs = 16;

/** Reads, and keeps its prepared statements. Column types are what STRICT tables hold; `Row` says them beside the SQL. */
export class Db implements Disposable {
  readonly file: string;
  readonly parking: Parking;
  readonly #db: Database.Database;
  readonly #log: StoreLog | undefined;
  readonly #statements = new Map<string, Database.Statement<Value[]>>();
  #rev: number;

  constructor(db: Database.Database, log?: StoreLog) {
    this.#db = db;
    this.file = db.name;
    this.#log = log;
    this.#rev = this.value<number>('SELECT rev FROM revision') ?? 0;
    this.parking = new Parking(this.#rev);
  }

  get rev(): number {
    return this.#rev;
  }

  all<Row>(sql: string, ...values: Value[]): Row[] {
    // SQLite is untyped to TypeScript; the tables are STRICT and only this folder writes them.
    return this.#timed(sql, () => this.#statement(sql).all(...values)) as Row[];
  }

  get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.#timed(sql, () => this.#statement(sql).get(...values)) as Row | undefined; // as in all()
  }

  /** First column of the first row. */
  value<T extends Value>(sql: string, ...values: Value[]): T | undefined {
    const row = this.get<Record<string, T>>(sql, ...values);
    return row === undefined ? undefined : Object.values(row)[0];
  }

  /** Runs a statement that changes rows; answers how many. Only for use inside `write`. */
  run(sql: string, ...values: Value[]): number {
    return this.#timed(sql, () => this.#statement(sql).run(...values).changes);
  }

  /**
   * Makes one fact durable: all of `change` or nothing of it. A failure of the disk or the file is told as `data.*`; whatever `change`
   * itself throws passes through after the rollback.
   */
  write<T>(change: (write: Write) => T): T {
    const write = new Write(this);
    let result: T;
    try {
      this.run('BEGIN IMMEDIATE');
      write.begin(this.value<number>('SELECT rev FROM revision') ?? 0);
      result = change(write);
      if (write.rev !== this.#rev) this.run('UPDATE revision SET rev = ?', write.rev);
      this.run('COMMIT');
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
      throw isSqliteError(error) ? dataFailure(error, this.file) : error;
    }
    this.#rev = write.rev;
    this.parking.changed(write.touches);
    return result;
  }

  [Symbol.dispose](): void {
    this.parking[Symbol.dispose]();
    this.#statements.clear();
    this.#db.close();
  }

  #statement(sql: string): Database.Statement<Value[]> {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare<Value[]>(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #timed<T>(sql: string, call: () => T): T {
    const start = performance.now();
    try {
      return call();
    } catch (error) {
      // Inside a transaction `write` does this, after the rollback.
      throw isSqliteError(error) && !this.#db.inTransaction ? dataFailure(error, this.file) : error;
    } finally {
      const ms = performance.now() - start;
      if (ms > slowMs) this.#log?.info({ ms: Math.round(ms), sql: sql.trim() }, 'slow query');
    }
  }
}

/** What a change in progress may do besides running statements: take revisions, note what it touches, log the fact. */
export class Write {
  readonly touches: Touch[] = [];
  readonly at = Date.now();
  readonly #db: Db;
  #rev = 0;

  constructor(db: Db) {
    this.#db = db;
  }

  get rev(): number {
    return this.#rev;
  }

  begin(rev: number): void {
    this.#rev = rev;
  }

  /** The next revision, for a row of no watched table. */
  next(): number {
    this.#rev += 1;
    return this.#rev;
  }

  /** The revision for a changed row of this table. `scopes`: every id under which someone may wait for it. */
  touch(table: Table, ...scopes: string[]): number {
    const rev = this.next();
    this.touches.push({ table, scopes, rev });
    return rev;
  }

  /** Notes that a row is gone. `scope` is the set or rollout it belonged to. */
  removed(table: Table, id: string, scope: string): void {
    const rev = this.touch(table, id, scope);
    this.#db.run('INSERT OR REPLACE INTO tombstone (id, tab, scope, rev) VALUES (?, ?, ?, ?)', id, table, scope, rev);
  }

  event(rolloutId: string | null, kind: string, data: unknown): void {
    const text = JSON.stringify(data ?? null);
    this.#db.run('INSERT INTO event (id, rollout_id, kind, data, at) VALUES (?, ?, ?, ?, ?)', this.next(), rolloutId, kind, text, this.at);
  }
}
