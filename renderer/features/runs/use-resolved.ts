// What the lab makes of a configuration that is still being typed.
import { useEffect, useState } from 'react';
import type { ErrorData } from '../../../main/contract/errors.ts';
import type { RunConfig } from '../../../main/contract/schema/config.ts';
import type { ConfigIssue } from '../../../main/contract/schema/task.ts';
import { labError } from '../../client/index.ts';
import { useLab } from '../../data/lab.tsx';
import { type Draft, takeDraft } from './launch-draft.ts';

export interface Resolved {
  config: RunConfig | null;
  tasks: string[];
  rollouts: number;
  issues: ConfigIssue[];
}

/** How long the form must rest before the lab is asked, in ms. */
const REST_MS = 200;

/** What the lab makes of the draft, or of the source where that is edited. The last answer stays while the next is on its way. */
export function useResolved(draft: Draft, source: string | null): { resolved: Resolved | null; error: ErrorData | null; pending: boolean } {
  const { client } = useLab();
  const wanted = source ?? draft;
  const [state, setState] = useState<{ resolved: Resolved | null; error: ErrorData | null; of: Draft | string | null }>({
    resolved: null,
    error: null,
    of: null,
  });
  useEffect(() => {
    if (typeof wanted !== 'string' && wanted.tasks.length === 0) {
      setState({ resolved: null, error: null, of: wanted });
      return;
    }
    const replaced = new AbortController();
    const timer = setTimeout(() => {
      const asked = typeof wanted === 'string' ? { text: wanted } : { config: wanted };
      client.runs.resolve(asked, { signal: replaced.signal }).then(
        (resolved) => {
          if (replaced.signal.aborted) return;
          setState({ resolved, error: null, of: wanted });
          if (typeof wanted === 'string' && resolved.config) takeDraft(resolved.config);
        },
        (thrown: unknown) => {
          const error = labError(thrown);
          if (error && !replaced.signal.aborted) setState({ resolved: null, error, of: wanted });
        },
      );
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      replaced.abort();
    };
  }, [client, wanted]);
  return { resolved: state.resolved, error: state.error, pending: state.of !== wanted };
}
