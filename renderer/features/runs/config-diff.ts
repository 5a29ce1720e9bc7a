// What two configurations say differently, setting by setting. Pure.
import type { RunConfig } from '../../../main/contract/schema/config.ts';

export interface Difference {
  /** Dotted path of the setting, `limits.turns`. */
  key: string;
  /** As it would be written; null where the configuration does not say. */
  one: string | null;
  other: string | null;
}

/** Settings with different values, in the order of the first configuration, then what only the other one has. */
export function configDifferences(one: RunConfig, other: RunConfig): Difference[] {
  const [left, right] = [flat(one), flat(other)];
  const keys = new Set([...left.keys(), ...right.keys()]);
  return [...keys]
    .map((key) => ({ key, one: left.get(key) ?? null, other: right.get(key) ?? null }))
    .filter((difference) => difference.one !== difference.other);
}

function flat(value: object, path: readonly string[] = [], into = new Map<string, string>()): Map<string, string> {
  for (const [key, item] of Object.entries(value)) {
    const below = [...path, key];
    if (typeof item === 'object' && item !== null && !Array.isArray(item)) flat(item, below, into);
    else if (item !== undefined) into.set(below.join('.'), words(item));
  }
  return into;
}

function words(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return value === null ? 'none' : String(value);
}
