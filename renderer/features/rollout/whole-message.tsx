// One message in full, however long: lists carry long messages cut, so it is read anew.
import { useEffect, useState } from 'react';
import type { ErrorData } from '../../../main/contract/errors.ts';
import { labError } from '../../client/index.ts';
import { useLab } from '../../data/lab.tsx';
import { InlineError, Loading } from '../../ui/notice.tsx';
import { Dialog } from '../../ui/overlay.tsx';
import { TextView } from '../../ui/text-view.tsx';

export function WholeMessage({ nodeId, title, onClose }: { nodeId: string; title: string; onClose: () => void }) {
  const { client } = useLab();
  const [state, setState] = useState<{ text: string | null; error: ErrorData | null }>({ text: null, error: null });
  useEffect(() => {
    const leaving = new AbortController();
    client.rollouts.node({ nodeId }, { signal: leaving.signal }).then(
      (node) => setState({ text: node.content, error: null }),
      (thrown: unknown) => setState({ text: null, error: labError(thrown) }),
    );
    return () => leaving.abort();
  }, [client, nodeId]);
  return (
    <Dialog open onClose={onClose} title={title} width={960}>
      <div className="whole-message">
        {state.error && <InlineError error={state.error} />}
        {state.text === null ? !state.error && <Loading what="the message" /> : <TextView text={state.text} label={title} />}
      </div>
    </Dialog>
  );
}
