// Sorting of table rows. Stable, numbers as numbers, names as people order them, missing values last.

export interface Sort {
  column: string;
  direction: 'up' | 'down';
}

const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** A sorted copy. Keys are taken once per row, so that 100,000 rows sort within a frame or two. */
export function sortRows<Row>(rows: readonly Row[], by: (row: Row) => string | number | null, direction: Sort['direction']): Row[] {
  const sign = direction === 'up' ? 1 : -1;
  const keyed = rows.map((row) => ({ row, key: by(row) }));
  keyed.sort((one, other) => {
    if (one.key === null || other.key === null) return one.key === other.key ? 0 : one.key === null ? 1 : -1;
    if (typeof one.key === 'number' && typeof other.key === 'number') return sign * (one.key - other.key);
    if (one.key === other.key) return 0;
    return sign * names.compare(String(one.key), String(other.key));
  });
  return keyed.map(({ row }) => row);
}
