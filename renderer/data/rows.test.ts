import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRowHolder } from './rows.ts';

interface Row {
  id: string;
  rev: number;
}
const row = (id: string, rev = 1): Row => ({ id, rev });
const change = (kind: 'all' | 'changed', rows: Row[], removed: string[] = []) => ({ kind, rows, removed });

describe('rows of a watch', () => {
  it('keep their place when they change, and give a new list each time', () => {
    const holder = createRowHolder<Row>();
    const first = holder.apply(change('all', [row('a'), row('b')]));
    const second = holder.apply(change('changed', [row('a', 2), row('c')], ['b']));
    expect(first).toEqual([row('a'), row('b')]);
    expect(second).toEqual([row('a', 2), row('c')]);
  });

  it('are forgotten when the lab says that these are all', () => {
    const holder = createRowHolder<Row>();
    holder.apply(change('all', [row('a'), row('b')]));
    expect(holder.apply(change('all', [row('b', 3)]))).toEqual([row('b', 3)]);
  });

  it('stand in their order, however they arrive', () => {
    const byId = (one: Row, other: Row) => (one.id < other.id ? -1 : 1);
    const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const steps = fc.array(fc.record({ rows: fc.array(ids), removed: fc.array(ids) }));
    void fc.assert(
      fc.property(steps, (list) => {
        const holder = createRowHolder<Row>(byId);
        const expected = new Map<string, Row>();
        let rev = 0;
        let shown = holder.apply(change('all', []));
        for (const { rows, removed } of list) {
          const changed = rows.map((id) => row(id, ++rev));
          for (const each of changed) expected.set(each.id, each);
          for (const id of removed) expected.delete(id);
          shown = holder.apply(change('changed', changed, removed));
        }
        expect(shown).toEqual([...expected.values()].sort(byId));
      }),
    );
  });
});
