// The head of a screen: where one is, what it is called, what can be done.
import { Fragment, type ReactNode } from 'react';
import { ChevronRightIcon } from './icons.ts';
import './page.css';

export interface Crumb {
  title: string;
  path: string;
}

export function PageHead({
  crumbs = [],
  title,
  signs,
  children,
}: {
  crumbs?: readonly Crumb[];
  title: string;
  /** States beside the title. */
  signs?: ReactNode;
  /** Buttons at the end. */
  children?: ReactNode;
}) {
  return (
    <header className="page-head">
      <title>{`${title} · Termarium`}</title>
      <div className="grow">
        {crumbs.length > 0 && (
          <nav className="crumbs" aria-label="Where this is">
            {crumbs.map((crumb) => (
              <Fragment key={crumb.path}>
                <a href={`#${crumb.path}`} className="cut">
                  {crumb.title}
                </a>
                <ChevronRightIcon size={12} aria-hidden />
              </Fragment>
            ))}
          </nav>
        )}
        <div className="row">
          <h1 className="cut">{title}</h1>
          {signs}
        </div>
      </div>
      <div className="row page-acts">{children}</div>
    </header>
  );
}

/** A bar of controls above a list. */
export function Toolbar({ children, label }: { children: ReactNode; label: string }) {
  return (
    <div className="toolbar" role="toolbar" aria-label={label}>
      {children}
    </div>
  );
}

/** A region that scrolls, and so can be reached by keyboard. */
export function Scroll({ label, className = '', children }: { label: string; className?: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className={`scroll ${className}`} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

/** Names and values. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode] | null)[] }) {
  return (
    <dl className="facts">
      {facts.map(
        (fact) =>
          fact && (
            <Fragment key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd className="figures">{fact[1]}</dd>
            </Fragment>
          ),
      )}
    </dl>
  );
}
