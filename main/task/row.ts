// A task as the lab lists and stores it.
import type { TaskRow } from '../contract/schema/task.ts';
import type { Task } from './task.ts';

/** The listed form of a task: what the store adds (ids, revision, gates) is left to it. Why it cannot be played is the first issue. */
export function taskRowOf(task: Task): Omit<TaskRow, 'id' | 'setId' | 'rev' | 'gates'> {
  const file = task.format === 'harbor' ? 'task.toml' : 'task.yaml';
  return {
    name: task.name,
    path: task.folder,
    format: task.format,
    digest: task.digest,
    instruction: task.instruction,
    difficulty: task.difficulty,
    category: task.category,
    tags: task.tags,
    hasSolution:
      task.solution.kind !== 'missing' || (task.steps.length > 0 && task.steps.every((step) => step.solution.kind !== 'missing')),
    issues: task.unsupported === null ? task.issues : [{ level: 'warning', message: task.unsupported, file }, ...task.issues],
  };
}
