// The rows of a file tree. Pure: which folders and files stand where, given what is open.
export interface TreeRow {
  path: string;
  name: string;
  /** 0 for what lies in the task's folder itself. */
  depth: number;
  kind: 'folder' | 'file';
  expanded: boolean;
}

/** Folders first, then files, each by name; what lies in a folder of `closed` is left out. */
export function treeRows(files: Iterable<string>, folders: Iterable<string>, closed: ReadonlySet<string>): TreeRow[] {
  const kinds = new Map<string, TreeRow['kind']>();
  const addFolder = (path: string) => {
    for (let at = path; at !== '' && !kinds.has(at); at = parentOf(at)) kinds.set(at, 'folder');
  };
  for (const folder of folders) addFolder(folder);
  for (const file of files) {
    kinds.set(file, 'file');
    addFolder(parentOf(file));
  }
  const below = new Map<string, string[]>();
  for (const path of kinds.keys()) below.set(parentOf(path), [...(below.get(parentOf(path)) ?? []), path]);
  const rows: TreeRow[] = [];
  const visit = (folder: string, depth: number) => {
    const rank = (path: string) => (kinds.get(path) === 'folder' ? 0 : 1);
    for (const path of (below.get(folder) ?? []).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))) {
      const kind = kinds.get(path) ?? 'file';
      const expanded = kind === 'folder' && !closed.has(path);
      rows.push({ path, name: path.slice(path.lastIndexOf('/') + 1), depth, kind, expanded });
      if (expanded) visit(path, depth + 1);
    }
  };
  visit('', 0);
  return rows;
}

export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}
