// One turn: prompt ▸ response ▸ commands ▸ observation. The same for a rollout that plays and for one that ended years ago.
import { type ResponseParts, readResponse } from '../../../main/contract/schema/response.ts';
import type { CommandRow, NodeRow } from '../../../main/contract/schema/rollout.ts';
import { useFeed } from '../../data/feed.ts';
import { useLab } from '../../data/lab.tsx';
import { count, duration, keystrokes, visible } from '../../ui/format.ts';
import { AgentIcon, BusyIcon, CheckIcon, FailIcon, TimerIcon, UserIcon, WarnIcon } from '../../ui/icons.ts';
import { Excerpt, Message, Section } from './message.tsx';
import { findPlace, useHit, useOpen } from './openness.ts';
import { TurnTime } from './turn-time.tsx';
import type { Turn } from './turns.ts';
import './turn.css';

interface TurnViewProps {
  turn: Turn;
  rolloutId: string;
  current: boolean;
  /** Shows what was sent to the model for the turn. */
  onRequest: (turn: Turn) => void;
}

export function TurnView({ turn, rolloutId, current, onRequest }: TurnViewProps) {
  const { response } = turn;
  const lab = useLab();
  const ended = useFeed(lab.rollout(rolloutId), ({ value }) => typeof value?.rollout.endedAt === 'number');
  return (
    <article className="turn" data-current={current || undefined} aria-label={`Turn ${turn.number + 1}`} data-testid="turn">
      <header className="turn-head">
        <h3 className="figures">Turn {turn.number + 1}</h3>
        {response && (
          <span className="turn-facts figures">
            <TurnFacts node={response} />
            <TurnTime turn={turn} />
            {response.author === 'sampled' && (
              <button type="button" className="link" onClick={() => onRequest(turn)}>
                Request
              </button>
            )}
          </span>
        )}
      </header>
      {turn.prompt.map((node) => (
        <Message key={node.id} node={node} title={node.role === 'system' ? 'System' : 'Prompt'} lines={12} />
      ))}
      {response ? <Response node={response} /> : <Sampling rolloutId={rolloutId} />}
      {response && response.commands.length > 0 && (
        <ol className="commands" aria-label="Commands">
          {response.commands.map((command) => (
            <Command key={command.index} command={command} ended={ended} />
          ))}
        </ol>
      )}
      {turn.replies.map((node) => (
        <Message
          key={node.id}
          node={node}
          title={node.author === 'environment' ? 'Observation' : 'Feedback'}
          lines={16}
          terminal={node.author === 'environment'}
        />
      ))}
    </article>
  );
}

function TurnFacts({ node }: { node: NodeRow }) {
  const { firstTokenMs, totalMs } = node.timings;
  return (
    <>
      {node.author === 'edited' && <span className="chip">edited</span>}
      {node.promptTokens !== null && <span title="Prompt tokens">{count(node.promptTokens)} in</span>}
      {node.completionTokens !== null && <span title="Completion tokens">{count(node.completionTokens)} out</span>}
      {totalMs !== undefined && (
        <span title={firstTokenMs === undefined ? 'Time to sample' : `First token after ${duration(firstTokenMs)}`}>
          {duration(totalMs)}
        </span>
      )}
      {node.stopReason !== null && node.stopReason !== 'stop' && (
        <span data-tone="warn" className="sign">
          cut: {node.stopReason}
        </span>
      )}
    </>
  );
}

