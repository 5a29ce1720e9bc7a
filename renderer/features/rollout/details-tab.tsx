// Everything else that is known of a rollout: times, identities, and the notes that are no message.
import type { RolloutDetail } from '../../data/lab.tsx';
import { count, duration, moment, visible } from '../../ui/format.ts';
import { Facts, Scroll } from '../../ui/page.tsx';

export function DetailsTab({ detail: { rollout, notes } }: { detail: RolloutDetail }) {
  const { timings } = rollout;
  const phase = (name: string, ms: number | undefined) => (ms === undefined ? null : ([name, duration(ms)] as const));
  return (
    <Scroll label="Details" className="details">
      <section>
        <h2>Times</h2>
        <Facts
          facts={[
            ['Queued', moment(rollout.queuedAt)],
            rollout.startedAt === null ? null : ['Started', moment(rollout.startedAt)],
            rollout.endedAt === null ? null : ['Ended', moment(rollout.endedAt)],
            phase('Container start', timings.startMs),
            phase('Agent', timings.agentMs),
            phase('  of it, model', timings.modelMs),
            phase('  of it, commands', timings.commandMs),
            phase('Verifier', timings.verifyMs),
          ]}
        />
      </section>
      <section>
        <h2>Tokens</h2>
        <Facts
          facts={[
            ['Prompt', count(rollout.promptTokens)],
            ['Completion', count(rollout.completionTokens)],
          ]}
        />
      </section>
      <section>
        <h2>Identity</h2>
        <Facts
          facts={[
            [
              'Rollout',
              <span key="id" className="mono">
                {rollout.id}
              </span>,
            ],
            [
              'Run',
              <span key="run" className="mono">
                {rollout.runId}
              </span>,
            ],
            [
              'Task digest',
              <span key="digest" className="mono">
                {rollout.taskDigest}
              </span>,
            ],
          ]}
        />
      </section>
      {notes.length > 0 && (
        <section>
          <h2>Notes</h2>
          <ul className="notes">
            {notes.map((note) => (
              <li key={`${note.at}/${note.text}`}>
                <span className="faint figures">
                  {new Date(note.at).toLocaleTimeString('en-GB')}
                  {note.turn !== null && ` · turn ${note.turn + 1}`}
                </span>
                <span className="note-words">{visible(note.text) || note.kind.replaceAll('_', ' ')}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Scroll>
  );
}
