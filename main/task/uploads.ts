// What goes to /tests before a task is graded, in the order in which it is laid over each other.
import type { Task, TaskStep } from './task.ts';

/** A file or folder of this machine and where it goes below /tests; `.` for a folder whose content goes to /tests itself. */
export interface TestUpload {
  path: string;
  from: string;
}

/** Shared tests first, then those of the step, which replace files of the same name, then a script that lies outside both. */
export function testUploads(task: Pick<Task, 'verifier'>, step?: Pick<TaskStep, 'verifier'>): TestUpload[] {
  const folders = [task.verifier.folder, step?.verifier.folder ?? null].filter((folder) => folder !== null);
  const { script, scriptFile } = task.verifier;
  return [
    ...folders.map((folder) => ({ path: '.', from: folder })),
    ...(scriptFile === undefined ? [] : [{ path: script, from: scriptFile }]),
  ];
}
