// Rollouts and their verdicts. Whatever changes a rollout changes its run's counters in the same transaction.
import type { RolloutRow, Verdict } from '../contract/schema/rollout.ts';
import { AppError } from '../lib/errors.ts';
import { difference } from './counters.ts';
import type { Db, Write } from './db.ts';
import { readNewer } from './newer.ts';
import type { NodeTable } from './nodes.ts';
import { addToCounters, setRunStatus } from './runs.ts';
import type { RolloutPatch, Store } from './store.ts';
import { loadText, type StoredText, storeText } from './text.ts';

const columns = `id, run_id AS runId, task_id AS taskId, task_name AS taskName, task_digest AS taskDigest, attempt, agent, model, status,
  outcome, verdict_state AS verdictState, reward, error, turns, prompt_tokens AS promptTokens, completion_tokens AS completionTokens,
  timings, queued_at AS queuedAt, started_at AS startedAt, ended_at AS endedAt`;

type RawRollout = Omit<RolloutRow, 'error' | 'timings'> & { seq: number; error: string | null; timings: string };

/** A rollout that has not been played. */
const unplayed: Required<Omit<RolloutPatch, 'taskDigest'>> = {
  status: 'queued',
  outcome: null,
  verdictState: null,
  reward: null,
  error: null,
  turns: 0,
  promptTokens: 0,
  completionTokens: 0,
  timings: {},
  startedAt: null,
  endedAt: null,
};

function toRollout({ seq: _seq, ...row }: RawRollout): RolloutRow {
  return { ...row, error: row.error === null ? null : JSON.parse(row.error), timings: JSON.parse(row.timings) };
}

export interface RolloutTable {
  rollouts: Store['rollouts'];
  markInterrupted: Store['markInterrupted'];
}

export function openRollouts(db: Db, blobs: Store['blobs'], nodes: NodeTable): RolloutTable {
  const get = (rolloutId: string): RolloutRow | null => {
    const row = db.get<RawRollout>(`SELECT seq, rev, ${columns} FROM rollout WHERE id = ?`, rolloutId);
    return row ? toRollout(row) : null;
  };

  const existing = (rolloutId: string): RolloutRow => {
    const row = get(rolloutId);
    if (!row) throw new AppError('request.not_found', `no rollout ${rolloutId}`);
    return row;
  };

  const change = (write: Write, before: RolloutRow, patch: RolloutPatch): void => {
    const after = { ...before, ...patch };
    db.run(
      `UPDATE rollout SET task_digest = ?, status = ?, outcome = ?, verdict_state = ?, reward = ?, error = ?, turns = ?, prompt_tokens = ?,
        completion_tokens = ?, timings = ?, started_at = ?, ended_at = ?, rev = ? WHERE id = ?`,
      ...[
        after.taskDigest,
        after.status,
        after.outcome,
        after.verdictState,
        after.reward,
        after.error === null ? null : JSON.stringify(after.error),
      ],
      ...[after.turns, after.promptTokens, after.completionTokens, JSON.stringify(after.timings), after.startedAt, after.endedAt],
      ...[write.touch('rollout', before.id, before.runId), before.id],
    );
    const counted = difference(before, after);
    if (counted) addToCounters(db, write, before.runId, counted);
  };

  const verdictOf = (rolloutId: string) => {
    const row = db.get<StoredText & { verdict: string }>(
      'SELECT verdict, output AS inline, output_blob AS blob FROM verdict WHERE rollout_id = ?',
      rolloutId,
    );
    if (!row) return null;
    const verdict: Verdict = JSON.parse(row.verdict);
    return { verdict, verifierOutput: loadText(blobs, row) ?? '' };
  };

  const rollouts: Store['rollouts'] = {
    get,
    verdict: verdictOf,

    read(filter, after, limit) {
      const scope = filter.runId === undefined ? undefined : { column: 'run_id', id: filter.runId };
      const read = readNewer<RawRollout>(db, { table: 'rollout', columns, scope, after, limit });
      return { ...read, rows: read.rows.map(toRollout) };
    },

    ofRun(runId) {
      return db.all<RawRollout>(`SELECT seq, rev, ${columns} FROM rollout WHERE run_id = ? ORDER BY seq`, runId).map(toRollout);
    },

    update(rolloutId, event, patch) {
      db.write((write) => {
        change(write, existing(rolloutId), patch);
        write.event(rolloutId, event, patch);
      });
    },

    requeue(rolloutId) {
      const rollout = existing(rolloutId);
      const recorded = nodes.ofRollout(rolloutId);
      const verdict = verdictOf(rolloutId);
      // The earlier try stays readable: its whole record is one blob, named by the event.
      const record = recorded.length === 0 && !verdict ? null : blobs.put(JSON.stringify({ rollout, nodes: recorded, verdict }));
      db.write((write) => {
        nodes.removeAll(write, rolloutId);
        db.run('DELETE FROM verdict WHERE rollout_id = ?', rolloutId);
        db.run('UPDATE rollout SET queued_at = ? WHERE id = ?', write.at, rolloutId);
        change(write, rollout, unplayed);
        write.event(rolloutId, 'requeued', { was: rollout, nodes: recorded.length, record });
      });
    },

    putVerdict(rolloutId, verdict, verifierOutput) {
      const output = storeText(blobs, verifierOutput);
      db.write((write) => {
        const before = existing(rolloutId);
        db.run(
          'INSERT OR REPLACE INTO verdict (rollout_id, verdict, output, output_blob) VALUES (?, ?, ?, ?)',
          ...[rolloutId, JSON.stringify(verdict), output.inline, output.blob],
        );
        // In the same transaction, so that a verdict and the row that shows it cannot disagree.
        change(write, before, { verdictState: verdict.state, reward: verdict.reward });
        write.event(rolloutId, 'verdict', { state: verdict.state, reward: verdict.reward, reason: verdict.reason });
      });
    },
  };

  return {
    rollouts,

    markInterrupted() {
      return db.write((write) => {
        const cut = db
          .all<RawRollout>(`SELECT seq, rev, ${columns} FROM rollout WHERE status IN ('starting', 'running', 'verifying')`)
          .map(toRollout);
        const stopped = new Map<string, number>();
        for (const rollout of cut) {
          // The last thing it did is the latest moment at which it is known to have lived.
          const endedAt = db.value<number>('SELECT at FROM event WHERE rollout_id = ? ORDER BY id DESC LIMIT 1', rollout.id) ?? write.at;
          change(write, rollout, { status: 'interrupted', endedAt });
          write.event(rollout.id, 'interrupted', { was: rollout.status });
          stopped.set(rollout.runId, Math.max(endedAt, stopped.get(rollout.runId) ?? 0));
        }
        const runs = db.all<{ id: string; status: string }>(`SELECT id, status FROM run WHERE status IN ('running', 'paused')`);
        for (const run of runs) {
          // A paused run that had nothing in flight is still just that.
          if (run.status === 'paused' && !stopped.has(run.id)) continue;
          setRunStatus(db, write, run.id, 'interrupted', null, stopped.get(run.id) ?? write.at);
        }
        return cut.length;
      });
    },
  };
}
