// Layers of configuration laid over each other, remembering where each value came from.
import type { KeyPath } from './yaml.ts';

/** Where a value was written. */
export type Source = { kind: 'file'; file: string; line: number } | { kind: 'override'; text: string };

export interface Layer {
  value: unknown;
  sourceOf(path: KeyPath): Source;
}

export interface Merged {
  value: Record<string, unknown>;
  /** Source of the value at a path; for a key that is nowhere, that of the nearest key above; null for the root. */
  sourceOf(path: KeyPath): Source | null;
}

/** Merges layers in order: maps are merged key by key, anything else (lists too) is replaced. */
export function mergeLayers(layers: readonly Layer[]): Merged {
  const sources = new Map<string, Source>();
  let value: unknown = {};
  for (const layer of layers) value = over(value, layer.value, [], layer, sources);
  return {
    value: isPlainMap(value) ? value : {},
    sourceOf: (path) => {
      for (let length = path.length; length > 0; length -= 1) {
        const source = sources.get(JSON.stringify(path.slice(0, length)));
        if (source) return source;
      }
      return null;
    },
  };
}

/** True for what YAML calls a map. */
export function isPlainMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function over(below: unknown, above: unknown, path: KeyPath, layer: Layer, sources: Map<string, Source>): unknown {
  if (path.length > 0) sources.set(JSON.stringify(path), layer.sourceOf(path));
  if (!isPlainMap(above)) {
    if (Array.isArray(above)) recordItems(above, path, layer, sources);
    return above;
  }
  const merged: Record<string, unknown> = isPlainMap(below) ? { ...below } : {};
  for (const [key, value] of Object.entries(above)) {
    const joined = over(Object.hasOwn(merged, key) ? merged[key] : undefined, value, [...path, key], layer, sources);
    // Assigning to a key called __proto__ would change the object's prototype instead of adding a key.
    Object.defineProperty(merged, key, { value: joined, enumerable: true, writable: true, configurable: true });
  }
  return merged;
}

/** A replaced list has lines of its own; what an earlier layer said of its items is no longer true. */
function recordItems(items: unknown[], path: KeyPath, layer: Layer, sources: Map<string, Source>): void {
  const prefix = `${JSON.stringify(path).slice(0, -1)},`;
  for (const key of sources.keys()) if (key.startsWith(prefix)) sources.delete(key);
  items.forEach((_, index) => {
    const below = [...path, index];
    sources.set(JSON.stringify(below), layer.sourceOf(below));
  });
}
