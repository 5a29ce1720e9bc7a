// What the agent was asked to do, as the task says it now.

import type { RolloutRow } from '../../../main/contract/schema/rollout.ts';
import { visible } from '../../ui/format.ts';
import { ErrorNotice, Loading } from '../../ui/notice.tsx';
import { Scroll } from '../../ui/page.tsx';
import { useTask } from '../tasks/use-task.ts';

export function TaskTab({ rollout }: { rollout: RolloutRow }) {
  const { task, error } = useTask(rollout.taskId, '');
  if (error) return <ErrorNotice error={error} />;
  if (!task) return <Loading what="the task" />;
  return (
    <Scroll label="Task" className="stack">
      {task.digest !== rollout.taskDigest && (
        <p className="sign" data-tone="warn">
          The task has changed since this rollout was played.
        </p>
      )}
      <p className="instruction">
        <bdi>{visible(task.instruction)}</bdi>
      </p>
      <p>
        <a href={`#/tasks/${task.id}`}>Open the task</a>
      </p>
    </Scroll>
  );
}
