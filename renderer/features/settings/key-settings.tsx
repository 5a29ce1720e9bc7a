// Other keys for actions: what each has now, a way to press new ones, and what they would clash with.
import { type KeyboardEvent, useRef, useState } from 'react';
import { Button, IconButton, Keys } from '../../ui/button.tsx';
import { RetryIcon, WarnIcon } from '../../ui/icons.ts';
import { chordOf } from '../../ui/keys.ts';
import { conflictsOf, rebind, resetKeys, useRebinding } from '../../ui/rebinding.ts';

/** How long a second key may follow a first one, in ms. */
const SECOND_KEY_MS = 900;

export function KeySettings() {
  const rebinding = useRebinding();
  const sections = Map.groupBy(Object.entries(rebinding.met), ([, { section }]) => section);
  const changed = Object.keys(rebinding.keys).length;
  return (
    <section className="card stack" aria-label="Keys">
      <header className="row">
        <h2 className="grow">Keys</h2>
        {changed > 0 && <Button onClick={() => resetKeys()}>Reset all {changed}</Button>}
      </header>
      <p className="faint">
        Press a button, then the new keys; Backspace takes them away, Escape leaves them. Actions are listed once their screen was open.
      </p>
      {[...sections].map(([section, actions]) => (
        <div key={section}>
          <h3 className="key-settings-section">{section}</h3>
          {actions.map(([id, { title, keys }]) => (
            <KeySetting key={id} id={id} title={title} own={keys} />
          ))}
        </div>
      ))}
    </section>
  );
}

function KeySetting({ id, title, own }: { id: string; title: string; own: readonly string[] }) {
  const rebinding = useRebinding();
  const chosen = rebinding.keys[id];
  const chords = chosen === undefined ? own : chosen === '' ? [] : [chosen];
  const clashes = chords.flatMap((chord) => conflictsOf(rebinding, id, chord));
  return (
    <div className="key-setting">
      <span className="grow">{title}</span>
      {chosen !== undefined && clashes.length > 0 && (
        <span className="sign" data-tone="warn">
          <WarnIcon size={14} aria-hidden />
          also {clashes.map((other) => rebinding.met[other]?.title ?? other).join(', ')}
        </span>
      )}
      {chosen !== undefined && <IconButton icon={RetryIcon} label={`Reset the keys of ${title}`} onClick={() => resetKeys(id)} />}
      <Recorder title={title} chords={chords} onChord={(chord) => rebind(id, chord)} />
    </div>
  );
}

function Recorder({ title, chords, onChord }: { title: string; chords: readonly string[]; onChord: (chord: string) => void }) {
  const [listening, setListening] = useState(false);
  const first = useRef<{ chord: string; timer: ReturnType<typeof setTimeout> } | null>(null);
  const finish = (chord: string | null) => {
    if (first.current) clearTimeout(first.current.timer);
    first.current = null;
    setListening(false);
    if (chord !== null) onChord(chord);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!listening || event.key === 'Tab') return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Escape') return finish(null);
    if (event.key === 'Backspace') return finish('');
    const chord = chordOf(event);
    if (chord === null) return;
    if (first.current) return finish(`${first.current.chord} ${chord}`);
    // Only plain keys begin a sequence: Ctrl+K is meant as it is.
    if (chord.length > 1) return finish(chord);
    first.current = { chord, timer: setTimeout(() => finish(chord), SECOND_KEY_MS) };
  };
  return (
    <button
      type="button"
      className="button button-plain key-recorder"
      data-keys={listening ? 'capture' : undefined}
      onClick={() => setListening(true)}
      onBlur={() => finish(null)}
      onKeyDown={onKeyDown}
    >
      <span className="unseen">{listening ? `New keys of ${title}: ` : `Change the keys of ${title}: `}</span>
      {listening && 'Press keys…'}
      {!listening && chords.map((chord) => <Keys key={chord} chord={chord} />)}
      {!listening && chords.length === 0 && <span className="faint">none</span>}
    </button>
  );
}
