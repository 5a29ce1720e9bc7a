// Asks for one name and stays open, with what was typed, until the lab has taken it.
import { type ReactNode, useEffect, useState } from 'react';
import type { ErrorData } from '../../../main/contract/errors.ts';
import { labError } from '../../client/index.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextInput } from '../../ui/fields.tsx';
import { InlineError } from '../../ui/notice.tsx';
import { Dialog } from '../../ui/overlay.tsx';

export function NameDialog({
  open,
  onClose,
  title,
  label,
  hint,
  verb,
  initial,
  onName,
  children,
}: {
  open: boolean;
  onClose: () => void;
  title: string;
  label: string;
  hint: ReactNode;
  verb: string;
  initial: string;
  /** Throws what keeps the name from being taken. */
  onName: (name: string) => Promise<void>;
  /** More to choose. */
  children?: ReactNode;
}) {
  const [name, setName] = useState(initial);
  const [error, setError] = useState<ErrorData | null>(null);
  const [busy, setBusy] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a name that changes while one types is no reason to lose what was typed.
  useEffect(() => {
    if (!open) return;
    setName(initial);
    setError(null);
  }, [open]);
  return (
    <Dialog open={open} onClose={onClose} title={title} width={480}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() === '' || busy) return;
          setBusy(true);
          onName(name.trim())
            .then(onClose, (thrown: unknown) => setError(labError(thrown)))
            .finally(() => setBusy(false));
        }}
      >
        <Field label={label} hint={hint}>
          <TextInput mono autoFocus value={name} onChange={setName} />
        </Field>
        {children}
        {error && <InlineError error={error} />}
        <footer className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={name.trim() === '' || busy}>
            {verb}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
