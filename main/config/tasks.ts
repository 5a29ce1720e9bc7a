// The tasks that are shipped with the lab.
import { join } from 'node:path';
import type { Paths } from './paths.ts';

/** Folder of the bundled task set. */
export function bundledTaskFolder(paths: Paths): string {
  return join(paths.resources, 'tasks');
}
