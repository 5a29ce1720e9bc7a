// What lies above the page: dialogs and menus.
import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CloseIcon } from './icons.ts';
import './overlay.css';

/** A dialog that can be left by Escape, its cross, or a click beside it. */
export function Dialog({
  open,
  onClose,
  title,
  description,
  width = 520,
  children,
}: {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  width?: number;
  children: ReactNode;
}) {
  return (
    <BaseDialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="veil" />
        <BaseDialog.Popup className="dialog" style={{ width }}>
          <BaseDialog.Title className="dialog-title">{title}</BaseDialog.Title>
          {description && <BaseDialog.Description className="dialog-words">{description}</BaseDialog.Description>}
          {children}
          {/* Last, so that the first field gets the focus; without a tooltip, which would take the first Escape for itself. */}
          <BaseDialog.Close className="icon-button dialog-close" aria-label="Close">
            <CloseIcon size={16} aria-hidden />
          </BaseDialog.Close>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

/** Asks before something that cannot be undone. `consequence` says in figures what will be gone. */
export function Confirm({
  open,
  onClose,
  onConfirm,
  title,
  consequence,
  verb,
}: {
  open: boolean;
  onClose: () => void;
  onConfirm: () => void;
  title: string;
  consequence: ReactNode;
  verb: string;
}) {
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="veil" />
        <AlertDialog.Popup className="dialog" style={{ width: 420 }}>
          <AlertDialog.Title className="dialog-title">{title}</AlertDialog.Title>
          <AlertDialog.Description className="dialog-words">{consequence}</AlertDialog.Description>
          <footer className="dialog-foot">
            <AlertDialog.Close render={<Button>Keep going</Button>} />
            <Button
              kind="danger"
              onClick={() => {
                onClose();
                onConfirm();
              }}
            >
              {verb}
            </Button>
          </footer>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
