// Finds a text in everything that a rollout said and did, by plain comparison: a reader who looks for `rm -rf /` means just that.
import { setImmediate } from 'node:timers/promises';
import { type FindHit, findPattern } from '../contract/schema/find.ts';
import { readResponse } from '../contract/schema/response.ts';
import type { NodeRow } from '../contract/schema/rollout.ts';
import type { Store } from '../store/store.ts';

/** Places that one answer lists. */
const MOST = 1000;
/** Messages read at once; between two such pages others have their turn. */
const PAGE = 50;
/** Characters and lines on either side of a hit that are shown with it. */
const AROUND = { characters: 240, lines: 3 };

/** A text as a reader sees it, and where. */
interface Piece {
  place: FindHit['place'];
  index: number;
  text: string;
}

/** Searches the whole rollout. Messages that are added meanwhile may or may not be found. */
export async function findInRollout(
  store: { nodes: Pick<Store['nodes'], 'read'> },
  rolloutId: string,
  query: { text: string; matchCase: boolean },
  signal: AbortSignal,
): Promise<{ hits: FindHit[]; more: boolean }> {
  const pattern = findPattern(query.text, query.matchCase);
  const found: { node: NodeRow; hits: FindHit[] }[] = [];
  let total = 0;
  let after: number | undefined;
  for (;;) {
    const page = store.nodes.read(rolloutId, after, { limit: PAGE, tokens: false });
    for (const node of page.rows) {
      const hits = piecesOf(node).flatMap((piece) => hitsIn(node, piece, pattern));
      total += hits.length;
      if (hits.length > 0) found.push({ node, hits });
    }
    if (!page.more || total > MOST) break;
    after = page.cursor;
    await setImmediate();
    signal.throwIfAborted();
  }
  // Pages come in the order of change; a reader goes through the rollout in its own.
  found.sort((one, other) => one.node.createdAt - other.node.createdAt || (one.node.id < other.node.id ? -1 : 1));
  return { hits: found.flatMap(({ hits }) => hits).slice(0, MOST), more: total > MOST };
}

/** The texts of a message in the order in which they are read. */
function piecesOf(node: NodeRow): Piece[] {
  const commands = node.commands.map(({ index, keystrokes }): Piece => ({ place: 'command', index, text: keystrokes }));
  if (node.role !== 'assistant') return [{ place: 'content', index: 0, text: node.content }, ...commands];
  // What a person typed is in the commands and shown only there.
  if (node.author === 'human' && commands.length > 0) return commands;
  const reasoning: Piece[] = node.reasoning === null ? [] : [{ place: 'reasoning', index: 0, text: node.reasoning }];
  const parts = readResponse(node.content);
  if (parts.protocol === 'text') return [...reasoning, { place: 'content', index: 0, text: node.content }, ...commands];
  const keys = commands.length > 0 ? [] : parts.keystrokes.map((text, index): Piece => ({ place: 'keys', index, text }));
  return [
    ...reasoning,
    { place: 'before', index: 0, text: parts.before },
    { place: 'analysis', index: 0, text: parts.analysis },
    { place: 'plan', index: 0, text: parts.plan },
    ...keys,
    ...commands,
  ];
}

function hitsIn(node: NodeRow, { place, index, text }: Piece, pattern: RegExp): FindHit[] {
  const hits: FindHit[] = [];
  let line = 0;
  let counted = 0;
  for (const found of text.matchAll(pattern)) {
    const offset = found.index;
    const match = found[0];
    for (let at = text.indexOf('\n', counted); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
      line += 1;
      counted = at + 1;
    }
    const before = text
      .slice(Math.max(0, offset - AROUND.characters), offset)
      .split('\n')
      .slice(-AROUND.lines)
      .join('\n');
    const end = offset + match.length;
    const after = text
      .slice(end, end + AROUND.characters)
      .split('\n')
      .slice(0, AROUND.lines)
      .join('\n');
    hits.push({ nodeId: node.id, turn: node.turn, place, index, nth: hits.length, offset, line, before, match, after });
    if (hits.length > MOST) break;
  }
  return hits;
}
