// Where the time of one turn went, as a small bar.
import { duration } from '../../ui/format.ts';
import type { Turn } from './turns.ts';
import { turnTime } from './turns.ts';

export function TurnTime({ turn }: { turn: Turn }) {
  const time = turnTime(turn);
  if (!time) return null;
  const parts = (['model', 'commands', 'rest'] as const).filter((part) => time[part] > 0);
  const words = parts.map((part) => `${part} ${duration(time[part])}`).join(', ');
  return (
    <span className="turn-time" role="img" aria-label={words} title={words}>
      {parts.map((part) => (
        <span key={part} data-phase={part} style={{ flexGrow: time[part] }} />
      ))}
    </span>
  );
}
