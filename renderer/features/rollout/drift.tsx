// Whether an answer's text is encoded to the tokens that were sampled: what a trainer that gets the text would train on.
import { useEffect, useState } from 'react';
import type { ErrorData } from '../../../main/contract/errors.ts';
import type { Drift } from '../../../main/contract/schema/tokens.ts';
import { labError } from '../../client/index.ts';
import { useLab } from '../../data/lab.tsx';
import { count, plural } from '../../ui/format.ts';
import { PassIcon, UnknownIcon, WarnIcon } from '../../ui/icons.ts';
import { InlineError } from '../../ui/notice.tsx';
import { type Sign, StatusSign } from '../../ui/status.tsx';

const signs: Record<Drift['state'], Sign> = {
  same: { icon: PassIcon, word: 'Same when re-encoded', tone: 'good', meaning: 'Its text is encoded to the tokens that were sampled.' },
  differs: {
    icon: WarnIcon,
    word: 'Differs when re-encoded',
    tone: 'warn',
    meaning: 'Its text is encoded to other tokens than were sampled: train on the recorded ids, not on the text.',
  },
  unknown: { icon: UnknownIcon, word: 'Not re-encoded', tone: 'calm', meaning: 'It cannot be told what its text is encoded to.' },
};

export function DriftNote({ nodeId }: { nodeId: string }) {
  const { client } = useLab();
  const [drift, setDrift] = useState<Drift | null>(null);
  const [error, setError] = useState<ErrorData | null>(null);
  useEffect(() => {
    const leaving = new AbortController();
    client.tokens.drift({ nodeId }, { signal: leaving.signal }).then(setDrift, (thrown: unknown) => {
      if (!leaving.signal.aborted) setError(labError(thrown));
    });
    return () => leaving.abort();
  }, [client, nodeId]);
  if (error) return <InlineError error={error} />;
  if (!drift) return null;
  return (
    <div className="drift" role="status" aria-label="Re-encoded">
      <StatusSign sign={signs[drift.state]} soft />
      <DriftWords drift={drift} />
    </div>
  );
}

function DriftWords({ drift }: { drift: Drift }) {
  switch (drift.state) {
    case 'same':
      return <span className="soft">{plural(drift.tokens, 'token')}</span>;
    case 'unknown':
      return <span className="soft">{drift.reason}</span>;
    case 'differs': {
      const { parting, sampled, encoded, tokens } = drift;
      return (
        <span className="soft">
          From token {count(parting.at + 1)} of {count(tokens)} on, {plural(sampled, 'token')} became {count(encoded)}, after{' '}
          <code className="mono">{JSON.stringify(parting.before.slice(-40))}</code>
        </span>
      );
    }
  }
}
