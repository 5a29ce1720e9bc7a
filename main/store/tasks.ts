// Task sets and their tasks.

import { uuidv7 } from 'uuidv7';
import type { GateResult, TaskRow, TaskSetRow } from '../contract/schema/task.ts';
import { AppError } from '../lib/errors.ts';
import type { Db, Write } from './db.ts';
import { readNewer } from './newer.ts';
import { addToIndex, removeFromIndex } from './search.ts';
import type { RowsRead, Store } from './store.ts';

const setColumns = 'id, name, path, origin, task_count AS taskCount';
const taskColumns = `id, set_id AS setId, name, path, format, digest, instruction, difficulty, category, tags,
  has_solution AS hasSolution, issues, gates`;

type TaskInput = Parameters<Store['tasks']['putSet']>[1][number];
type RawSet = TaskSetRow & { seq: number };
type RawTask = Omit<TaskRow, 'tags' | 'hasSolution' | 'issues' | 'gates'> & {
  seq: number;
  tags: string;
  hasSolution: number;
  issues: string;
  gates: string;
};

function toSet({ seq: _seq, ...row }: RawSet): TaskSetRow {
  return row;
}

function toTask({ seq: _seq, ...row }: RawTask): TaskRow {
  return {
    ...row,
    hasSolution: row.hasSolution === 1,
    tags: JSON.parse(row.tags),
    issues: JSON.parse(row.issues),
    gates: JSON.parse(row.gates),
  };
}

export function openTasks(db: Db): Store['tasks'] {
  const tasksOf = (setId: string) =>
    db.all<RawTask>(`SELECT seq, rev, ${taskColumns} FROM task WHERE set_id = ? ORDER BY seq`, setId).map(toTask);

  return {
    putSet(set, tasks) {
      return db.write((write) => {
        const found = db.get<RawSet>(`SELECT seq, rev, ${setColumns} FROM task_set WHERE path = ?`, set.path);
        const setId = found?.id ?? uuidv7();
        if (!found) {
          db.run(
            'INSERT INTO task_set (id, name, path, origin, task_count, rev) VALUES (?, ?, ?, ?, ?, ?)',
            ...[setId, set.name, set.path, set.origin, tasks.length, write.touch('task_set', setId)],
          );
        } else if (found.name !== set.name || found.origin !== set.origin || found.taskCount !== tasks.length) {
          db.run(
            'UPDATE task_set SET name = ?, origin = ?, task_count = ?, rev = ? WHERE id = ?',
            ...[set.name, set.origin, tasks.length, write.touch('task_set', setId), setId],
          );
        }
        const changes = replaceTasks(db, write, setId, tasksOf(setId), tasks);
        if (!found || changes > 0) write.event(null, 'task_set.put', { setId, tasks: tasks.length, changes });
        return setId;
      });
    },

    readSets(after, limit) {
      const read = readNewer<RawSet>(db, { table: 'task_set', columns: setColumns, after, limit });
      return { ...read, rows: read.rows.map(toSet) };
    },

    read(filter, after, limit): RowsRead<TaskRow> {
      const scope = filter.setId === undefined ? undefined : { column: 'set_id', id: filter.setId };
      const read = readNewer<RawTask>(db, { table: 'task', columns: taskColumns, scope, after, limit });
      return { ...read, rows: read.rows.map(toTask) };
    },

    get(taskId) {
      const row = db.get<RawTask>(`SELECT seq, rev, ${taskColumns} FROM task WHERE id = ?`, taskId);
      return row ? toTask(row) : null;
    },

    setByName(nameOrPath) {
      const row = db.get<RawSet>(
        `SELECT seq, rev, ${setColumns} FROM task_set WHERE path = ? OR name = ? ORDER BY path = ? DESC, seq DESC LIMIT 1`,
        ...[nameOrPath, nameOrPath, nameOrPath],
      );
      return row ? toSet(row) : null;
    },

    putGates(taskId, gates) {
      db.write((write) => {
        const setId = db.value<string>('SELECT set_id FROM task WHERE id = ?', taskId);
        if (setId === undefined) throw new AppError('task.not_found', `no task ${taskId}`);
        db.run('UPDATE task SET gates = ?, rev = ? WHERE id = ?', JSON.stringify(gates), write.touch('task', taskId, setId), taskId);
        write.event(null, 'task.gates', { taskId, gates });
      });
    },

    putTask(setId, task) {
      return db.write((write) => {
        const before = db.get<RawTask>(`SELECT seq, rev, ${taskColumns} FROM task WHERE set_id = ? AND path = ?`, setId, task.path);
        if (before && isSame(toTask(before), task)) return before.id;
        const id = putTask(db, write, setId, before && toTask(before), task);
        if (!before) recount(db, write, setId);
        write.event(null, 'task.put', { taskId: id, digest: task.digest });
        return id;
      });
    },

    removeTask(taskId) {
      db.write((write) => {
        const setId = db.value<string>('SELECT set_id FROM task WHERE id = ?', taskId);
        if (setId === undefined) return;
        dropTask(db, write, setId, taskId);
        recount(db, write, setId);
        write.event(null, 'task.removed', { taskId });
      });
    },
  };
}

