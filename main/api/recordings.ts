// The index of an imported rollout's recording, made when the recording is first looked at: an import of many trials must not wait for screens
// that perhaps nobody opens.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeRow } from '../contract/schema/rollout.ts';
import { turnMarks, turnsOf } from '../exchange/turn-marks.ts';
import type { Store } from '../store/store.ts';
import { indexRecording, typedIn } from '../terminal/reindex.ts';

export interface RecordingIndexes {
  /** Resolves when the rollout's recording has an index, at once where it needs none. Rejects where it cannot be read or written. */
  ensure(rolloutId: string): Promise<void>;
}

export function recordingIndexes(store: Store, recordings: string): RecordingIndexes {
  const making = new Map<string, Promise<void>>();
  return {
    async ensure(rolloutId) {
      const path = join(recordings, `${rolloutId}.cast`);
      // The lab's own recorder writes the index with the recording.
      if (existsSync(`${path}.idx`) || !existsSync(path) || store.imports.origin(rolloutId) === null) return;
      let made = making.get(rolloutId);
      if (!made) {
        made = make(store, rolloutId, path).finally(() => making.delete(rolloutId));
        making.set(rolloutId, made);
      }
      await made;
    },
  };
}

async function make(store: Store, rolloutId: string, path: string): Promise<void> {
  const nodes: NodeRow[] = [];
  for (let after: number | undefined; ; ) {
    const read = store.nodes.read(rolloutId, after, { cut: 1, tokens: false });
    nodes.push(...read.rows);
    after = read.cursor;
    if (!read.more) break;
  }
  await indexRecording(path, turnMarks(turnsOf(nodes), await typedIn(path)));
}
