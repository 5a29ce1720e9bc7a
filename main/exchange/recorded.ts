// A rollout with everything that an export needs of it, read from the store one rollout at a time.
import type { NodeRow, RolloutRow, Verdict } from '../contract/schema/rollout.ts';
import { shortName } from '../rollout/select.ts';
import type { Store } from '../store/store.ts';
import { objectOf, textOf } from './json.ts';
import type { Rest } from './trial.ts';

export interface Recorded {
  rollout: RolloutRow;
  /** Oldest first, whole, with tokens. */
  nodes: NodeRow[];
  verdict: Verdict | null;
  verifierOutput: string;
  /** What its record held besides, where it was imported. */
  rest: Rest | null;
}

export function readRecorded(store: Store, rollout: RolloutRow): Recorded {
  const nodes: NodeRow[] = [];
  for (let after: number | undefined; ; ) {
    const read = store.nodes.read(rollout.id, after);
    nodes.push(...read.rows);
    after = read.cursor;
    if (!read.more) break;
  }
  const graded = store.rollouts.verdict(rollout.id);
  return {
    rollout,
    nodes,
    verdict: graded?.verdict ?? null,
    verifierOutput: graded?.verifierOutput ?? '',
    // Only `imports.add` writes it, from a Rest.
    rest: store.imports.rest(rollout.id) as Rest | null,
  };
}

/**
 * The conversations of a rollout in their order: each from its first message to its latest. After a compaction, or for a sub-agent, a new
 * one begins; of branches that were left, the last one counts.
 */
export function conversationsOf(nodes: readonly NodeRow[]): NodeRow[][] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const rootOf = new Map<string, string>();
  const latest = new Map<string, NodeRow>();
  for (const node of nodes) {
    const parent = node.parentId === null ? undefined : byId.get(node.parentId);
    const root = parent ? (rootOf.get(parent.id) ?? parent.id) : node.id;
    rootOf.set(node.id, root);
    latest.set(root, node);
  }
  return [...latest.values()].map((tip) => {
    const path: NodeRow[] = [];
    for (let node: NodeRow | undefined = tip; node; node = node.parentId === null ? undefined : byId.get(node.parentId)) path.push(node);
    return path.reverse();
  });
}

/** Name of a rollout's folder or file: that of the imported trial, else as Harbor would name it. Safe as part of a path. */
export function trialNameOf({ rollout, rest }: Pick<Recorded, 'rollout' | 'rest'>): string {
  const recorded = textOf(objectOf(rest?.parts?.['result.json'])?.trial_name);
  const name = recorded ?? `${shortName(rollout.taskName).slice(0, 32)}__${rollout.id.slice(-7)}`;
  return name
    .replaceAll(/[^\w.-]/g, '_')
    .replace(/^\.+/, '_')
    .slice(0, 120);
}
