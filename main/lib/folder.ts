// Making a folder with those above it.
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and what is missing above it; one that is there is fine. Node's own `recursive` tries for ever in file systems that take
 * no folders and say so with ENOENT, as procfs does; this one throws.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path);
    return;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
  }
  makeFolder(dirname(path));
  mkdirSync(path);
}
