// The conversation trees of rollouts: nodes, and the commands that a node's answer ran.
import { uuidv7 } from 'uuidv7';
import type { CommandRow, NodeRow } from '../contract/schema/rollout.ts';
import { AppError } from '../lib/errors.ts';
import type { Db, Write } from './db.ts';
import { readNewer } from './newer.ts';
import { addToIndex, removeFromIndex } from './search.ts';
import type { NewNode, Store } from './store.ts';
import { cutText, loadBlob, loadText, type StoredText, storeText } from './text.ts';

const columns = `id, rollout_id AS rolloutId, parent_id AS parentId, turn, role, author, content, content_blob AS contentBlob, reasoning,
  reasoning_blob AS reasoningBlob, format, prompt_tokens AS promptTokens, completion_tokens AS completionTokens,
  stop_reason AS stopReason, tokens_blob AS tokensBlob, text_bytes AS textBytes, token_bytes AS tokenBytes, sampled, timings, created_at AS createdAt`;

const commandColumns = `node_id AS nodeId, idx AS "index", keystrokes, duration, started_at AS startedAt, ended_at AS endedAt,
  exit_code AS exitCode, settled, from_byte AS "from", to_byte AS "to"`;

type Tokens = Pick<NodeRow, 'tokenIds' | 'logprobs' | 'tokens'>;
const noTokens: Tokens = { tokenIds: null, logprobs: null, tokens: null };

interface RawNode extends Omit<NodeRow, 'content' | 'format' | 'sampled' | 'timings' | 'commands' | keyof Tokens> {
  seq: number;
  content: string | null;
  contentBlob: string | null;
  reasoningBlob: string | null;
  format: string | null;
  tokensBlob: string | null;
  textBytes: number;
  tokenBytes: number;
  sampled: number;
  timings: string;
}

export interface NodeTable {
  nodes: Store['nodes'];
  /** Every node of the rollout, whole, oldest first. */
  ofRollout(rolloutId: string): NodeRow[];
  /** Removes the nodes of a rollout with their commands, within a write. */
  removeAll(write: Write, rolloutId: string): void;
}

/** Where the payloads of a node lie. */
interface StoredNode {
  content: StoredText;
  reasoning: StoredText;
  tokensBlob: string | null;
  textBytes: number;
  tokenBytes: number;
}

/** Stores the payloads of a node; to be called before the write that inserts its row. */
export function storeNode(blobs: Store['blobs'], node: Omit<NewNode, 'rolloutId'>): StoredNode {
  const { tokenIds, logprobs, tokens } = node;
  const sampledTokens = tokenIds || logprobs || tokens ? JSON.stringify({ tokenIds, logprobs, tokens }) : null;
  return {
    content: storeText(blobs, node.content),
    reasoning: node.reasoning === null ? { inline: null, blob: null } : storeText(blobs, node.reasoning),
    tokensBlob: sampledTokens === null ? null : blobs.put(sampledTokens),
    textBytes: Buffer.byteLength(node.content) + Buffer.byteLength(node.reasoning ?? ''),
    tokenBytes: sampledTokens?.length ?? 0,
  };
}

