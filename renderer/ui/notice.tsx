// What a panel shows instead of its content: nothing yet, still loading, or an error.
import { Component, type ErrorInfo, type ReactNode } from 'react';
import type { ErrorData } from '../../main/contract/errors.ts';
import { Button } from './button.tsx';
import { errorCopy } from './error-copy.ts';
import { BusyIcon, type Icon, RetryIcon, WarnIcon } from './icons.ts';
import './notice.css';

/** Says what will be here and performs the first action. */
export function Empty({ icon: Icon, title, words, children }: { icon: Icon; title: string; words: ReactNode; children?: ReactNode }) {
  return (
    <div className="notice">
      <span className="notice-icon">
        <Icon size={22} strokeWidth={1.6} aria-hidden />
      </span>
      <h2>{title}</h2>
      <p className="soft">{words}</p>
      {children && <div className="row wrap notice-acts">{children}</div>}
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <div className="notice notice-late" role="status">
      <BusyIcon size={18} className="spin faint" aria-hidden />
      <p className="faint">Reading {what}…</p>
    </div>
  );
}

/** An error of the lab in full: what kind, what failed, what to do, where. */
export function ErrorNotice({ error, retry }: { error: ErrorData; retry?: () => void }) {
  return (
    <div className="notice" role="alert">
      <span className="notice-icon notice-bad">
        <WarnIcon size={22} strokeWidth={1.6} aria-hidden />
      </span>
      <h2>{errorCopy[error.code].title}</h2>
      <ErrorWords error={error} />
      {retry && (
        <Button icon={RetryIcon} onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** The same in a line or two, inside something else. */
export function InlineError({ error }: { error: ErrorData }) {
  return (
    <div className="inline-error" role="alert">
      <WarnIcon size={16} aria-hidden />
      <div className="grow">
        <strong>{errorCopy[error.code].title}</strong>
        <ErrorWords error={error} />
      </div>
    </div>
  );
}

function ErrorWords({ error }: { error: ErrorData }) {
  return (
    <>
      <p className="error-message">{error.message}</p>
      {error.where && <p className="mono faint">{error.where}</p>}
      <p className="soft">{error.hint ?? errorCopy[error.code].hint}</p>
    </>
  );
}

/** Keeps a fault of one panel inside that panel. */
export class PanelBoundary extends Component<{ name: string; children: ReactNode }, { fault: Error | null }> {
  override state: { fault: Error | null } = { fault: null };

  static getDerivedStateFromError(fault: Error) {
    return { fault };
  }

  override componentDidCatch(fault: Error, info: ErrorInfo) {
    console.error(`The panel "${this.props.name}" failed.`, fault, info.componentStack);
  }

  override render() {
    const { fault } = this.state;
    if (!fault) return this.props.children;
    return (
      <div className="notice" role="alert">
        <span className="notice-icon notice-bad">
          <WarnIcon size={22} strokeWidth={1.6} aria-hidden />
        </span>
        <h2>{this.props.name} cannot be shown</h2>
        <p className="soft">This is a fault of Termarium. Your runs are not affected.</p>
        <details className="notice-details">
          <summary>Details</summary>
          <pre>{fault.stack ?? fault.message}</pre>
        </details>
        <Button icon={RetryIcon} onClick={() => this.setState({ fault: null })}>
          Show it again
        </Button>
      </div>
    );
  }
}
