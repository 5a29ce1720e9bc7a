// One task with its files, read once and again whenever `version` changes.
import { useEffect, useState } from 'react';
import type { ErrorData } from '../../../main/contract/errors.ts';
import { type LabClient, labError } from '../../client/index.ts';
import { useLab } from '../../data/lab.tsx';

export type TaskDetail = Awaited<ReturnType<LabClient['tasks']['get']>>;

export function useTask(taskId: string, version: string): { task: TaskDetail | null; error: ErrorData | null } {
  const { client } = useLab();
  const [state, setState] = useState<{ task: TaskDetail | null; error: ErrorData | null }>({ task: null, error: null });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `version` says that there is something new to read.
  useEffect(() => {
    const leaving = new AbortController();
    client.tasks.get({ taskId }, { signal: leaving.signal }).then(
      (task) => setState({ task, error: null }),
      (thrown: unknown) => {
        const error = labError(thrown);
        if (error && !leaving.signal.aborted) setState({ task: null, error });
      },
    );
    return () => leaving.abort();
  }, [client, taskId, version]);
  return state.task && state.task.id !== taskId ? { task: null, error: state.error } : state;
}
