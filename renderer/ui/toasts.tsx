// Short messages at the corner: what a command that failed says, with Retry where that helps.
import { Toast } from '@base-ui/react/toast';
import type { ErrorData } from '../../main/contract/errors.ts';
import { labError } from '../client/index.ts';
import { IconButton } from './button.tsx';
import { errorCopy } from './error-copy.ts';
import { CloseIcon, FailIcon, PassIcon } from './icons.ts';
import './toasts.css';

const manager = Toast.createToastManager();

/** Says that something is done. */
export function tell(title: string, description?: string): void {
  manager.add({ title, description, type: 'good', timeout: 4000 });
}

/** Says that something is done which can be undone, for as long as the message stays. */
export function tellUndo(title: string, undo: () => void): void {
  manager.add({ title, type: 'good', timeout: 12_000, actionProps: { children: 'Undo', onClick: undo } });
}

/** Says that something failed, and offers to try again where that may help. */
function tellFailure(doing: string, error: ErrorData, retry?: () => void): void {
  manager.add({
    title: doing,
    description: `${error.message} ${error.hint ?? errorCopy[error.code].hint}`,
    type: 'bad',
    priority: 'high',
    timeout: 12_000,
    ...(retry ? { actionProps: { children: 'Retry', onClick: retry } } : {}),
  });
}

/**
 * Gives a command to the lab. A failure is told with `doing` ("The run could not be paused") and answers null; nothing is told of a call
 * that was aborted.
 */
export async function command<Answer>(
  doing: string,
  call: () => Promise<Answer>,
  onDone?: (answer: Answer) => void,
): Promise<Answer | null> {
  try {
    const answer = await call();
    onDone?.(answer);
    return answer;
  } catch (error) {
    const told = labError(error);
    if (told) tellFailure(doing, told, told.retryable ? () => void command(doing, call, onDone) : undefined);
    return null;
  }
}

/** Where the messages appear. Once per page. */
export function Toasts() {
  return (
    <Toast.Provider toastManager={manager} limit={4}>
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => {
    const bad = toast.type === 'bad';
    const Icon = bad ? FailIcon : PassIcon;
    return (
      <Toast.Root key={toast.id} toast={toast} className="toast" data-tone={bad ? 'bad' : 'good'}>
        <Toast.Content className="toast-content">
          <Icon size={16} className="toast-icon" aria-hidden />
          <div className="grow">
            <Toast.Title className="toast-title" />
            <Toast.Description className="soft" />
            {toast.actionProps && <Toast.Action className="button toast-action" />}
          </div>
          <Toast.Close render={<IconButton icon={CloseIcon} label="Dismiss" />} />
        </Toast.Content>
      </Toast.Root>
    );
  });
}
