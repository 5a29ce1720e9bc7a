// Starting runs from places other than the form: the demo, and a task taken by the person at the screen.
import { runConfig } from '../../../main/contract/schema/config.ts';
import type { TaskRow, TaskSetRow } from '../../../main/contract/schema/task.ts';
import type { LabClient } from '../../client/index.ts';
import { command, tell } from '../../ui/toasts.tsx';

type Navigate = (path: string) => void;

/** Runs the bundled tasks with oracle, nop and the scripted demo agent: works offline, needs Docker only. */
export async function startDemo(client: LabClient, sets: readonly TaskSetRow[], navigate: Navigate): Promise<void> {
  const bundled = sets.find((set) => set.origin === 'bundled');
  await command(
    'The demo could not be started',
    async () => {
      const { models } = await client.models.list({});
      const scripted = models.find((model) => model.config?.kind === 'scripted');
      const config = runConfig.parse({
        name: 'Demo',
        tasks: bundled ? [bundled.name] : [],
        agents: scripted ? ['oracle', 'nop', 'terminus'] : ['oracle', 'nop'],
        model: scripted?.name ?? null,
      });
      return client.runs.start({ config });
    },
    ({ runId }) => navigate(`/runs/${runId}`),
  );
}

/** Starts one rollout of the task that the reader plays, and opens it. */
export async function takeAsHuman(client: LabClient, task: Pick<TaskRow, 'name' | 'path'>, navigate: Navigate): Promise<void> {
  await command(
    'The task could not be started',
    async () => {
      const config = runConfig.parse({ name: `${task.name} by hand`, tasks: [task.path], agents: ['human'], concurrency: 1 });
      const { runId } = await client.runs.start({ config });
      const { rows } = await client.rollouts.watch({ runId });
      return { runId, rolloutId: rows[0]?.id };
    },
    ({ runId, rolloutId }) => {
      tell('The task is yours', 'Its container is starting. The clock runs when the terminal opens.');
      navigate(rolloutId === undefined ? `/runs/${runId}` : `/rollouts/${rolloutId}`);
    },
  );
}
