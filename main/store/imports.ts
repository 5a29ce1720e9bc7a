// Rollouts that were played elsewhere: each is added whole, in a transaction that it may share with others, and only once.
import { uuidv7 } from 'uuidv7';
import { runConfig } from '../contract/schema/config.ts';
import type { RolloutOrigin, RunOrigin } from '../contract/schema/exchange.ts';
import type { CommandRow, RolloutRow, Verdict } from '../contract/schema/rollout.ts';
import { AppError } from '../lib/errors.ts';
import { countersOf } from './counters.ts';
import type { Db, Write } from './db.ts';
import { insertNode, storeNode } from './nodes.ts';
import { addToCounters } from './runs.ts';
import { addToIndex } from './search.ts';
import type { NewNode, Store } from './store.ts';
import { loadBlob, storeText } from './text.ts';

export type ImportedRollout = Omit<RolloutRow, 'id' | 'rev' | 'verdictState' | 'reward'>;
export type ImportedCommand = Omit<CommandRow, 'nodeId' | 'index'>;
export type ImportedNode = Omit<NewNode, 'rolloutId' | 'id' | 'createdAt'> & { id: string; createdAt: number; commands: ImportedCommand[] };

export interface NewImport {
  /** Id of the new rollout, so that its recording can lie in place before it is known. */
  id: string;
  rollout: ImportedRollout;
  nodes: ImportedNode[];
  verdict: Verdict;
  verifierOutput: string;
  origin: Omit<RolloutOrigin, 'at'>;
  /** What the record holds besides; JSON. */
  rest: unknown;
  /** Remarks for the reader of the trajectory. */
  notes: string[];
}

export interface Imports {
  /** The run into which records of this source went before, else a new one. */
  runOf(origin: RunOrigin, name: string): string;
  /** The rollout that was imported from a record with this content, or null. */
  known(hash: string): string | null;
  /** Adds rollouts that have ended, all of them or none. A record that is already there is refused (`request.conflict`). */
  add(records: readonly NewImport[]): void;
  /** Null where the rollout was played here. */
  origin(rolloutId: string): RolloutOrigin | null;
  /** What `add` was given as `rest`; null where the rollout was played here. */
  rest(rolloutId: string): unknown;
  /** Rollouts of a run by task and agent. */
  counts(runId: string): { taskName: string; agent: string; count: number }[];
}

export function openImports(db: Db, blobs: Store['blobs']): Imports {
  const known = (hash: string) => db.value<string>('SELECT rollout_id FROM origin WHERE hash = ?', hash) ?? null;
  return {
    known,

    runOf(origin, name) {
      const found = db.value<string>("SELECT id FROM run WHERE json_extract(origin, '$.source') = ?", origin.source);
      if (found !== undefined) return found;
      // A run's row shows its configuration; of an imported one there is none but where to find it.
      const config = runConfig.parse({ name, tasks: [origin.path], agents: ['replay'], replay: origin.path });
      return db.write((write) => {
        const runId = uuidv7();
        db.run(
          `INSERT INTO run (id, name, status, config, origin, n_total, n_queued, n_active, n_finished, n_errors, n_cancelled, n_interrupted,
            n_verdicts, n_passed, created_at, ended_at, rev) VALUES (?, ?, 'finished', ?, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0, ?, ?, ?)`,
          ...[runId, name, JSON.stringify(config), JSON.stringify(origin), write.at, write.at, write.touch('run', runId)],
        );
        write.event(null, 'run.imported', { runId, name, origin });
        return runId;
      });
    },

    add(records) {
      db.write((write) => {
        for (const record of records) {
          if (known(record.origin.hash) !== null) throw new AppError('request.conflict', `${record.origin.file} was imported before`);
          insertRecord(db, blobs, write, record);
        }
      });
    },

    origin(rolloutId) {
      return db.get<RolloutOrigin>('SELECT format, file, line, hash, at FROM origin WHERE rollout_id = ?', rolloutId) ?? null;
    },

    rest(rolloutId) {
      const blob = db.value<string>('SELECT rest FROM origin WHERE rollout_id = ?', rolloutId);
      return blob === undefined ? null : JSON.parse(loadBlob(blobs, blob).toString('utf8'));
    },

    counts(runId) {
      return db.all('SELECT task_name AS taskName, agent, count(*) AS count FROM rollout WHERE run_id = ? GROUP BY 1, 2', runId);
    },
  };
}

/** Payloads go in first: what is a row is in the same transaction, and a file without a row is harmless. */
function insertRecord(db: Db, blobs: Store['blobs'], write: Write, record: NewImport): void {
  const { id, verdict, origin } = record;
  insertRollout(db, write, id, record.rollout, verdict);
  const output = storeText(blobs, record.verifierOutput);
  db.run(
    'INSERT INTO verdict (rollout_id, verdict, output, output_blob) VALUES (?, ?, ?, ?)',
    ...[id, JSON.stringify(verdict), output.inline, output.blob],
  );
  const rest = blobs.put(JSON.stringify(record.rest));
  db.run(
    'INSERT INTO origin (rollout_id, hash, format, file, line, rest, at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ...[id, origin.hash, origin.format, origin.file, origin.line, rest, write.at],
  );
  for (const node of record.nodes) {
    insertNode(db, write, node.id, { ...node, rolloutId: id }, storeNode(blobs, node));
    insertCommands(db, write, node);
  }
  write.event(id, 'imported', { file: origin.file, line: origin.line, format: origin.format, nodes: record.nodes.length });
  for (const text of record.notes) write.event(id, 'note', { turn: null, text });
}

function insertRollout(db: Db, write: Write, id: string, rollout: ImportedRollout, verdict: Verdict): void {
  db.run(
    `INSERT INTO rollout (id, run_id, task_id, task_name, task_digest, attempt, agent, model, status, outcome, verdict_state, reward, error,
      turns, prompt_tokens, completion_tokens, timings, queued_at, started_at, ended_at, rev)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[id, rollout.runId, rollout.taskId, rollout.taskName, rollout.taskDigest, rollout.attempt, rollout.agent, rollout.model],
    ...[rollout.status, rollout.outcome, verdict.state, verdict.reward, rollout.error === null ? null : JSON.stringify(rollout.error)],
    ...[rollout.turns, rollout.promptTokens, rollout.completionTokens, JSON.stringify(rollout.timings)],
    ...[rollout.queuedAt, rollout.startedAt, rollout.endedAt, write.touch('rollout', id, rollout.runId)],
  );
  db.run('UPDATE run SET n_total = n_total + 1, ended_at = ? WHERE id = ?', write.at, rollout.runId);
  addToCounters(db, write, rollout.runId, countersOf({ status: rollout.status, verdictState: verdict.state, reward: verdict.reward }));
}

function insertCommands(db: Db, write: Write, node: ImportedNode): void {
  for (const [index, command] of node.commands.entries()) {
    db.run(
      `INSERT INTO command (node_id, idx, keystrokes, duration, started_at, ended_at, exit_code, settled, from_byte, to_byte)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[node.id, index, command.keystrokes, command.duration, command.startedAt, command.endedAt],
      ...[command.exitCode, command.settled, command.from, command.to],
    );
    addToIndex(db, write, { kind: 'command', owner: node.id, index }, command.keystrokes);
  }
}
