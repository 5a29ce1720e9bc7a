// The text of one message in a turn: as much of it as a reader wants, and the place in it that was found.
import { type ReactNode, useState } from 'react';
import type { FindHit } from '../../../main/contract/schema/find.ts';
import type { NodeRow } from '../../../main/contract/schema/rollout.ts';
import { Button } from '../../ui/button.tsx';
import { plural, visible } from '../../ui/format.ts';
import { ChevronDownIcon, ChevronRightIcon, TerminalIcon, UserIcon } from '../../ui/icons.ts';
import { findPlace, useFocused, useHit, useOpen } from './openness.ts';
import { WholeMessage } from './whole-message.tsx';

/** Most that is laid out in a turn; more is read in a view of its own. */
const WHOLE = { lines: 400, characters: 60_000 };
/** What one line may add to a message that shows a few: a screen, not a book. */
const SHORT_CHARACTERS = 4_000;

export function Section({
  icon,
  title,
  place,
  initial,
  sought,
  facts,
  children,
}: {
  icon: ReactNode;
  title: string;
  place: string;
  initial: boolean;
  sought?: boolean;
  facts?: ReactNode;
  children: ReactNode;
}) {
  const focused = useFocused();
  const [open, toggle] = useOpen(place, initial, sought || focused);
  return (
    <section className="part">
      <div className="part-head">
        <button type="button" className="part-toggle" aria-expanded={open} onClick={toggle}>
          {open ? <ChevronDownIcon size={14} aria-hidden /> : <ChevronRightIcon size={14} aria-hidden />}
          {icon}
          {title}
        </button>
        {facts}
      </div>
      {open && children}
    </section>
  );
}

export function Message({ node, title, lines, terminal = false }: { node: NodeRow; title: string; lines: number; terminal?: boolean }) {
  const focused = useFocused();
  const [whole, toggleWhole] = useOpen(`${node.id}/whole`, false, focused);
  const [reading, setReading] = useState(false);
  const hit = useHit(node.id);
  const all = visible(node.content).split('\n');
  const text = all
    .slice(0, whole ? WHOLE.lines : lines)
    .join('\n')
    .slice(0, whole ? WHOLE.characters : SHORT_CHARACTERS);
  const more = text.length < node.content.length;
  const icon = terminal ? <TerminalIcon size={14} aria-hidden /> : <UserIcon size={14} aria-hidden />;
  const most = all.length > WHOLE.lines ? `Show ${WHOLE.lines} lines` : `Show all ${plural(all.length, 'line')}`;
  return (
    <Section
      icon={icon}
      title={title}
      place={`${node.id}/open`}
      initial
      sought={hit !== null}
      facts={<span className="faint figures">{plural(all.length, 'line')}</span>}
    >
      <pre className={terminal ? 'observation' : 'message'}>
        <bdi data-find={findPlace(node.id, 'content')}>{text}</bdi>
      </pre>
      <Excerpt hit={hit} place="content" shown={text.length} />
      {(more || (whole && !focused)) && (
        <span className="row">
          {!focused && (
            <Button kind="ghost" onClick={toggleWhole}>
              {whole ? 'Show less' : most}
            </Button>
          )}
          <Button kind="ghost" onClick={() => setReading(true)}>
            Open…
          </Button>
        </span>
      )}
      {reading && <WholeMessage nodeId={node.id} title={`${title}, turn ${node.turn + 1}`} onClose={() => setReading(false)} />}
    </Section>
  );
}

/** What was found further down than a text is shown. */
export function Excerpt({ hit, place, shown }: { hit: FindHit | null; place: FindHit['place']; shown: number }) {
  if (!hit || hit.place !== place || hit.offset + hit.match.length <= shown) return null;
  return (
    <pre className="excerpt" data-find-excerpt>
      <span className="excerpt-line figures">Line {(hit.line + 1).toLocaleString('en-US')}</span>
      <bdi>
        {visible(hit.before)}
        <mark>{visible(hit.match)}</mark>
        {visible(hit.after)}
      </bdi>
    </pre>
  );
}
