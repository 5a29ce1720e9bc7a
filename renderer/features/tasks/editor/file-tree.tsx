// The files of a task as a tree: moved through by arrow keys, opened by Enter; files with unsaved text are marked.
import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import { BinaryIcon, ChevronDownIcon, ChevronRightIcon, FileIcon, FolderIcon } from '../../../ui/icons.ts';
import { type TreeRow, treeRows } from './tree.ts';
import { isDirty, type WorkspaceState } from './workspace.ts';

export function FileTree({
  state,
  shown,
  cursor,
  onCursor,
  onOpen,
}: {
  state: WorkspaceState;
  /** The file in the editor. */
  shown: string | null;
  /** The row that keys act on. */
  cursor: string | null;
  onCursor: (path: string) => void;
  onOpen: (path: string) => void;
}) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const id = useId();
  const { files, folders, docs, drafts } = state;
  const rows = useMemo(
    () => treeRows([...files.map((file) => file.path), ...docs.keys(), ...drafts.keys()], folders, closed),
    [files, folders, docs, drafts, closed],
  );
  const at = rows.findIndex((row) => row.path === (cursor ?? shown));
  const toggle = (path: string) =>
    setClosed((before) => {
      const next = new Set(before);
      if (!next.delete(path)) next.add(path);
      return next;
    });
  const act = (row: TreeRow) => {
    onCursor(row.path);
    if (row.kind === 'folder') toggle(row.path);
    else onOpen(row.path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[at];
    const move = (place: number) => {
      const next = rows[Math.max(0, Math.min(rows.length - 1, place))];
      if (next) onCursor(next.path);
    };
    switch (event.key) {
      case 'ArrowDown':
        move(at + 1);
        break;
      case 'ArrowUp':
        move(at - 1);
        break;
      case 'Home':
        move(0);
        break;
      case 'End':
        move(rows.length - 1);
        break;
      case 'ArrowRight':
        if (row?.kind === 'folder' && !row.expanded) toggle(row.path);
        else move(at + 1);
        break;
      case 'ArrowLeft':
        if (row?.kind === 'folder' && row.expanded) toggle(row.path);
        else move(rows.findLastIndex((each, place) => place < at && each.depth < (row?.depth ?? 0)));
        break;
      case 'Enter':
      case ' ':
        if (row) act(row);
        break;
      default:
        return;
    }
    event.preventDefault();
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <div
      className="files"
      role="tree"
      aria-label="Files"
      tabIndex={0}
      aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
      onKeyDown={onKeyDown}
    >
      {rows.map((row, place) => {
        const file = files.find((each) => each.path === row.path);
        const doc = docs.get(row.path);
        const dirty = drafts.has(row.path) || (doc !== undefined && isDirty(doc));
        const Icon = row.kind === 'folder' ? FolderIcon : file && !file.text ? BinaryIcon : FileIcon;
        return (
          // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the tree holds focus and keys.
          <div
            key={row.path}
            id={`${id}-${place}`}
            role="treeitem"
            aria-level={row.depth + 1}
            aria-expanded={row.kind === 'folder' ? row.expanded : undefined}
            aria-selected={row.path === shown}
            data-cursor={place === at || undefined}
            className="file"
            style={{ paddingLeft: 6 + row.depth * 14 }}
            title={row.path}
            onClick={() => act(row)}
          >
            {row.kind === 'folder' ? (
              row.expanded ? (
                <ChevronDownIcon size={12} aria-hidden />
              ) : (
                <ChevronRightIcon size={12} aria-hidden />
              )
            ) : (
              <span className="file-gap" />
            )}
            <Icon size={14} aria-hidden />
            <span className="cut grow">{row.name}</span>
            {dirty && (
              <span className="file-dirty" title="Not saved">
                ●<span className="unseen">not saved</span>
              </span>
            )}
            {file?.executable && <span className="chip">exec</span>}
          </div>
        );
      })}
    </div>
  );
}
