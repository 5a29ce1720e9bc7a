// The open files of one task: what is typed, what is journaled, what is on the disk. Three versions of a text are kept apart (mine, the one
// I began from, the one on the disk now), so nothing is overwritten without having been seen.
import { createStore, type StoreApi } from 'zustand';
import type { ErrorData } from '../../../../main/contract/errors.ts';
import type { FileDraft, TaskFileEntry } from '../../../../main/contract/files.ts';
import { type LabClient, labError, watchLoop } from '../../../client/index.ts';

/** Typing is journaled this long after its first key, in ms. */
const JOURNAL_MS = 400;
/** A journal that cannot be written is tried again after so long. */
const RETRY_MS = 1000;

export interface Doc {
  path: string;
  kind: 'text' | 'binary' | 'large';
  bytes: number;
  /** What is typed. */
  text: string;
  /** What a save replaces. `text` is null where only its digest is known (a draft from before a change on the disk). Null: a new file. */
  base: { text: string | null; digest: string } | null;
  /** A version on the disk that is neither `base` nor `text`; `digest` null where the file is gone. */
  theirs: { text: string | null; digest: string | null } | null;
  /** Of the file on the disk as last seen. */
  stamp: string;
  saving: boolean;
  /** Counts changes of `text` that did not come from the editor, which has to take them over. */
  revision: number;
}

export interface WorkspaceState {
  loaded: boolean;
  error: ErrorData | null;
  readOnly: string | null;
  files: readonly TaskFileEntry[];
  folders: readonly string[];
  docs: ReadonlyMap<string, Doc>;
  /** The file in the editor. */
  shown: string | null;
  /** Files with a draft that no window has open yet. */
  drafts: ReadonlyMap<string, FileDraft>;
  /** True while something typed is not in the lab's journal. */
  unkept: boolean;
}

export function isDirty(doc: Doc): boolean {
  return doc.kind === 'text' && (doc.base === null || doc.text !== doc.base.text);
}

export interface Workspace {
  store: StoreApi<WorkspaceState>;
  /** Follows the disk until the returned function is called, which also journals what is left. */
  start(): () => void;
  open(path: string): Promise<void>;
  /** Puts an open file into the editor. */
  show(path: string): void;
  /** Tells that a file, or a folder with its files, got another path on the disk. What was typed goes along. */
  moved(from: string, to: string): Promise<void>;
  /** A file that does not exist yet, begun empty. */
  begin(path: string): void;
  /** `outside`: the change does not come from the editor of this file. */
  edit(path: string, text: string, outside?: boolean): void;
  /** Throws what the lab answers. True where something was written. */
  save(path: string): Promise<boolean>;
  /** Drops what was typed: the file as it is on the disk. */
  revert(path: string): void;
  /** Goes on with what was typed; a save then replaces the version on the disk that was shown. */
  keepMine(path: string): void;
}

