// What stands before a screen while there is no lab to show: connecting for the first time, not let in, or not a lab at all.
import { type ReactNode, useRef } from 'react';
import type { Connection, ConnectionState } from '../client/index.ts';
import { Button } from '../ui/button.tsx';
import { DisconnectedIcon, RetryIcon } from '../ui/icons.ts';
import { Empty, ErrorNotice, Loading } from '../ui/notice.tsx';

/** Once connected, screens stay up through a lost connection, with a banner: what was read is still worth reading. */
export function ConnectionGate({ connection, state, children }: { connection: Connection; state: ConnectionState; children: ReactNode }) {
  const wasConnected = useRef(false);
  if (state.kind === 'connected') wasConnected.current = true;
  switch (state.kind) {
    case 'connected':
      return children;
    case 'connecting':
      return wasConnected.current ? children : <Loading what="the lab" />;
    case 'degraded':
      return (
        <>
          <Banner words="The lab is slow to answer. What you see may be old." connection={connection} />
          {children}
        </>
      );
    case 'reconnecting':
      if (!wasConnected.current) {
        return (
          <Empty icon={DisconnectedIcon} title="The lab does not answer" words={`${state.reason} Trying again by itself.`}>
            <Button icon={RetryIcon} onClick={() => connection.retry()}>
              Try now
            </Button>
          </Empty>
        );
      }
      return (
        <>
          <Banner
            words="The connection to the lab is lost. Runs go on without this window; it connects again by itself."
            connection={connection}
          />
          {children}
        </>
      );
    case 'unauthorized':
      return (
        <ErrorNotice
          error={{
            code: 'server.unauthorized',
            message: 'The lab lets in only browsers that came with a link of its own.',
            hint: 'Run “termarium serve” (or look at its output) for a new link, and open that.',
            retryable: true,
          }}
          retry={() => connection.retry()}
        />
      );
    case 'failed':
      return <ErrorNotice error={state.error} retry={() => connection.retry()} />;
  }
}

function Banner({ words, connection }: { words: string; connection: Connection }) {
  return (
    <div className="gate-banner" role="status">
      <DisconnectedIcon size={14} aria-hidden />
      <span className="grow">{words}</span>
      <Button onClick={() => connection.retry()}>Try now</Button>
    </div>
  );
}
