// An observed rate with its interval drawn: the line is the Wilson 95 % interval, the dot is what was seen.
import type { Rate } from '../../main/contract/schema/run.ts';
import { percent } from './format.ts';
import './rate.css';

/** What the drawing says, in words. */
function rateWords(rate: Rate): string {
  if (rate.value === null || rate.low === null || rate.high === null) return 'no trials yet';
  return `${rate.passed} of ${rate.total} passed, ${percent(rate.value)}, 95 % interval ${percent(rate.low)} to ${percent(rate.high)}`;
}

function RateBar({ rate }: { rate: Rate }) {
  return (
    <span className="rate-bar" role="img" aria-label={rateWords(rate)} title={rateWords(rate)}>
      {rate.value !== null && rate.low !== null && rate.high !== null && (
        <>
          <span className="rate-interval" style={{ left: `${rate.low * 100}%`, width: `${(rate.high - rate.low) * 100}%` }} />
          <span className="rate-dot" style={{ left: `${rate.value * 100}%` }} />
        </>
      )}
    </span>
  );
}

/** Figure and drawing in one table cell. */
export function RateCell({ rate }: { rate: Rate }) {
  return (
    <span className="rate-cell">
      <RateBar rate={rate} />
      <span className="figures rate-figure">{percent(rate.value)}</span>
    </span>
  );
}

/** The large form: name, figure, drawing with a scale, and the counts. */
export function RateFigure({ title, rate, hint }: { title: string; rate: Rate; hint: string }) {
  return (
    <figure className="rate-large" title={hint}>
      <figcaption className="rate-title">{title}</figcaption>
      <span className="row">
        <span className="rate-value figures">{percent(rate.value)}</span>
        <span className="faint figures">
          {rate.passed} / {rate.total}
        </span>
      </span>
      <RateBar rate={rate} />
      <span className="rate-scale figures" aria-hidden>
        <span>0</span>
        <span>{rate.low === null ? '' : `${percent(rate.low, 0)} – ${percent(rate.high, 0)}`}</span>
        <span>100 %</span>
      </span>
    </figure>
  );
}
