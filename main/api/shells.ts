import { requireTask } from '../edit/tasks.ts';
import { loadTask } from '../task/load.ts';
import type { ApiDeps } from './deps.ts';
import { os } from './os.ts';
import { signalOf } from './system.ts';
import { PARK_MS } from './watch.ts';

export function shellsApi({ lab, shells }: ApiDeps) {
  return os.shells.router({
    open: os.shells.open.handler(async ({ input, signal }) => {
      const { taskId, ...screen } = input;
      return { shellId: shells.open(await loadTask(requireTask(lab.store, taskId).path, signal), screen) };
    }),
    watch: os.shells.watch.handler(({ input, signal }) => shells.watch(input.shellId, input.cursor, PARK_MS, signalOf(signal))),
    type: os.shells.type.handler(async ({ input }) => {
      await shells.type(input.shellId, input.data);
      return {};
    }),
    resize: os.shells.resize.handler(async ({ input }) => {
      await shells.resize(input.shellId, input.cols, input.rows);
      return {};
    }),
    close: os.shells.close.handler(async ({ input }) => {
      await shells.close(input.shellId);
      return {};
    }),
  });
}
