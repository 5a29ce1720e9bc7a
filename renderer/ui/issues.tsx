// What is wrong with files, or worth knowing about them: each with its weight and where it is.
import type { ConfigIssue } from '../../main/contract/schema/task.ts';
import { issueSigns, StatusSign } from './status.tsx';
import './issues.css';

export function IssueList({ issues }: { issues: readonly ConfigIssue[] }) {
  return (
    <ul className="issue-list">
      {issues.map((issue) => (
        <li key={`${issue.file}:${issue.line}:${issue.message}`}>
          <StatusSign sign={issueSigns[issue.level]} />
          <span className="grow">
            {issue.message}
            <span className="mono faint issue-where">{issue.line === undefined ? issue.file : `${issue.file}:${issue.line}`}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
