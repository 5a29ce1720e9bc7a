// What the lab needs of this machine and whether it is there; and what it has left behind in Docker.
import { useCallback, useEffect, useState } from 'react';
import type { ErrorData } from '../../../main/contract/errors.ts';
import type { DoctorFinding } from '../../../main/contract/system.ts';
import { type LabClient, labError } from '../../client/index.ts';
import { useLab } from '../../data/lab.tsx';
import { useActions } from '../../ui/actions.ts';
import { ActionButton, Button } from '../../ui/button.tsx';
import { plural } from '../../ui/format.ts';
import { FailIcon, PassIcon, RetryIcon, WarnIcon } from '../../ui/icons.ts';
import { ErrorNotice, Loading } from '../../ui/notice.tsx';
import { Confirm } from '../../ui/overlay.tsx';
import { PageHead, Scroll } from '../../ui/page.tsx';
import { type Sign, StatusSign } from '../../ui/status.tsx';
import { command, tell } from '../../ui/toasts.tsx';
import './settings.css';

type Leftover = Awaited<ReturnType<LabClient['system']['clean']>>['found'][number];

const signs: Record<DoctorFinding['state'], Sign> = {
  ok: { icon: PassIcon, word: 'Good', tone: 'good', meaning: 'Nothing to do.' },
  warning: { icon: WarnIcon, word: 'Warning', tone: 'warn', meaning: 'Works, with a limit.' },
  problem: { icon: FailIcon, word: 'Problem', tone: 'bad', meaning: 'Must be put right.' },
};

export function Doctor() {
  const { client } = useLab();
  const [findings, setFindings] = useState<DoctorFinding[] | null>(null);
  const [leftovers, setLeftovers] = useState<Leftover[]>([]);
  const [error, setError] = useState<ErrorData | null>(null);
  const [removing, setRemoving] = useState(false);
  const look = useCallback(
    async (signal?: AbortSignal) => {
      const options = signal ? { signal } : {};
      setFindings(null);
      try {
        setFindings((await client.system.doctor({}, options)).findings);
        setError(null);
      } catch (thrown) {
        if (!signal?.aborted) setError(labError(thrown));
        return;
      }
      // Without Docker there is nothing to list, and the findings above say so.
      setLeftovers(
        await client.system.clean({ remove: false }, options).then(
          ({ found }) => found,
          () => [],
        ),
      );
    },
    [client],
  );
  useEffect(() => {
    const leaving = new AbortController();
    void look(leaving.signal);
    return () => leaving.abort();
  }, [look]);
  useActions([{ id: 'doctor.look', title: 'Look again', section: 'Doctor', icon: RetryIcon, run: () => void look() }]);
  const problems = findings?.filter((finding) => finding.state !== 'ok').length ?? 0;
  return (
    <>
      <PageHead title="Doctor">
        <ActionButton action="doctor.look" />
      </PageHead>
      {error ? (
        <ErrorNotice error={error} retry={() => void look()} />
      ) : findings === null ? (
        <Loading what="the state of this machine" />
      ) : (
        <Scroll label="Findings" className="narrow settings">
          <section className="card">
            <h2>{problems === 0 ? 'Everything the lab needs is here' : `${plural(problems, 'thing')} to look at`}</h2>
            <ul className="findings">
              {findings.map((finding) => (
                <li key={finding.id}>
                  <StatusSign sign={signs[finding.state]} />
                  <div>
                    <strong>{finding.title}</strong>
                    <p className="soft">{finding.detail}</p>
                    {finding.fix && <p className="finding-fix">{finding.fix}</p>}
                  </div>
                </li>
              ))}
            </ul>
          </section>
          <section className="card stack">
            <div className="row">
              <h2 className="grow">In Docker</h2>
              {leftovers.length > 0 && (
                <Button kind="danger" onClick={() => setRemoving(true)}>
                  Remove…
                </Button>
              )}
            </div>
            {leftovers.length === 0 ? (
              <p className="soft">No container, network or volume of this lab exists now.</p>
            ) : (
              <ul className="leftovers">
                {leftovers.map((thing) => (
                  <li key={`${thing.kind}/${thing.id}`}>
                    <span>{thing.kind}</span>
                    <span className="mono cut">{thing.name}</span>
                    <span className="soft cut">{thing.detail}</span>
                  </li>
                ))}
              </ul>
            )}
          </section>
          <Confirm
            open={removing}
            onClose={() => setRemoving(false)}
            onConfirm={() =>
              void command(
                'They could not be removed',
                () => client.system.clean({ remove: true }),
                ({ removed }) => {
                  tell(`${plural(removed, 'thing')} removed`);
                  void look();
                },
              )
            }
            title="Remove all of it?"
            consequence={`${plural(leftovers.length, 'container, network or volume', 'containers, networks and volumes')} are removed. A rollout that plays in one of them ends with an error.`}
            verb="Remove"
          />
        </Scroll>
      )}
    </>
  );
}
