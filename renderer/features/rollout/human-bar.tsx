// What a person who plays a task has at hand: the clock, notes, and the two ways to end.
import { useState } from 'react';
import { type RolloutDetail, useLab } from '../../data/lab.tsx';
import { useActions } from '../../ui/actions.ts';
import { ActionButton, Button, Keys } from '../../ui/button.tsx';
import { clock } from '../../ui/format.ts';
import { FlagIcon, NoteIcon, PauseIcon, PlayIcon, SubmitIcon, TimerIcon } from '../../ui/icons.ts';
import { LEAVE_TERMINAL } from '../../ui/keys.ts';
import { useNow } from '../../ui/now.ts';
import { Confirm, Dialog } from '../../ui/overlay.tsx';
import { command, tell } from '../../ui/toasts.tsx';
import { type ClockMark, clockTime } from './turns.ts';

export function HumanBar({ detail }: { detail: RolloutDetail }) {
  const { rollout } = detail;
  const { client } = useLab();
  const [asking, setAsking] = useState<'submit' | 'give_up' | 'note' | null>(null);
  const [note, setNote] = useState('');
  const [mine, setMine] = useState<ClockMark[]>([]);
  const stored = clockMarks(detail.notes);
  const marks = mine.length > stored.length ? mine : stored;
  const now = useNow();
  const time = clockTime((rollout.startedAt ?? now) + (rollout.timings.startMs ?? 0), marks, now);
  const act = (action: 'submit' | 'give_up' | 'pause' | 'continue' | 'note', doing: string, done?: () => void, text?: string) =>
    void command(doing, () => client.rollouts.human({ rolloutId: rollout.id, action, ...(text === undefined ? {} : { text }) }), done);
  const toggleClock = () =>
    act(time.running ? 'pause' : 'continue', 'The clock did not obey', () =>
      setMine([...marks, { at: Date.now(), running: !time.running }]),
    );
  useActions([
    {
      id: 'human.clock',
      title: time.running ? 'Stop the clock' : 'Start the clock again',
      section: 'Human',
      icon: time.running ? PauseIcon : PlayIcon,
      run: toggleClock,
    },
    { id: 'human.note', title: 'Leave a note', section: 'Human', icon: NoteIcon, run: () => setAsking('note') },
    { id: 'human.submit', title: 'Submit for grading', section: 'Human', icon: SubmitIcon, run: () => setAsking('submit') },
    { id: 'human.give_up', title: 'Give up', section: 'Human', icon: FlagIcon, run: () => setAsking('give_up') },
  ]);
  return (
    <div className="human-bar" role="toolbar" aria-label="Playing this task">
      <span className="human-clock figures" data-stopped={!time.running || undefined} role="timer" aria-label="Time on the task">
        <TimerIcon size={14} aria-hidden />
        {clock(time.ms)}
        {!time.running && <span className="faint">stopped</span>}
      </span>
      <ActionButton action="human.clock" label={time.running ? 'Pause' : 'Continue'} />
      <ActionButton action="human.note" label="Note" />
      <span className="grow human-hint faint">
        <Keys chord={LEAVE_TERMINAL} /> leaves the terminal
      </span>
      <ActionButton action="human.give_up" label="Give up" kind="danger" />
      <ActionButton action="human.submit" label="Submit" kind="primary" />
      <Confirm
        open={asking === 'submit'}
        onClose={() => setAsking(null)}
        onConfirm={() => act('submit', 'It could not be handed in')}
        title="Hand in for grading?"
        consequence="The terminal closes, everything that still runs in the container is stopped, and the tests run on what you leave."
        verb="Submit"
      />
      <Confirm
        open={asking === 'give_up'}
        onClose={() => setAsking(null)}
        onConfirm={() => act('give_up', 'Giving up failed, of all things')}
        title="Give up this task?"
        consequence="The terminal closes. What you did is graded and kept, with the outcome “gave up”."
        verb="Give up"
      />
      <Dialog
        open={asking === 'note'}
        onClose={() => setAsking(null)}
        title="Note"
        description="Kept with the trajectory, at this turn. No model ever sees it."
      >
        <textarea className="input note-input" aria-label="Note" value={note} onChange={(event) => setNote(event.target.value)} rows={5} />
        <footer className="dialog-foot">
          <Button onClick={() => setAsking(null)}>Cancel</Button>
          <Button
            kind="primary"
            disabled={note.trim() === ''}
            onClick={() =>
              act(
                'note',
                'The note was not kept',
                () => {
                  setAsking(null);
                  setNote('');
                  tell('Note kept');
                },
                note,
              )
            }
          >
            Keep the note
          </Button>
        </footer>
      </Dialog>
    </div>
  );
}

/** The stops and starts among the notes of a rollout. The human agent writes one sentence for each. */
function clockMarks(notes: RolloutDetail['notes']): ClockMark[] {
  return notes.flatMap(({ text, at }): ClockMark[] => {
    if (/ stopped the clock/.test(text)) return [{ at, running: false }];
    return / started the clock/.test(text) ? [{ at, running: true }] : [];
  });
}