export function createWorkspace(client: LabClient, taskId: string): Workspace {
  const store = createStore<WorkspaceState>(() => ({
    loaded: false,
    error: null,
    readOnly: null,
    files: [],
    folders: [],
    docs: new Map(),
    shown: null,
    drafts: new Map(),
    unkept: false,
  }));
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const doc = (path: string) => store.getState().docs.get(path);
  const put = (path: string, change: Partial<Doc>) => {
    const known = doc(path);
    if (known) store.setState(({ docs }) => ({ docs: new Map(docs).set(path, { ...known, ...change }) }));
  };
  const drop = (path: string) =>
    store.setState(({ docs, drafts, shown }) => ({
      docs: without(docs, path),
      drafts: without(drafts, path),
      shown: shown === path ? null : shown,
    }));

  /** Puts the newest text of a file into the journal, and again until the lab has it. */
  const journal = async (path: string): Promise<void> => {
    clearTimeout(timers.get(path));
    timers.delete(path);
    const known = doc(path);
    if (!known || store.getState().readOnly !== null) return;
    try {
      if (isDirty(known)) await client.files.keepDraft({ taskId, path, text: known.text, base: known.base?.digest ?? null });
      else await client.files.dropDraft({ taskId, path });
    } catch {
      if (!timers.has(path)) schedule(path, RETRY_MS);
      return;
    }
    store.setState({ unkept: timers.size > 0 });
  };
  const schedule = (path: string, ms = JOURNAL_MS) => {
    if (timers.has(path)) return;
    timers.set(
      path,
      setTimeout(() => void journal(path), ms),
    );
    store.setState({ unkept: true });
  };
  const flush = () => {
    for (const path of [...timers.keys()]) void journal(path);
  };

  const read = async (path: string): Promise<void> => {
    const stamp = store.getState().files.find((file) => file.path === path)?.stamp ?? '';
    const found = await client.files.read({ taskId, path });
    const known = doc(path);
    const text = found.text ?? '';
    if (found.text === null || found.cut) {
      const kind = found.text === null ? 'binary' : 'large';
      const fresh = {
        path,
        kind,
        bytes: found.bytes,
        text,
        base: { text, digest: found.digest },
        theirs: null,
        stamp,
        saving: false,
      } as const;
      store.setState(({ docs }) => ({ docs: new Map(docs).set(path, { ...fresh, revision: (known?.revision ?? 0) + 1 }) }));
      return;
    }
    if (!known) {
      const draft = store.getState().drafts.get(path);
      const isSame = draft === undefined || draft.base === found.digest;
      const fresh: Doc = {
        path,
        kind: 'text',
        bytes: found.bytes,
        text: draft?.text ?? text,
        base: isSame ? { text, digest: found.digest } : draft.base === null ? null : { text: null, digest: draft.base },
        theirs: isSame ? null : { text, digest: found.digest },
        stamp,
        saving: false,
        revision: 0,
      };
      store.setState(({ docs, drafts }) => ({ docs: new Map(docs).set(path, fresh), drafts: without(drafts, path) }));
      if (draft && draft.text === text) takeOver(path, { text, digest: found.digest });
      return;
    }
    if (known.base?.digest === found.digest) put(path, { stamp, theirs: null });
    else if (known.text === text || !isDirty(known)) takeOver(path, { text, digest: found.digest }, stamp);
    else put(path, { stamp, theirs: { text, digest: found.digest } });
  };

  /** The version on the disk becomes mine. */
  const takeOver = (path: string, version: { text: string; digest: string }, stamp?: string) => {
    const known = doc(path);
    if (!known) return;
    const revision = known.revision + (known.text === version.text ? 0 : 1);
    put(path, { text: version.text, base: version, theirs: null, revision, ...(stamp === undefined ? {} : { stamp }) });
    schedule(path, 0);
  };

  const follow = (files: readonly TaskFileEntry[]) => {
    for (const known of store.getState().docs.values()) {
      const file = files.find((each) => each.path === known.path);
      if (file && file.stamp !== known.stamp) void read(known.path).catch(() => {});
      else if (!file && known.base !== null && !known.saving) {
        if (isDirty(known)) put(known.path, { theirs: { text: null, digest: null } });
        else drop(known.path);
      }
    }
  };

  return {
    store,
    start() {
      const leaving = new AbortController();
      let after: string | undefined;
      window.addEventListener('pagehide', flush);
      void watchLoop(
        async (signal) => {
          if (after === undefined) {
            const { drafts } = await client.files.drafts({ taskId }, { signal });
            const fresh = drafts.filter((draft) => !store.getState().docs.has(draft.path));
            store.setState({ drafts: new Map(fresh.map((draft) => [draft.path, draft])) });
          }
          const answer = await client.files.watch({ taskId, ...(after === undefined ? {} : { after }) }, { signal });
          after = answer.version;
          const { readOnly, files, folders } = answer;
          store.setState({ readOnly, files, folders, loaded: true, error: null });
          follow(files);
          return answer;
        },
        leaving.signal,
        (error) => store.setState({ error: labError(error) }),
      );
      return () => {
        leaving.abort();
        window.removeEventListener('pagehide', flush);
        flush();
      };
    },
    async open(path) {
      if (doc(path)) return;
      const draft = store.getState().drafts.get(path);
      const isThere = store.getState().files.some((file) => file.path === path);
      if (isThere || !draft) return read(path);
      this.begin(path);
      put(path, { text: draft.text, revision: 1, ...(draft.base === null ? {} : { theirs: { text: null, digest: null } }) });
    },
    show(path) {
      store.setState({ shown: path });
    },
    async moved(from, to) {
      for (const known of [...store.getState().docs.values()]) {
        if (known.path !== from && !known.path.startsWith(`${from}/`)) continue;
        const path = to + known.path.slice(from.length);
        store.setState(({ docs, shown }) => ({
          docs: new Map(without(docs, known.path)).set(path, { ...known, path, stamp: '' }),
          shown: shown === known.path ? path : shown,
        }));
        if (isDirty(known)) schedule(path, 0);
      }
    },
    begin(path) {
      const fresh: Doc = { path, kind: 'text', bytes: 0, text: '', base: null, theirs: null, stamp: '', saving: false, revision: 0 };
      store.setState(({ docs, drafts }) => ({ docs: new Map(docs).set(path, fresh), drafts: without(drafts, path) }));
      schedule(path);
    },
    edit(path, text, outside = false) {
      const known = doc(path);
      if (!known || known.text === text) return;
      put(path, { text, revision: known.revision + (outside ? 1 : 0) });
      schedule(path);
    },
    async save(path) {
      const known = doc(path);
      if (!known || !isDirty(known) || known.theirs) return false;
      put(path, { saving: true });
      try {
        const { digest } = await client.files.save({ taskId, path, text: known.text, base: known.base?.digest ?? null });
        put(path, { base: { text: known.text, digest }, saving: false });
        // What was typed while the save was on its way has to be journaled again: saving dropped the draft.
        if (doc(path)?.text !== known.text) schedule(path, 0);
        return true;
      } catch (error) {
        put(path, { saving: false });
        void read(path).catch(() => {});
        throw error;
      }
    },
    revert(path) {
      const known = doc(path);
      if (!known) return;
      const version = known.theirs ?? known.base;
      if (version?.text != null && version.digest !== null) takeOver(path, { text: version.text, digest: version.digest });
      else {
        drop(path);
        void client.files.dropDraft({ taskId, path }).catch(() => {});
      }
    },
    keepMine(path) {
      const theirs = doc(path)?.theirs;
      if (!theirs) return;
      put(path, { base: theirs.digest === null ? null : { text: theirs.text, digest: theirs.digest }, theirs: null });
      schedule(path, 0);
    },
  };
}

function without<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  if (!map.has(key)) return map;
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}
