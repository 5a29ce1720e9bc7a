// What a bench tells: figures, each with the bar it has to meet, as one JSON line.

export interface Measured {
  bench: string;
  metric: string;
  value: number;
  unit: string;
  /** Reads like `"<= 1.25"`; null where the figure is only told. */
  bar: string | null;
}

export type Report = (measured: Measured) => void;

/** True where the value meets the bar. Throws for a bar that is none. */
export function meets(value: number, bar: string | null): boolean {
  if (bar === null) return true;
  const parts = /^(<=|>=) (-?[\d.]+)$/.exec(bar);
  if (!parts) throw new Error(`no bar: ${bar}`);
  return parts[1] === '<=' ? value <= Number(parts[2]) : value >= Number(parts[2]);
}

/** Value at the share `q` (0 to 1) of the sorted values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}
