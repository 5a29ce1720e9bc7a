// Every task against every agent and attempt: where a set is easy, hard, or a matter of luck.
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import type { RolloutRow } from '../../../main/contract/schema/rollout.ts';
import { MatrixIcon } from '../../ui/icons.ts';
import { Empty } from '../../ui/notice.tsx';
import { rolloutSign } from '../../ui/status.tsx';
import { matrixOf } from './progress.ts';

const ROW = 28;

export function RolloutMatrix({ rollouts }: { rollouts: readonly RolloutRow[] }) {
  const matrix = useMemo(() => matrixOf(rollouts), [rollouts]);
  const scroller = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer({
    count: matrix.rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  if (rollouts.length === 0) return <Empty icon={MatrixIcon} title="No rollouts" words="There is nothing to lay out yet." />;
  const items = virtualizer.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className="matrix" ref={scroller} aria-label="Tasks by attempts" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col" className="matrix-task">
              Task
            </th>
            <th scope="col" className="matrix-sum">
              Solved
            </th>
            {matrix.columns.map((column) => (
              <th scope="col" key={column.key}>
                <span className="matrix-agent">{column.agent}</span>
                <span className="faint figures">{column.attempt + 1}</span>
              </th>
            ))}
            <th aria-hidden className="grow" />
          </tr>
        </thead>
        <tbody>
          {before > 0 && (
            <tr aria-hidden>
              <td style={{ height: before }} />
            </tr>
          )}
          {items.map((item) => {
            const row = matrix.rows[item.index];
            if (!row) return null;
            return (
              <tr key={row.taskId}>
                <th scope="row" className="matrix-task cut">
                  {row.taskName}
                </th>
                <td className="matrix-sum figures">
                  {row.solved} / {row.scored}
                </td>
                {row.cells.map((cell, place) => (
                  <td key={matrix.columns[place]?.key}>{cell && <Cell rollout={cell} />}</td>
                ))}
                <td aria-hidden />
              </tr>
            );
          })}
          {after > 0 && (
            <tr aria-hidden>
              <td style={{ height: after }} />
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
}

function Cell({ rollout }: { rollout: RolloutRow }) {
  const sign = rolloutSign(rollout);
  const Icon = sign.icon;
  const label = `${rollout.taskName}, ${rollout.agent}, attempt ${rollout.attempt + 1}: ${sign.word}`;
  return (
    <a
      className="matrix-cell"
      href={`#/rollouts/${rollout.id}`}
      data-tone={sign.tone}
      aria-label={label}
      title={`${sign.word}: ${sign.meaning}`}
    >
      <Icon size={14} aria-hidden />
    </a>
  );
}
