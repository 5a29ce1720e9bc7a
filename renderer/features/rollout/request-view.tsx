// What a model was sent for a turn and what came back, word for word; and its tokens with how likely each was.
import { useEffect, useMemo, useState } from 'react';
import type { ErrorData } from '../../../main/contract/errors.ts';
import { type LabClient, labError } from '../../client/index.ts';
import { useLab } from '../../data/lab.tsx';
import { Button } from '../../ui/button.tsx';
import { Segmented } from '../../ui/fields.tsx';
import { count, duration, plural } from '../../ui/format.ts';
import { CopyIcon } from '../../ui/icons.ts';
import { InlineError, Loading } from '../../ui/notice.tsx';
import { Dialog } from '../../ui/overlay.tsx';
import { Facts, Scroll } from '../../ui/page.tsx';
import { TextView } from '../../ui/text-view.tsx';
import { command, tell } from '../../ui/toasts.tsx';
import { DriftNote } from './drift.tsx';
import { TokenStrip } from './token-strip.tsx';
import './request-view.css';

type Exchange = Awaited<ReturnType<LabClient['rollouts']['request']>>;
type Side = 'sent' | 'answer' | 'tokens';

export function RequestView({ nodeId, turn, onClose }: { nodeId: string; turn: number; onClose: () => void }) {
  const { client } = useLab();
  const [exchange, setExchange] = useState<Exchange | null>(null);
  const [error, setError] = useState<ErrorData | null>(null);
  const [side, setSide] = useState<Side>('sent');
  useEffect(() => {
    const leaving = new AbortController();
    client.rollouts.request({ nodeId }, { signal: leaving.signal }).then(setExchange, (thrown: unknown) => setError(labError(thrown)));
    return () => leaving.abort();
  }, [client, nodeId]);
  const strip = exchange?.answer.logprobs && exchange.answer.tokens;
  return (
    <Dialog open onClose={onClose} title={`Request and answer, turn ${turn + 1}`} width={1040}>
      {!exchange && (error ? <InlineError error={error} /> : <Loading what="the request" />)}
      {exchange && (
        <>
          <div className="row">
            <Segmented<Side>
              label="What to show"
              value={side}
              onChange={setSide}
              choices={[
                { value: 'sent', label: `Sent: ${plural(exchange.messages.length, 'message')}` },
                { value: 'answer', label: 'Came back' },
                ...(strip ? [{ value: 'tokens' as const, label: `${plural(strip.length, 'token')} with probabilities` }] : []),
              ]}
            />
            <span className="grow" />
            <Button icon={CopyIcon} onClick={() => copy(exchange, side)}>
              Copy as JSON
            </Button>
          </div>
          {side !== 'sent' && <DriftNote nodeId={nodeId} />}
          <div className="request-side">
            {side === 'sent' && <Sent exchange={exchange} />}
            {side === 'answer' && <CameBack exchange={exchange} />}
            {side === 'tokens' && <TokenStrip node={exchange.answer} />}
          </div>
        </>
      )}
    </Dialog>
  );
}

function Sent({ exchange: { messages } }: { exchange: Exchange }) {
  const text = useMemo(() => messages.map(({ role, content }) => `── ${role} ──\n${content}`).join('\n\n'), [messages]);
  return <TextView text={text} label="Messages that were sent" wrap />;
}

function CameBack({ exchange: { answer, retries } }: { exchange: Exchange }) {
  const { firstTokenMs, totalMs } = answer.timings;
  return (
    <Scroll label="Answer" className="stack request-answer">
      <Facts
        facts={[
          ['Ended because of', answer.stopReason ?? 'not told'],
          answer.promptTokens === null ? null : ['Prompt tokens', count(answer.promptTokens)],
          answer.completionTokens === null ? null : ['Completion tokens', count(answer.completionTokens)],
          totalMs === undefined ? null : ['Took', duration(totalMs)],
          firstTokenMs === undefined ? null : ['First token after', duration(firstTokenMs)],
          ['Tries before', retries.length === 0 ? 'none' : count(retries.length)],
        ]}
      />
      {retries.length > 0 && (
        <ol className="problems">
          {retries.map((retry) => (
            <li key={retry}>{retry}</li>
          ))}
        </ol>
      )}
      {answer.reasoning && (
        <section className="request-text">
          <h3>Reasoning</h3>
          <TextView text={answer.reasoning} label="Reasoning" wrap />
        </section>
      )}
      <section className="request-text">
        <h3>Text</h3>
        <TextView text={answer.content} label="Text" wrap />
      </section>
    </Scroll>
  );
}

function copy({ messages, answer, retries }: Exchange, side: Side): void {
  const { content: text, reasoning, stopReason: finish, promptTokens, completionTokens, timings, tokens, tokenIds, logprobs } = answer;
  const value = {
    sent: { messages },
    answer: { text, reasoning, finish, promptTokens, completionTokens, timings, retries },
    tokens: { tokens, tokenIds, logprobs },
  }[side];
  void command(
    'It could not be copied',
    () => navigator.clipboard.writeText(JSON.stringify(value, null, 2)),
    () => tell('Copied'),
  );
}
