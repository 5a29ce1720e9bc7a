// What the lab's reader of tasks says of a task.toml while it is typed.
import { useEffect, useRef, useState } from 'react';
import type { LabClient } from '../../../client/index.ts';

type Examined = Awaited<ReturnType<LabClient['files']['examine']>>;

/** Pause in typing after which the text is examined, in ms. */
const AFTER_MS = 200;

/** Null until the first answer; then the latest one, also while a newer text is being examined. */
export function useExamined(client: LabClient, taskId: string, text: string | null): Examined | null {
  const [examined, setExamined] = useState<Examined | null>(null);
  const asked = useRef(false);
  useEffect(() => {
    if (text === null) return;
    const leaving = new AbortController();
    const timer = setTimeout(
      () => {
        client.files.examine({ taskId, text }, { signal: leaving.signal }).then(setExamined, () => {
          // The next key asks again; the connection says itself when it is gone.
        });
      },
      asked.current ? AFTER_MS : 0,
    );
    asked.current = true;
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [client, taskId, text]);
  return examined;
}
