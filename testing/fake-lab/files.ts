// The files of tasks in the fake lab: every task has the same ones, in memory, and keeps what is written to them for as long as it lives.
import { createHash } from 'node:crypto';
import { implement } from '@orpc/server';
import { contract } from '../../main/contract/index.ts';
import { AppError } from '../../main/lib/errors.ts';
import { taskFiles } from './script.ts';
import type { FakeState } from './state.ts';

const os = implement(contract).files;
const never = new AbortController().signal;
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

interface FakeFolder {
  files: Map<string, string>;
  drafts: Map<string, { text: string; base: string | null; at: number }>;
  trash: Map<string, [path: string, text: string][]>;
  version: number;
}

export function fakeFiles(state: FakeState) {
  const folders = new Map<string, FakeFolder>();
  const folderOf = (taskId: string): FakeFolder => {
    if (!state.tasks.get(taskId)) throw new AppError('request.not_found', 'There is no such task.');
    const known = folders.get(taskId);
    if (known) return known;
    const made: FakeFolder = { files: new Map(taskFiles), drafts: new Map(), trash: new Map(), version: 1 };
    folders.set(taskId, made);
    return made;
  };
  const changed = (folder: FakeFolder) => {
    folder.version += 1;
    state.wake();
  };
  const below = (folder: FakeFolder, path: string) => [...folder.files].filter(([each]) => each === path || each.startsWith(`${path}/`));

  return os.router({
    watch: os.watch.handler(async ({ input, signal = never }) => {
      const folder = folderOf(input.taskId);
      while (String(folder.version) === input.after && (await state.change(signal)));
      const files = [...folder.files].map(([path, text]) => ({
        path,
        bytes: text.length,
        executable: path.endsWith('.sh'),
        text: !path.endsWith('.bin'),
        stamp: digestOf(text),
      }));
      const parents = files.flatMap(({ path }) => (path.includes('/') ? [path.slice(0, path.lastIndexOf('/'))] : []));
      return { version: String(folder.version), readOnly: null, files, folders: [...new Set(parents)] };
    }),
    read: os.read.handler(({ input }) => {
      const text = folderOf(input.taskId).files.get(input.path);
      if (text === undefined) throw new AppError('request.not_found', `There is no ${input.path}.`);
      return { text: input.path.endsWith('.bin') ? null : text, bytes: text.length, cut: false, digest: digestOf(text) };
    }),
    save: os.save.handler(({ input }) => {
      const folder = folderOf(input.taskId);
      const found = folder.files.get(input.path);
      if ((found === undefined ? null : digestOf(found)) !== input.base)
        throw new AppError('request.conflict', `${input.path} was changed on the disk meanwhile`);
      folder.files.set(input.path, input.text);
      folder.drafts.delete(input.path);
      changed(folder);
      return { digest: digestOf(input.text) };
    }),
    rename: os.rename.handler(({ input }) => {
      const folder = folderOf(input.taskId);
      for (const [path, text] of below(folder, input.from)) {
        folder.files.delete(path);
        folder.files.set(input.to + path.slice(input.from.length), text);
      }
      changed(folder);
      return {};
    }),
    remove: os.remove.handler(({ input }) => {
      const folder = folderOf(input.taskId);
      const token = `trash-${folder.version}`;
      const gone = below(folder, input.path);
      folder.trash.set(token, gone);
      for (const [path] of gone) folder.files.delete(path);
      changed(folder);
      return { token };
    }),
    restore: os.restore.handler(({ input }) => {
      const folder = folderOf(input.taskId);
      for (const [path, text] of folder.trash.get(input.token) ?? []) folder.files.set(path, text);
      changed(folder);
      return {};
    }),
    drafts: os.drafts.handler(({ input }) => ({
      drafts: [...folderOf(input.taskId).drafts].map(([path, draft]) => ({ path, ...draft })),
    })),
    keepDraft: os.keepDraft.handler(({ input: { taskId, path, text, base } }) => {
      folderOf(taskId).drafts.set(path, { text, base, at: Date.now() });
      return {};
    }),
    dropDraft: os.dropDraft.handler(({ input }) => {
      folderOf(input.taskId).drafts.delete(input.path);
      return {};
    }),
    examine: os.examine.handler(() => ({ issues: [], values: {} })),
    editToml: os.editToml.handler(({ input }) => ({ text: input.text })),
  });
}

/** What the fake lab does to whole tasks: rows come and go, files do not exist. */
export function fakeTasks(state: FakeState) {
  const tasks = implement(contract).tasks;
  const refused = () => {
    throw new AppError('request.conflict', 'The fake lab has no folders to make tasks in.', { hint: 'Use a real lab.' });
  };
  return {
    importGit: tasks.importGit.handler(refused),
    create: tasks.create.handler(refused),
    duplicate: tasks.duplicate.handler(({ input }) => {
      const task = state.tasks.get(input.taskId);
      if (!task) throw new AppError('request.not_found', 'There is no such task.');
      const copy = state.tasks.put({ ...task, id: `${task.id}-${input.name}`, name: input.name, gates: [] });
      return { taskId: copy.id };
    }),
    remove: tasks.remove.handler(refused),
    restore: tasks.restore.handler(refused),
  };
}

/** No shell opens in the fake lab: it has no containers. */
export function fakeShells() {
  const shells = implement(contract).shells;
  const refused = () => {
    throw new AppError('docker.unreachable', 'The fake lab has no containers.', { hint: 'Use a real lab.' });
  };
  return shells.router({
    open: shells.open.handler(refused),
    watch: shells.watch.handler(refused),
    type: shells.type.handler(refused),
    resize: shells.resize.handler(refused),
    close: shells.close.handler(refused),
  });
}
