// What an agent changed in its container: the engine's list without folders, caches and system noise, kept with the rollout.
import * as z from 'zod';
import { type FileChange, fileChange } from '../contract/schema/rollout.ts';
import { messageOf } from '../lib/errors.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Store } from '../store/store.ts';

/** Files that are kept in a list; an agent that installs a compiler changes more, and nobody reads them. */
const MOST = 5000;
/** The engine walks all that changed; it is given up after so many ms. */
const PATIENCE_MS = 10_000;

const noise = [
  /^\/(tmp|var\/tmp|run|var\/run|proc|sys|dev)(\/|$)/,
  /^\/var\/(cache|log)(\/|$)/,
  /^\/var\/lib\/(apt|dpkg)(\/|$)/,
  /^\/etc\/(ld\.so\.cache|mtab|hosts|hostname|resolv\.conf)$/,
  /\/\.(cache|npm|local\/state)(\/|$)/,
  /\/(__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache)(\/|$)/,
  /\/\.(bash|python|node_repl|lesshs?t|wget-hsts|viminfo)(_?history|rc\.lock)?$/,
];

/** By the names that test runners look for, and the places where verifiers put theirs. */
const tests = /^\/(tests|logs\/verifier)(\/|$)|\/(tests?|__tests__|spec)\/|\/(test_[^/]+|[^/]+_test|conftest)\.\w+$|\.(test|spec)\.\w+$/;

const list = z.object({ changes: z.array(fileChange), total: z.int(), noise: z.int() });
const event = z.object({ blob: z.string().nullable(), problem: z.string().nullable() });

export type ChangeList = z.infer<typeof list>;

/** Files out of the engine's list, by path. A folder that is there only because of what lies in it is left out. */
export function tidyChanges(listed: readonly { path: string; kind: FileChange['kind'] }[]): ChangeList {
  const parents = new Set<string>();
  for (const { path } of listed) parents.add(path.slice(0, path.lastIndexOf('/')));
  const files = listed.filter(({ path }) => !parents.has(path));
  const kept = files.filter(({ path }) => !noise.some((pattern) => pattern.test(path)));
  // Plain comparison: the same order on every machine.
  kept.sort((one, other) => (one.path < other.path ? -1 : 1));
  const changes = kept.slice(0, MOST).map(({ path, kind }) => ({ path, kind, tests: tests.test(path) }));
  return { changes, total: kept.length, noise: files.length - kept.length };
}

/** Keeps the list of what differs from the image now. Never rejects and never takes long: a rollout without a list is still a rollout. */
export async function recordChanges(box: Pick<Sandbox, 'changes'>, store: Store, rolloutId: string): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<'over'>();
  const timer = setTimeout(() => resolve('over'), PATIENCE_MS);
  try {
    const found = await Promise.race([box.changes(), over]);
    if (found === 'over') throw new Error(`the engine had no list after ${PATIENCE_MS / 1000} s`);
    const blob = store.blobs.put(JSON.stringify(tidyChanges(found)));
    store.events.append(rolloutId, 'files', { blob, problem: null });
  } catch (error) {
    store.events.append(rolloutId, 'files', { blob: null, problem: messageOf(error) });
  } finally {
    clearTimeout(timer);
  }
}

/** The list that was kept of the latest try. */
export function recordedChanges(store: Store, rolloutId: string): ChangeList & { recorded: boolean; problem: string | null } {
  const none = { changes: [], total: 0, noise: 0, recorded: false, problem: null };
  const last = store.events.ofKinds(rolloutId, ['files', 'requeued']).at(-1);
  if (last?.kind !== 'files') return none;
  const { blob, problem } = event.parse(last.data);
  const content = blob === null ? null : store.blobs.get(blob);
  if (!content) return { ...none, problem: problem ?? 'the list is missing from the data folder' };
  return { ...list.parse(JSON.parse(content.toString('utf8'))), recorded: true, problem };
}