/** Makes the set hold exactly these tasks, told apart by path; a task that is as it was is left alone. Answers how many were not. */
function replaceTasks(db: Db, write: Write, setId: string, stored: TaskRow[], tasks: readonly TaskInput[]): number {
  const gone = new Map(stored.map((task) => [task.path, task]));
  const seen = new Set<string>();
  let changes = 0;
  for (const task of tasks) {
    if (seen.has(task.path)) {
      throw new AppError('task.invalid', `a task set holds ${task.path} twice`, { where: task.path });
    }
    seen.add(task.path);
    const before = gone.get(task.path);
    gone.delete(task.path);
    if (before && isSame(before, task)) continue;
    changes += 1;
    putTask(db, write, setId, before, task);
  }
  for (const task of gone.values()) {
    changes += 1;
    dropTask(db, write, setId, task.id);
  }
  return changes;
}

function dropTask(db: Db, write: Write, setId: string, taskId: string): void {
  db.run('DELETE FROM task WHERE id = ?', taskId);
  removeFromIndex(db, taskId);
  write.removed('task', taskId, setId);
}

function recount(db: Db, write: Write, setId: string): void {
  const tasks = db.value<number>('SELECT count(*) FROM task WHERE set_id = ?', setId) ?? 0;
  db.run('UPDATE task_set SET task_count = ?, rev = ? WHERE id = ?', tasks, write.touch('task_set', setId), setId);
}

function putTask(db: Db, write: Write, setId: string, before: TaskRow | undefined, task: TaskInput): string {
  const id = before?.id ?? uuidv7();
  // What the gates found holds for exactly the files that they saw.
  const gates: GateResult[] = before?.digest === task.digest ? before.gates : [];
  const values = [
    ...[task.name, task.format, task.digest, task.instruction, task.difficulty, task.category],
    ...[JSON.stringify(task.tags), task.hasSolution ? 1 : 0, JSON.stringify(task.issues), JSON.stringify(gates)],
    write.touch('task', id, setId),
  ];
  if (before) {
    db.run(
      `UPDATE task SET name = ?, format = ?, digest = ?, instruction = ?, difficulty = ?, category = ?, tags = ?, has_solution = ?,
        issues = ?, gates = ?, rev = ? WHERE id = ?`,
      ...values,
      id,
    );
    removeFromIndex(db, id);
  } else {
    db.run(
      `INSERT INTO task (name, format, digest, instruction, difficulty, category, tags, has_solution, issues, gates, rev, id, set_id, path)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...values,
      ...[id, setId, task.path],
    );
  }
  addToIndex(db, write, { kind: 'instruction', owner: id }, task.instruction);
  return id;
}

function isSame(before: TaskRow, task: TaskInput): boolean {
  return (
    before.name === task.name &&
    before.format === task.format &&
    before.digest === task.digest &&
    before.instruction === task.instruction &&
    before.difficulty === task.difficulty &&
    before.category === task.category &&
    before.hasSolution === task.hasSolution &&
    JSON.stringify(before.tags) === JSON.stringify(task.tags) &&
    JSON.stringify(before.issues) === JSON.stringify(task.issues)
  );
}
