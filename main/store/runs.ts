// Runs. Their counts and rates are columns that every write of a rollout keeps in step, so a list of thousands is one quick read.
import { uuidv7 } from 'uuidv7';
import type { RunRow, RunStatus } from '../contract/schema/run.ts';
import { AppError } from '../lib/errors.ts';
import { rateOf } from '../lib/wilson.ts';
import type { Counters } from './counters.ts';
import type { Db, Write } from './db.ts';
import { readNewer } from './newer.ts';
import type { Store } from './store.ts';

const columns = `id, name, status, config, error, origin, n_total AS total, n_queued AS queued, n_active AS active, n_finished AS finished,
  n_errors AS errors, n_cancelled AS cancelled, n_interrupted AS interrupted, n_verdicts AS verdicts, n_passed AS passed,
  created_at AS createdAt, ended_at AS endedAt`;

interface RawRun extends Counters {
  id: string;
  name: string;
  status: RunStatus;
  config: string;
  error: string | null;
  origin: string | null;
  total: number;
  createdAt: number;
  endedAt: number | null;
  seq: number;
  rev: number;
}

function toRun(row: RawRun): RunRow {
  const { id, name, status, total, queued, active, finished, errors, cancelled, interrupted, createdAt, endedAt, rev } = row;
  return {
    ...{ id, name, status, createdAt, endedAt, rev },
    config: JSON.parse(row.config),
    error: row.error === null ? null : JSON.parse(row.error),
    ...(row.origin === null ? {} : { origin: JSON.parse(row.origin) }),
    counts: { total, queued, active, finished, errors, cancelled, interrupted },
    overAll: rateOf(row.passed, finished + errors),
    overVerdict: rateOf(row.passed, row.verdicts),
  };
}

/** Adds the difference that a rollout's change makes to the counters of its run. */
export function addToCounters(db: Db, write: Write, runId: string, change: Counters): void {
  db.run(
    `UPDATE run SET n_queued = n_queued + ?, n_active = n_active + ?, n_finished = n_finished + ?, n_errors = n_errors + ?,
      n_cancelled = n_cancelled + ?, n_interrupted = n_interrupted + ?, n_verdicts = n_verdicts + ?, n_passed = n_passed + ?, rev = ?
     WHERE id = ?`,
    ...[change.queued, change.active, change.finished, change.errors, change.cancelled, change.interrupted],
    ...[change.verdicts, change.passed, write.touch('run', runId), runId],
  );
}

/** Sets the status within a write. A run that goes on has no end; one that ended did so `at`. */
export function setRunStatus(db: Db, write: Write, runId: string, status: RunStatus, error: string | null, at: number): void {
  const endedAt = status === 'running' || status === 'paused' ? null : at;
  const changed = db.run(
    'UPDATE run SET status = ?, error = ?, ended_at = ?, rev = ? WHERE id = ?',
    ...[status, error, endedAt, write.touch('run', runId), runId],
  );
  if (changed === 0) throw new AppError('request.not_found', `no run ${runId}`);
  write.event(null, 'run.status', { runId, status, ...(error === null ? {} : { error: JSON.parse(error) }) });
}

export function openRuns(db: Db): Store['runs'] {
  return {
    create(config, name, rollouts) {
      return db.write((write) => {
        const runId = uuidv7();
        db.run(
          `INSERT INTO run (id, name, status, config, n_total, n_queued, n_active, n_finished, n_errors, n_cancelled, n_interrupted,
            n_verdicts, n_passed, created_at, rev) VALUES (?, ?, 'running', ?, ?, ?, 0, 0, 0, 0, 0, 0, 0, ?, ?)`,
          ...[runId, name, JSON.stringify(config), rollouts.length, rollouts.length, write.at, write.touch('run', runId)],
        );
        for (const rollout of rollouts) {
          const id = uuidv7();
          db.run(
            `INSERT INTO rollout (id, run_id, task_id, task_name, task_digest, attempt, agent, model, status, queued_at, rev)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?)`,
            ...[id, runId, rollout.taskId, rollout.taskName, rollout.taskDigest, rollout.attempt, rollout.agent, rollout.model],
            ...[write.at, write.touch('rollout', id, runId)],
          );
        }
        write.event(null, 'run.created', { runId, name, rollouts: rollouts.length });
        return runId;
      });
    },

    setStatus(runId, status, error = null) {
      db.write((write) => setRunStatus(db, write, runId, status, error === null ? null : JSON.stringify(error), write.at));
    },

    get(runId) {
      const row = db.get<RawRun>(`SELECT seq, rev, ${columns} FROM run WHERE id = ?`, runId);
      return row ? toRun(row) : null;
    },

    read(after, limit) {
      const read = readNewer<RawRun>(db, { table: 'run', columns, after, limit });
      return { ...read, rows: read.rows.map(toRun) };
    },
  };
}
