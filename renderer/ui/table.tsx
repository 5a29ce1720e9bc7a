// The one table: virtual rows, sorting by header, a cursor moved by keys. Only what is in view exists in the document.
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, memo, type ReactNode, useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { DownIcon, UpIcon } from './icons.ts';
import { MenuAt, type MenuItem, type MenuPlace } from './menu.tsx';
import { type Sort, sortRows } from './sort.ts';
import './table.css';

export interface Column<Row> {
  id: string;
  /** Header; units belong here. */
  title: string;
  /** A CSS grid track: `120px`, `minmax(160px, 2fr)`. */
  width: string;
  align?: 'start' | 'end';
  cell: (row: Row) => ReactNode;
  /** What to sort by; columns without it cannot be sorted. Nulls come last in both directions. */
  by?: (row: Row) => string | number | null;
  /** Left out where the table is narrower than this many pixels. */
  from?: number;
}

export interface TableProps<Row extends { id: string }> {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  onOpen: (row: Row) => void;
  selectedId?: string | undefined;
  initialSort?: Sort;
  /** Shown where there are no rows. */
  empty?: ReactNode;
  /** What can be done with a row: on right click, and for the row under the cursor by the menu key or Shift+F10. */
  menu?: (row: Row) => readonly MenuItem[];
}

const ROW = 30;

export function Table<Row extends { id: string }>({ label, rows, columns, onOpen, selectedId, initialSort, empty, menu }: TableProps<Row>) {
  const [sort, setSort] = useState<Sort | null>(initialSort ?? null);
  const [cursor, setCursor] = useState<string | null>(null);
  const [asked, setAsked] = useState<{ row: Row; at: MenuPlace } | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const width = useWidth(scroller);
  const id = useId();
  const shown = useMemo(() => columns.filter((column) => !column.from || width === 0 || width >= column.from), [columns, width]);
  const sorted = useMemo(() => {
    const by = columns.find((column) => column.id === sort?.column)?.by;
    return sort && by ? sortRows(rows, by, sort.direction) : rows;
  }, [rows, columns, sort]);

  const virtualizer = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
    scrollPaddingStart: ROW,
  });

  useKeptScroll(scroller, label);
  const at = useMemo(() => (cursor === null ? -1 : sorted.findIndex((row) => row.id === cursor)), [sorted, cursor]);
  const moveTo = (place: number) => {
    const bounded = Math.max(0, Math.min(sorted.length - 1, place));
    const row = sorted[bounded];
    if (!row) return;
    setCursor(row.id);
    virtualizer.scrollToIndex(bounded);
  };
  const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 300) / ROW) - 2);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const row = sorted[at];
    const target = targetOf(event.key, at, page, sorted.length);
    if (target === null && !(event.key === 'Enter' && row)) return;
    event.preventDefault();
    if (target !== null) moveTo(target);
    else if (row) onOpen(row);
  };

  const open = useRef(onOpen);
  open.current = onOpen;
  const pick = useCallback((row: Row) => {
    setCursor(row.id);
    open.current(row);
  }, []);
  const template = shown.map((column) => column.width).join(' ');
  const items = virtualizer.getVirtualItems();
  // Elements are handed on from rows that left the view to rows that come: while one scrolls, nothing is made or thrown away.
  const most = useRef(0);
  most.current = Math.max(most.current, items.length);
  const slots = most.current;
  if (rows.length === 0 && empty) return empty;
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a virtual grid cannot be a <table>; its rows are placed by hand. */}
      <div
        ref={scroller}
        className="table"
        role="grid"
        aria-label={label}
        aria-rowcount={sorted.length + 1}
        aria-colcount={shown.length}
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onContextMenu={(event) => {
          if (!menu) return;
          // A key asks for the row under the cursor, the mouse for the one that it points to.
          const element = event.button === 2 ? (event.target as Element).closest('.table-row') : document.getElementById(`${id}-${at}`); // events come from elements
          const row = sorted[Number(element?.getAttribute('aria-rowindex')) - 2];
          if (!element || !row) return;
          event.preventDefault();
          setCursor(row.id);
          const { clientX, clientY } = event;
          setAsked({ row, at: event.button === 2 ? pointAt(clientX, clientY) : element });
        }}
        onFocus={(event) => {
          // A click brings its own row; only a focus by keyboard needs somewhere to begin.
          if (event.target === event.currentTarget && at < 0 && event.currentTarget.matches(':focus-visible'))
            moveTo(
              Math.max(
                0,
                sorted.findIndex((row) => row.id === selectedId),
              ),
            );
        }}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: see above. */}
        <div role="rowgroup" className="table-head" style={{ gridTemplateColumns: template }}>
          {/* biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: the grid holds the focus. */}
          <div role="row" aria-rowindex={1} className="table-line">
            {shown.map((column) => (
              <HeaderCell key={column.id} column={column} sort={sort} onSort={setSort} />
            ))}
          </div>
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: see above. */}
        <div role="rowgroup" className="table-body" style={{ height: virtualizer.getTotalSize() }}>
          {items.map((item) => {
            const row = sorted[item.index];
            return (
              row && (
                <TableRow
                  key={item.index % slots}
                  row={row}
                  id={`${id}-${item.index}`}
                  index={item.index}
                  start={item.start}
                  columns={shown}
                  template={template}
                  selected={row.id === selectedId}
                  cursor={item.index === at}
                  onPick={pick}
                />
              )
            );
          })}
        </div>
      </div>
      {asked && menu && <MenuAt at={asked.at} label="Actions" items={menu(asked.row)} onClose={() => setAsked(null)} />}
    </>
  );
}

