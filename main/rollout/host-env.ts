// `${NAME}` and `${NAME:-default}` in a task's env tables. Task files are untrusted and this machine's environment holds keys, so only
// names that the researcher allows are read.
import { AppError } from '../lib/errors.ts';
import type { Task } from '../task/task.ts';

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** The task with the host variables of its environment, verifier and solution filled in. Throws as `resolveHostEnv` does. */
export function withHostEnv(task: Task, allowed: readonly string[]): Task {
  const fill = (env: Record<string, string>) => resolveHostEnv(env, allowed, task.name);
  return {
    ...task,
    environment: { ...task.environment, env: fill(task.environment.env) },
    verifier: { ...task.verifier, env: fill(task.verifier.env) },
    solution: task.solution.kind === 'script' ? { ...task.solution, env: fill(task.solution.env) } : task.solution,
  };
}

/** Fills in host variables. Throws `config.invalid` for a name that is not allowed and has no default. */
function resolveHostEnv(env: Record<string, string>, allowed: readonly string[], taskName: string): Record<string, string> {
  const fill = (value: string) =>
    value.replaceAll(reference, (_, name: string, fallback?: string) => {
      const found = allowed.includes(name) ? process.env[name] : undefined;
      if (found !== undefined || fallback !== undefined) return found ?? fallback ?? '';
      throw new AppError('config.invalid', `task ${taskName} wants the variable ${name} of this machine`, {
        hint: allowed.includes(name)
          ? `Set ${name} in the environment that the lab is started from.`
          : `If the task may see it, add it to sandbox.hostEnv, e.g. -o 'sandbox.hostEnv=[${name}]'.`,
      });
    });
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]));
}
