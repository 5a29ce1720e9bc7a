// What the run that is being put together would play, and what is wrong with it.
import { useState } from 'react';
import type { ErrorData } from '../../../main/contract/errors.ts';
import { count, plural } from '../../ui/format.ts';
import { InlineError } from '../../ui/notice.tsx';
import { issueSigns, StatusSign } from '../../ui/status.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ConfigView } from './config-view.tsx';
import type { Resolved } from './use-resolved.ts';

export function LaunchPreview({ resolved, error, touched }: { resolved: Resolved | null; error: ErrorData | null; touched: boolean }) {
  const [tab, setTab] = useState<'tasks' | 'config'>('tasks');
  if (error) {
    return (
      <div className="scroll">
        <InlineError error={error} />
      </div>
    );
  }
  if (!touched || !resolved) {
    return <p className="launch-none faint">Choose tasks to see what this run would play.</p>;
  }
  return (
    <section className="preview" aria-label="What would be started">
      <div className="preview-head">
        <span className="rate-value figures">{count(resolved.rollouts)}</span>
        <span className="soft">
          rollouts = {plural(resolved.tasks.length, 'task')}
          {resolved.config && ` × ${plural(resolved.config.agents.length, 'agent')} × ${plural(resolved.config.attempts, 'attempt')}`}
        </span>
      </div>
      {resolved.issues.length > 0 && (
        <ul className="issues">
          {resolved.issues.map((issue) => (
            <li key={`${issue.file}:${issue.line}:${issue.message}`}>
              <StatusSign sign={issueSigns[issue.level]} compact />
              <span>
                <span className="mono faint">{issue.line ? `${issue.file}:${issue.line}` : issue.file}</span> {issue.message}
              </span>
            </li>
          ))}
        </ul>
      )}
      <Tabs
        label="What would be started"
        value={tab}
        onChange={setTab}
        tabs={[
          {
            id: 'tasks',
            title: 'Tasks',
            mark: count(resolved.tasks.length),
            content: (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
              <ul className="scroll preview-tasks" tabIndex={0} aria-label="Tasks">
                {resolved.tasks.slice(0, 500).map((task) => (
                  <li key={task} className="cut">
                    {task}
                  </li>
                ))}
                {resolved.tasks.length > 500 && <li className="faint">and {count(resolved.tasks.length - 500)} more</li>}
              </ul>
            ),
          },
          { id: 'config', title: 'Resolved configuration', content: resolved.config && <ConfigView config={resolved.config} /> },
        ]}
      />
    </section>
  );
}