function pointAt(x: number, y: number): MenuPlace {
  return { getBoundingClientRect: () => new DOMRect(x, y, 0, 0) };
}

interface TableRowProps<Row> {
  row: Row;
  id: string;
  index: number;
  start: number;
  columns: readonly Column<Row>[];
  template: string;
  selected: boolean;
  cursor: boolean;
  onPick: (row: Row) => void;
}

function PlainRow<Row extends { id: string }>({ row, id, index, start, columns, template, selected, cursor, onPick }: TableRowProps<Row>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the grid holds focus and keys.
    <div
      id={id}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      className="table-line table-row"
      data-cursor={cursor || undefined}
      style={{ gridTemplateColumns: template, transform: `translateY(${start}px)` }}
      onClick={() => onPick(row)}
    >
      {columns.map((column) => (
        // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: the grid holds the focus.
        <div key={column.id} role="gridcell" className={`table-cell ${column.align === 'end' ? 'table-end figures' : ''}`}>
          {column.cell(row)}
        </div>
      ))}
    </div>
  );
}

/** Rendered again only where its own row, place or mark changed. */
const TableRow = memo(PlainRow) as typeof PlainRow; // memo() forgets the type parameter

/** Where a key moves the cursor to; null for keys that do not move it. */
function targetOf(key: string, at: number, page: number, count: number): number | null {
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return at + 1;
    case 'ArrowUp':
    case 'k':
      return at - 1;
    case 'PageDown':
      return at + page;
    case 'PageUp':
      return at - page;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}

function HeaderCell<Row>({ column, sort, onSort }: { column: Column<Row>; sort: Sort | null; onSort: (sort: Sort | null) => void }) {
  const direction = sort?.column === column.id ? sort.direction : null;
  const Arrow = direction === 'down' ? DownIcon : UpIcon;
  const next = (): Sort | null => {
    if (direction === null) return { column: column.id, direction: column.align === 'end' ? 'down' : 'up' };
    const flipped = direction === 'up' ? 'down' : 'up';
    const first = column.align === 'end' ? 'down' : 'up';
    return flipped === first ? null : { column: column.id, direction: flipped };
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: see Table.
    <div
      role="columnheader"
      className={`table-cell ${column.align === 'end' ? 'table-end' : ''}`}
      aria-sort={direction === null ? (column.by ? 'none' : undefined) : direction === 'up' ? 'ascending' : 'descending'}
    >
      {column.by ? (
        <button type="button" className="table-sort" onClick={() => onSort(next())}>
          <span className="cut">{column.title}</span>
          <Arrow size={12} className={direction === null ? 'table-arrow-off' : undefined} aria-hidden />
        </button>
      ) : (
        <span className="cut">{column.title}</span>
      )}
    </div>
  );
}

const keptScroll = new Map<string, number>();

/** Puts a list back to where it was left, for as long as the page lives. */
function useKeptScroll(ref: React.RefObject<HTMLElement | null>, label: string): void {
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const key = `${location.hash}/${label}`;
    element.scrollTop = keptScroll.get(key) ?? 0;
    return () => void keptScroll.set(key, element.scrollTop);
  }, [ref, label]);
}

/** Width of an element, kept up to date. 0 before the first measurement. */
function useWidth(ref: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.round(entry.contentRect.width)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}
