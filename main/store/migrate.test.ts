import { existsSync, mkdtempDisposableSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Migration, migrate } from './migrate.ts';

let folder: ReturnType<typeof mkdtempDisposableSync>;
let db: Database.Database;
beforeEach(() => {
  folder = mkdtempDisposableSync(join(tmpdir(), 'termarium-migrate-'));
  db = new Database(join(folder.path, 'lab.sqlite'));
});
afterEach(() => {
  db.close();
  folder.remove();
});

const first: Migration = { name: 'first', sql: 'CREATE TABLE pet (name TEXT NOT NULL) STRICT;' };
const second: Migration = { name: 'second', sql: "ALTER TABLE pet ADD COLUMN kind TEXT; UPDATE pet SET kind = 'cat';" };
const broken: Migration = { name: 'broken', sql: 'ALTER TABLE pet ADD COLUMN age INTEGER; SELECT no_such_function();' };
const version = () => db.pragma('user_version', { simple: true });

test('a new file goes through every step, without a backup of nothing', () => {
  expect(migrate(db, folder.path, [first, second])).toBeNull();
  expect(version()).toBe(2);
  expect(existsSync(join(folder.path, 'backups'))).toBe(false);
});

test('an existing file is copied whole before the first step that changes it', () => {
  migrate(db, folder.path, [first]);
  db.exec("INSERT INTO pet VALUES ('Minka')");
  const backup = migrate(db, folder.path, [first, second], () => Date.UTC(2026, 0, 2, 3, 4, 5));
  expect(backup).toBe(join(folder.path, 'backups', 'lab-schema-1-2026-01-02T03-04-05-000Z.sqlite'));
  expect(db.prepare('SELECT * FROM pet').all()).toEqual([{ name: 'Minka', kind: 'cat' }]);

  using old = Object.assign(new Database(backup ?? ''), { [Symbol.dispose]: () => old.close() });
  expect(old.prepare('SELECT * FROM pet').all()).toEqual([{ name: 'Minka' }]);
  expect(old.pragma('user_version', { simple: true })).toBe(1);
  expect(migrate(db, folder.path, [first, second])).toBeNull();
  expect(readdirSync(join(folder.path, 'backups'))).toHaveLength(1);
});

test('a step that fails leaves no trace, and those before it stay', () => {
  migrate(db, folder.path, [first]);
  db.exec("INSERT INTO pet VALUES ('Minka')");
  expect(() => migrate(db, folder.path, [first, second, broken])).toThrow('no_such_function');
  expect(version()).toBe(2);
  expect(db.prepare('SELECT * FROM pet').all()).toEqual([{ name: 'Minka', kind: 'cat' }]);
});
