// The check of a task: started here or elsewhere, its log followed while it lasts.
import { useCallback, useEffect, useState } from 'react';
import { watchLoop } from '../../client/index.ts';
import { useLab } from '../../data/lab.tsx';
import { command, tell } from '../../ui/toasts.tsx';

/** Text kept of a log; a longer one loses its beginning, which the lab still has. */
const KEPT = 2_000_000;

export interface Check {
  running: boolean;
  log: string;
  start: () => void;
}

export function useCheck(task: { id: string; name: string }): Check {
  const { client } = useLab();
  const [round, setRound] = useState(0);
  const [running, setRunning] = useState(false);
  const [log, setLog] = useState('');
  const { id, name } = task;

  // biome-ignore lint/correctness/useExhaustiveDependencies: each round has a log of its own.
  useEffect(() => {
    const leaving = new AbortController();
    let after = 0;
    setLog('');
    void watchLoop(async (signal) => {
      const answer = await client.tasks.watchCheckLog({ taskId: id, after }, { signal });
      after = answer.cursor;
      if (answer.text !== '') setLog((text) => (text + answer.text).slice(-KEPT));
      return answer.ended ? 'end' : answer;
    }, leaving.signal);
    return () => leaving.abort();
  }, [client, id, round]);

  const start = useCallback(() => {
    setRunning(true);
    const done = command(
      `${name} could not be checked`,
      () => client.tasks.check({ taskId: id }),
      ({ passed }) => tell(passed ? `${name} passes its gates` : `${name} fails a gate`),
    );
    setRound((before) => before + 1);
    void done.finally(() => setRunning(false));
  }, [client, id, name]);
  return { running, log, start };
}
