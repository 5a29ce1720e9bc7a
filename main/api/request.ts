// What a model was sent for an answer, and what came back: read from the tree of messages, where each request is a path from its root.
import { type NodeRow, nodeRow } from '../contract/schema/rollout.ts';
import { AppError } from '../lib/errors.ts';
import type { Store } from '../store/store.ts';

type Reads = { nodes: Pick<Store['nodes'], 'get' | 'read'>; events: Pick<Store['events'], 'ofKinds'> };

export interface SentRequest {
  messages: { role: NodeRow['role']; content: string }[];
  /** The answer with its tokens. */
  answer: NodeRow;
  /** Tries that failed before it. */
  retries: string[];
}

/** @throws `request.not_found` for a message that is no answer of a model: nothing was sent for it. */
export function requestOf(store: Reads, nodeId: string): SentRequest {
  const answer = store.nodes.get(nodeId);
  if (answer?.role !== 'assistant' || answer.author !== 'sampled') {
    throw new AppError('request.not_found', 'nothing was sent to a model for this message', {
      hint: 'Only answers that a model sampled have a request.',
    });
  }
  const before = ofRollout(store, answer.rolloutId);
  const messages: SentRequest['messages'] = [];
  for (let at = before.get(answer.parentId ?? ''); at; at = before.get(at.parentId ?? '')) {
    messages.push({ role: at.role, content: at.content });
    // A damaged tree could lead in a circle.
    if (messages.length > before.size) throw new AppError('data.corrupt', `the messages before ${nodeId} form a circle`);
  }
  const retries = store.events.ofKinds(answer.rolloutId, ['model_retry']).flatMap(({ data }) => {
    const fields = typeof data === 'object' && data !== null ? data : {};
    return 'turn' in fields && fields.turn === answer.turn && 'retry' in fields ? [String(fields.retry)] : [];
  });
  return { messages: messages.reverse(), answer: nodeRow.parse(answer), retries };
}

function ofRollout(store: Reads, rolloutId: string): Map<string, NodeRow> {
  const nodes = new Map<string, NodeRow>();
  let after: number | undefined;
  for (;;) {
    const page = store.nodes.read(rolloutId, after, { tokens: false });
    for (const node of page.rows) nodes.set(node.id, node);
    if (!page.more) return nodes;
    after = page.cursor;
  }
}
