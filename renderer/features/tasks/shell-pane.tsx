// A live container of the task beside its files: opened on request, closed with the pane, the task or the page.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ErrorData } from '../../../main/contract/errors.ts';
import { labError } from '../../client/index.ts';
import { useLab } from '../../data/lab.tsx';
import { Button, IconButton, Keys } from '../../ui/button.tsx';
import { CloseIcon, RetryIcon, TerminalIcon } from '../../ui/icons.ts';
import { LEAVE_TERMINAL } from '../../ui/keys.ts';
import { ErrorNotice, Loading } from '../../ui/notice.tsx';
import { TerminalView } from '../../ui/terminal/terminal.tsx';
import { createTypist } from '../rollout/typist.ts';

const SIZE = { cols: 80, rows: 24 };

export function ShellPane({ taskId, onClose }: { taskId: string; onClose: () => void }) {
  const { client } = useLab();
  const [round, setRound] = useState(0);
  const [state, setState] = useState<{ shellId: string | null; error: ErrorData | null; ended: boolean }>({
    shellId: null,
    error: null,
    ended: false,
  });
  const size = useRef(SIZE);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round is a shell of its own.
  useEffect(() => {
    const leaving = new AbortController();
    setState({ shellId: null, error: null, ended: false });
    const opening = client.shells.open({ taskId, ...size.current });
    opening.then(
      ({ shellId }) => {
        if (!leaving.signal.aborted) setState({ shellId, error: null, ended: false });
      },
      (thrown: unknown) => setState({ shellId: null, error: labError(thrown), ended: true }),
    );
    return () => {
      leaving.abort();
      // A page that goes away without this is noticed by the lab, which closes a shell that nobody watches.
      opening.then(({ shellId }) => client.shells.close({ shellId })).catch(() => {});
    };
  }, [client, taskId, round]);

  const { shellId } = state;
  return (
    <section className="shell-pane" aria-label="Shell in this task">
      <header className="file-head">
        <TerminalIcon size={14} aria-hidden />
        <span className="cut">Shell in a fresh container</span>
        <span className="faint cut grow" role="status">
          {state.ended ? (
            'ended'
          ) : (
            <span className="keys-hint">
              <Keys chord={LEAVE_TERMINAL} /> leaves it
            </span>
          )}
        </span>
        <Button icon={RetryIcon} onClick={() => setRound(round + 1)}>
          Fresh one
        </Button>
        <IconButton icon={CloseIcon} label="Close the shell" onClick={onClose} />
      </header>
      {state.error ? (
        <ErrorNotice error={state.error} retry={() => setRound(round + 1)} />
      ) : shellId === null ? (
        <Loading what="the shell" />
      ) : (
        <ShellTerminal
          key={shellId}
          shellId={shellId}
          onEnd={() => setState((before) => ({ ...before, ended: true }))}
          onSize={(cols, rows) => {
            size.current = { cols, rows };
          }}
        />
      )}
    </section>
  );
}

function ShellTerminal({ shellId, onEnd, onSize }: { shellId: string; onEnd: () => void; onSize: (cols: number, rows: number) => void }) {
  const { client } = useLab();
  // Keys and sizes that come too late for a shell that has ended are nobody's loss.
  const [typist] = useState(() => createTypist((data) => client.shells.type({ shellId, data }).catch(() => {})));
  const read = useCallback(
    ({ cursor }: { cursor: number }, call: { signal: AbortSignal }) => client.shells.watch({ shellId, cursor }, call),
    [client, shellId],
  );
  const resize = (cols: number, rows: number) => {
    onSize(cols, rows);
    client.shells.resize({ shellId, cols, rows }).catch(() => {});
  };
  return <TerminalView rolloutId={shellId} read={read} {...SIZE} fit="readable" onType={typist} onResize={resize} onExit={onEnd} />;
}
