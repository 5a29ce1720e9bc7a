// Asks for the number of a turn.
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Field, NumberInput } from '../../ui/fields.tsx';
import { Dialog } from '../../ui/overlay.tsx';

export function GotoTurn({ last, onGo, onClose }: { last: number; onGo: (number: number) => void; onClose: () => void }) {
  const [wanted, setWanted] = useState<number | null>(null);
  const wrong = wanted !== null && !(Number.isInteger(wanted) && wanted >= 1 && wanted <= last);
  return (
    <Dialog open onClose={onClose} title="Go to turn" width={320}>
      <form
        className="goto"
        onSubmit={(event) => {
          event.preventDefault();
          if (wanted === null || wrong) return;
          onClose();
          onGo(wanted);
        }}
      >
        <Field label="Turn" hint={`1 to ${last}`} error={wrong ? `There are turns 1 to ${last}.` : undefined}>
          <NumberInput value={wanted} onChange={setWanted} />
        </Field>
        <Button kind="primary" type="submit" disabled={wanted === null || wrong}>
          Go
        </Button>
      </form>
    </Dialog>
  );
}