/** Adds the row of a node within a write, and its text to the index. */
export function insertNode(db: Db, write: Write, id: string, node: NewNode, stored: StoredNode): void {
  const { content, reasoning, tokensBlob, textBytes, tokenBytes } = stored;
  db.run(
    `INSERT INTO node (id, rollout_id, parent_id, turn, role, author, content, content_blob, reasoning, reasoning_blob, format,
      prompt_tokens, completion_tokens, stop_reason, tokens_blob, text_bytes, token_bytes, sampled, timings, created_at, rev)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[id, node.rolloutId, node.parentId, node.turn, node.role, node.author],
    ...[content.inline, content.blob, reasoning.inline, reasoning.blob],
    ...[node.format === null ? null : JSON.stringify(node.format), node.promptTokens, node.completionTokens, node.stopReason],
    ...[tokensBlob, textBytes, tokenBytes, node.sampled ? 1 : 0, JSON.stringify(node.timings), node.createdAt ?? write.at],
    write.touch('node', id, node.rolloutId),
  );
  if (node.author === 'environment') addToIndex(db, write, { kind: 'output', owner: id }, node.content);
}

export function openNodes(db: Db, blobs: Store['blobs']): NodeTable {
  const toNode = (row: RawNode, commands: CommandRow[], withTokens: boolean): NodeRow => {
    const { seq: _seq, contentBlob, reasoningBlob, tokensBlob, textBytes: _text, tokenBytes: _tokens, ...rest } = row;
    const tokens: Tokens = tokensBlob === null || !withTokens ? noTokens : JSON.parse(loadBlob(blobs, tokensBlob).toString('utf8'));
    return {
      ...rest,
      ...tokens,
      content: loadText(blobs, { inline: row.content, blob: contentBlob }) ?? '',
      reasoning: loadText(blobs, { inline: row.reasoning, blob: reasoningBlob }),
      format: row.format === null ? null : JSON.parse(row.format),
      sampled: row.sampled === 1,
      timings: JSON.parse(row.timings),
      commands,
    };
  };

  const withCommands = (rows: RawNode[], withTokens: boolean): NodeRow[] => {
    const ids = JSON.stringify(rows.map((row) => row.id));
    const commands = db.all<CommandRow>(
      `SELECT ${commandColumns} FROM command WHERE node_id IN (SELECT value FROM json_each(?)) ORDER BY node_id, idx`,
      ids,
    );
    const byNode = Map.groupBy(commands, (command) => command.nodeId);
    return rows.map((row) => toNode(row, byNode.get(row.id) ?? [], withTokens));
  };

  const rolloutOf = (nodeId: string): string => {
    const rolloutId = db.value<string>('SELECT rollout_id FROM node WHERE id = ?', nodeId);
    if (rolloutId === undefined) throw new AppError('request.not_found', `no node ${nodeId}`);
    return rolloutId;
  };

  const touchNode = (write: Write, nodeId: string, rolloutId: string) =>
    db.run('UPDATE node SET rev = ? WHERE id = ?', write.touch('node', nodeId, rolloutId), nodeId);

  const nodes: Store['nodes'] = {
    append(node) {
      const id = node.id ?? uuidv7();
      const stored = storeNode(blobs, node);
      db.write((write) => {
        if (db.value('SELECT 1 FROM rollout WHERE id = ?', node.rolloutId) === undefined) {
          throw new AppError('request.not_found', `no rollout ${node.rolloutId}`);
        }
        if (node.id !== undefined) db.run('DELETE FROM tombstone WHERE id = ?', id);
        insertNode(db, write, id, node, stored);
        write.event(node.rolloutId, 'node', { nodeId: id, turn: node.turn, role: node.role, author: node.author });
      });
      return id;
    },

    beginCommand(command) {
      db.write((write) => {
        const { nodeId, index } = command;
        const rolloutId = rolloutOf(nodeId);
        db.run(
          'INSERT INTO command (node_id, idx, keystrokes, duration, started_at, from_byte) VALUES (?, ?, ?, ?, ?, ?)',
          ...[nodeId, index, command.keystrokes, command.duration, command.startedAt, command.from],
        );
        touchNode(write, nodeId, rolloutId);
        addToIndex(db, write, { kind: 'command', owner: nodeId, index }, command.keystrokes);
        write.event(rolloutId, 'command.began', { nodeId, index });
      });
    },

    endCommand(nodeId, index, end) {
      db.write((write) => {
        const rolloutId = rolloutOf(nodeId);
        const changed = db.run(
          'UPDATE command SET ended_at = ?, exit_code = ?, settled = ?, to_byte = ? WHERE node_id = ? AND idx = ?',
          ...[end.endedAt, end.exitCode, end.settled, end.to, nodeId, index],
        );
        if (changed === 0) throw new AppError('request.not_found', `node ${nodeId} has no command ${index}`);
        touchNode(write, nodeId, rolloutId);
        write.event(rolloutId, 'command.ended', { nodeId, index, exitCode: end.exitCode, settled: end.settled });
      });
    },

    get(nodeId) {
      const row = db.get<RawNode>(`SELECT seq, rev, ${columns} FROM node WHERE id = ?`, nodeId);
      return row ? (withCommands([row], true)[0] ?? null) : null;
    },

    read(rolloutId, after, options = {}) {
      const { limit, cut, tokens = true } = options;
      const scope = { column: 'rollout_id', id: rolloutId };
      const weigh = (row: RawNode) => Math.min(row.textBytes, cut ?? row.textBytes) + (tokens ? row.tokenBytes : 0);
      const read = readNewer<RawNode>(db, { table: 'node', columns, scope, after, limit, weigh });
      const whole = withCommands(read.rows, tokens);
      const rows = cut === undefined ? whole : whole.map((node) => ({ ...node, content: cutText(node.content, cut) }));
      return { ...read, rows };
    },
  };

  return {
    nodes,

    ofRollout(rolloutId) {
      return withCommands(db.all<RawNode>(`SELECT seq, rev, ${columns} FROM node WHERE rollout_id = ? ORDER BY seq`, rolloutId), true);
    },

    removeAll(write, rolloutId) {
      for (const { id } of db.all<{ id: string }>('SELECT id FROM node WHERE rollout_id = ?', rolloutId)) {
        removeFromIndex(db, id);
        db.run('DELETE FROM node WHERE id = ?', id);
        write.removed('node', id, rolloutId);
      }
    },
  };
}
