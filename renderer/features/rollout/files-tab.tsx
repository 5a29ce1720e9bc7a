// Which files the agent added, modified and deleted, and whether tests are among them.
import { useEffect, useState } from 'react';
import type { ErrorData } from '../../../main/contract/errors.ts';
import type { FileChange, RolloutRow } from '../../../main/contract/schema/rollout.ts';
import { type LabClient, labError } from '../../client/index.ts';
import { useLab } from '../../data/lab.tsx';
import { count, plural, visible } from '../../ui/format.ts';
import { FileIcon, WarnIcon } from '../../ui/icons.ts';
import { Empty, ErrorNotice, Loading } from '../../ui/notice.tsx';
import { Scroll } from '../../ui/page.tsx';

type Changes = Awaited<ReturnType<LabClient['rollouts']['files']>>;

const words: Record<FileChange['kind'], { word: string; tone: 'good' | 'warn' | 'bad' }> = {
  A: { word: 'Added', tone: 'good' },
  M: { word: 'Modified', tone: 'warn' },
  D: { word: 'Deleted', tone: 'bad' },
};

/** Lines that are laid out; a list that is longer is told to be. */
const SHOWN = 1000;

export function FilesTab({ rollout }: { rollout: RolloutRow }) {
  const { client } = useLab();
  const [changes, setChanges] = useState<Changes | null>(null);
  const [error, setError] = useState<ErrorData | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is made when the status changes.
  useEffect(() => {
    const leaving = new AbortController();
    client.rollouts.files({ rolloutId: rollout.id }, { signal: leaving.signal }).then(
      (found) => {
        setChanges(found);
        setError(null);
      },
      (thrown: unknown) => setError(labError(thrown)),
    );
    return () => leaving.abort();
  }, [client, rollout.id, rollout.status]);

  if (!changes) return error ? <ErrorNotice error={error} /> : <Loading what="the files" />;
  if (!changes.recorded) {
    const before =
      rollout.endedAt === null
        ? 'They are listed when the agent has ended.'
        : 'It was stopped before they were listed, was imported, or its run keeps no lists (sandbox.changes).';
    return <Empty icon={FileIcon} title="No list of files" words={changes.problem ?? before} />;
  }
  if (changes.total === 0)
    return <Empty icon={FileIcon} title="Nothing changed" words="The agent left every file as the task's image has it." />;
  const touched = changes.changes.filter(({ tests }) => tests);
  const many = (kind: FileChange['kind']) => changes.changes.filter((change) => change.kind === kind).length;
  return (
    <Scroll label="Files" className="stack">
      {touched.length > 0 && (
        <p className="sign files-warning" data-tone="odd">
          <WarnIcon size={16} aria-hidden />
          {plural(touched.length, 'changed file belongs', 'changed files belong')} to tests.
        </p>
      )}
      <p className="soft figures">
        {(['A', 'M', 'D'] as const)
          .filter((kind) => many(kind) > 0)
          .map((kind) => `${count(many(kind))} ${words[kind].word.toLowerCase()}`)
          .join(' · ')}
        {changes.noise > 0 && <span className="faint"> · {count(changes.noise)} of caches, logs and temporary files left out</span>}
      </p>
      <ul className="tests" aria-label="Changed files">
        {changes.changes.slice(0, SHOWN).map((change) => (
          <ChangeLine key={change.path} change={change} />
        ))}
      </ul>
      {changes.total > SHOWN && (
        <p className="faint figures">
          The first {count(Math.min(SHOWN, changes.changes.length))} of {count(changes.total)}.
        </p>
      )}
    </Scroll>
  );
}

function ChangeLine({ change: { path, kind, tests } }: { change: FileChange }) {
  const { word, tone } = words[kind];
  return (
    <li className="test">
      <span className="sign change-kind" data-tone={tone} title={word}>
        <abbr aria-label={word}>{kind}</abbr>
      </span>
      <span className="mono cut grow" title={path}>
        <bdi>{visible(path)}</bdi>
      </span>
      {tests && (
        <span className="sign" data-tone="odd">
          <WarnIcon size={14} aria-hidden />
          tests
        </span>
      )}
    </li>
  );
}
