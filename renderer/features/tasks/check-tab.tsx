// The gates of a task and the log of its latest check.
import type { TaskRow } from '../../../main/contract/schema/task.ts';
import { Button } from '../../ui/button.tsx';
import { CheckTaskIcon } from '../../ui/icons.ts';
import { Empty } from '../../ui/notice.tsx';
import { TextView } from '../../ui/text-view.tsx';
import { GateList } from './gates.tsx';
import type { Check } from './use-check.ts';

export function CheckTab({ task, check }: { task: TaskRow; check: Check }) {
  if (task.gates.length === 0 && !check.running && check.log === '') {
    return (
      <Empty
        icon={CheckTaskIcon}
        title="Not checked yet"
        words="The gates build its image, run the tests on the untouched container, on one where nothing was done, and after its own solution, and say which of them do not hold."
      >
        <Button kind="primary" icon={CheckTaskIcon} onClick={check.start}>
          Check this task
        </Button>
      </Empty>
    );
  }
  return (
    <div className="check-panel">
      <GateList gates={task.gates} checking={check.running} />
      {(check.running || check.log !== '') && (
        <>
          <h3 className="check-title">Log</h3>
          <TextView text={check.log} label="Log of the check" follow />
        </>
      )}
    </div>
  );
}
