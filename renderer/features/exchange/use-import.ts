// Follows an import that the backend does: it goes on whether anybody looks or not.
import { useEffect, useState } from 'react';
import type { ErrorData } from '../../../main/contract/errors.ts';
import { type LabClient, labError } from '../../client/index.ts';
import { useLab } from '../../data/lab.tsx';

export type Import = Awaited<ReturnType<LabClient['exchange']['watchImport']>>;

/** The import as it stands, null until the first answer; `error` where the lab does not know it any more or cannot be asked. */
export function useImport(importId: string | null): { state: Import | null; error: ErrorData | null } {
  const { client } = useLab();
  const [seen, setSeen] = useState<{ importId: string; state: Import | null; error: ErrorData | null } | null>(null);
  useEffect(() => {
    if (importId === null) return;
    const stop = new AbortController();
    follow(client, importId, stop.signal, (state) => setSeen({ importId, state, error: null })).catch((thrown: unknown) => {
      const error = stop.signal.aborted ? null : labError(thrown);
      if (error) setSeen({ importId, state: null, error });
    });
    return () => stop.abort();
  }, [client, importId]);
  return seen !== null && seen.importId === importId ? seen : { state: null, error: null };
}

async function follow(client: LabClient, importId: string, signal: AbortSignal, show: (state: Import) => void): Promise<void> {
  for (let after: number | undefined; ; ) {
    const state = await client.exchange.watchImport({ importId, ...(after === undefined ? {} : { after }) }, { signal });
    show(state);
    if (state.state !== 'running') return;
    after = state.cursor;
  }
}