function Response({ node }: { node: NodeRow }) {
  const [wantsRaw, toggleRaw] = useOpen(`${node.id}/raw`, false);
  const hit = useHit(node.id);
  const raw = wantsRaw && !hit;
  const parts = readResponse(node.content);
  const human = node.author === 'human';
  // What a person typed is in the commands; saying it twice helps nobody.
  if (human && node.commands.length > 0) return null;
  const icon = human ? <UserIcon size={14} aria-hidden /> : <AgentIcon size={14} aria-hidden />;
  return (
    <Section
      icon={icon}
      title={human ? 'Human' : 'Response'}
      place={`${node.id}/response`}
      initial
      sought={hit !== null}
      facts={
        <span className="row">
          {node.format && !node.format.robust && (
            <span className="sign" data-tone="bad" title={node.format.problems.join('\n')}>
              <FailIcon size={14} aria-hidden />
              not parsed
            </span>
          )}
          {node.format?.robust && !node.format.strict && (
            <span
              className="sign"
              data-tone="warn"
              title={`Terminus-2's own parser would reject this.\n${node.format.problems.join('\n')}`}
            >
              <WarnIcon size={14} aria-hidden />
              lenient
            </span>
          )}
          {parts.protocol === 'json' && (
            <button type="button" className="link" onClick={toggleRaw} aria-pressed={raw}>
              {raw ? 'Read' : 'Raw'}
            </button>
          )}
        </span>
      }
    >
      {node.reasoning && <Said title="Reasoning" text={node.reasoning} find={findPlace(node.id, 'reasoning')} faint />}
      {raw || parts.protocol === 'text' ? (
        <pre className="said-raw">
          <bdi data-find={raw ? undefined : findPlace(node.id, 'content')}>{visible(node.content)}</bdi>
        </pre>
      ) : (
        <Parts parts={parts} ran={node.commands.length} nodeId={node.id} />
      )}
      <Excerpt hit={hit} place="content" shown={node.content.length} />
      {node.format && node.format.problems.length > 0 && (
        <ul className="problems">
          {node.format.problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Parts({ parts, ran, nodeId = '' }: { parts: ResponseParts; ran: number; nodeId?: string }) {
  return (
    <>
      {parts.before && <Said title="Before the JSON" text={parts.before} find={findPlace(nodeId, 'before')} faint />}
      {parts.analysis && <Said title="Analysis" text={parts.analysis} find={findPlace(nodeId, 'analysis')} />}
      {parts.plan && <Said title="Plan" text={parts.plan} find={findPlace(nodeId, 'plan')} />}
      {ran === 0 &&
        parts.keystrokes.map((keys, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: commands are known by their order.
          <pre key={place} className="keys-only">
            <bdi data-find={findPlace(nodeId, 'keys', place)}>{keystrokes(keys)}</bdi>
          </pre>
        ))}
      {parts.complete && (
        <p className="sign said-done" data-tone="odd">
          <CheckIcon size={14} aria-hidden />
          Says that the task is complete
        </p>
      )}
    </>
  );
}

function Said({ title, text, find, faint = false }: { title: string; text: string; find: string; faint?: boolean }) {
  return (
    <div className={`said ${faint ? 'faint' : ''}`}>
      <span className="said-title">{title}</span>
      <p className="said-words">
        <bdi data-find={find}>{visible(text)}</bdi>
      </p>
    </div>
  );
}

/** The answer while it is being sampled. */
function Sampling({ rolloutId }: { rolloutId: string }) {
  const lab = useLab();
  const { text } = useFeed(lab.sampling(rolloutId), (state) => state);
  const parts = readResponse(text);
  return (
    <section className="part" aria-label="Being sampled" aria-busy>
      <div className="part-head">
        <span className="part-toggle part-live">
          <BusyIcon size={14} className="spin" aria-hidden />
          {text === '' ? 'Waiting for the answer' : 'Answering'}
        </span>
      </div>
      {parts.protocol === 'json' ? (
        <Parts parts={parts} ran={0} />
      ) : (
        text !== '' && (
          <pre className="said-raw">
            <bdi>{visible(text)}</bdi>
          </pre>
        )
      )}
    </section>
  );
}

const settledWords: Record<NonNullable<CommandRow['settled']>, { word: string; meaning: string }> = {
  idle: { word: 'prompt', meaning: 'The shell was back at its prompt.' },
  elapsed: { word: 'time over', meaning: 'The time that the agent asked for was over; the command may still run.' },
  exited: { word: 'shell ended', meaning: 'The shell itself ended.' },
  interrupted: { word: 'interrupted', meaning: 'The wait was cut short.' },
};

/** `ended`: its rollout has ended, so that nothing runs, whatever a record leaves open. */
function Command({ command, ended }: { command: CommandRow; ended: boolean }) {
  const shown = keystrokes(command.keystrokes);
  const settled = command.settled === null ? null : settledWords[command.settled];
  return (
    <li className="command">
      <pre className="command-keys">
        {shown === '' ? (
          <em className="faint">waits</em>
        ) : (
          <bdi data-find={findPlace(command.nodeId, 'command', command.index)}>{shown}</bdi>
        )}
      </pre>
      <span className="command-facts figures">
        <span title={`Asked to wait ${command.duration} s`}>
          {command.endedAt !== null ? (
            duration(command.endedAt - command.startedAt)
          ) : ended ? (
            <span className="faint">not timed</span>
          ) : (
            <span className="sign" data-tone="busy">
              <BusyIcon size={14} className="spin" aria-hidden />
              running
            </span>
          )}
        </span>
        {settled && (
          <span className="command-settled" title={settled.meaning}>
            {command.settled === 'elapsed' && <TimerIcon size={12} aria-hidden />}
            {settled.word}
          </span>
        )}
        {command.exitCode !== null && (
          <span className="exit" data-tone={command.exitCode === 0 ? 'good' : 'bad'} title={`Exit code ${command.exitCode}`}>
            {command.exitCode === 0 ? <CheckIcon size={12} aria-hidden /> : <FailIcon size={12} aria-hidden />}
            exit {command.exitCode}
          </span>
        )}
      </span>
    </li>
  );
}
