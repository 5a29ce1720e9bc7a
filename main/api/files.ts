import { examineToml } from '../edit/examine.ts';
import { existing, readEditable, renamePath, saveFile, watchFolder } from '../edit/files.ts';
import { refreshTask, refuseBundled, requireTask, setOf } from '../edit/tasks.ts';
import { discard, putBack } from '../edit/trash.ts';
import { editToml } from '../task/toml-edit.ts';
import type { ApiDeps } from './deps.ts';
import { os } from './os.ts';
import { signalOf } from './system.ts';
import { PARK_MS } from './watch.ts';

export function filesApi({ lab, paths }: ApiDeps) {
  const { store } = lab;
  const task = (taskId: string) => requireTask(store, taskId);
  /** The task, where it may be written to. */
  const writable = (taskId: string) => {
    const row = task(taskId);
    refuseBundled(store, row);
    return row;
  };
  return os.files.router({
    watch: os.files.watch.handler(async ({ input, signal }) => {
      const row = task(input.taskId);
      const state = await watchFolder(row.path, input.after, PARK_MS, signalOf(signal));
      if (state.version !== input.after) await refreshTask(store, row, signal);
      const isBundled = setOf(store, row.setId).origin === 'bundled';
      return { ...state, readOnly: isBundled ? 'It is shipped with the lab. Duplicate it to change the copy.' : null };
    }),
    read: os.files.read.handler(({ input }) => readEditable(task(input.taskId).path, input.path)),
    save: os.files.save.handler(async ({ input, signal }) => {
      const row = writable(input.taskId);
      const digest = await saveFile(row.path, input.path, input.text, input.base);
      store.drafts.remove(row.path, input.path);
      await refreshTask(store, row, signal);
      return { digest };
    }),
    rename: os.files.rename.handler(async ({ input, signal }) => {
      const row = writable(input.taskId);
      await renamePath(row.path, input.from, input.to);
      for (const draft of store.drafts.list(row.path)) {
        const below = draft.path === input.from ? '' : draft.path.startsWith(`${input.from}/`) ? draft.path.slice(input.from.length) : null;
        if (below === null) continue;
        store.drafts.put(row.path, { path: input.to + below, text: draft.text, base: draft.base });
        store.drafts.remove(row.path, draft.path);
      }
      await refreshTask(store, row, signal);
      return {};
    }),
    remove: os.files.remove.handler(async ({ input, signal }) => {
      const row = writable(input.taskId);
      const token = await discard(paths.trash, await existing(row.path, input.path));
      await refreshTask(store, row, signal);
      return { token };
    }),
    restore: os.files.restore.handler(async ({ input, signal }) => {
      const row = writable(input.taskId);
      await putBack(paths.trash, input.token);
      await refreshTask(store, row, signal);
      return {};
    }),
    drafts: os.files.drafts.handler(({ input }) => ({ drafts: store.drafts.list(task(input.taskId).path) })),
    keepDraft: os.files.keepDraft.handler(({ input }) => {
      const { taskId, ...draft } = input;
      store.drafts.put(writable(taskId).path, draft);
      return {};
    }),
    dropDraft: os.files.dropDraft.handler(({ input }) => {
      store.drafts.remove(task(input.taskId).path, input.path);
      return {};
    }),
    examine: os.files.examine.handler(({ input, signal }) => examineToml(task(input.taskId).path, input.text, signal)),
    editToml: os.files.editToml.handler(({ input }) => ({
      text: editToml(
        input.text,
        input.edits.map(({ path, value }) => ({ path, value: value ?? undefined })),
      ),
    })),
  });
}
