import * as z from 'zod';
import { procedure } from './base.ts';
import { tailRead } from './watch.ts';

const shellId = z.string();
const size = { cols: z.int().min(20).max(400), rows: z.int().min(5).max(200) };

/** Shells in fresh containers of tasks, to look around in while writing one. A shell lives as long as somebody watches it. */
export const shells = {
  /** Answers at once; building and starting are the beginning of what `watch` reads. */
  open: procedure.input(z.object({ taskId: z.string(), ...size })).output(z.object({ shellId })),
  /** As `rollouts.watchTerminal`. Start with cursor 0. A shell that nobody watches for 15 seconds is closed. */
  watch: procedure.input(z.object({ shellId, cursor: z.number().int().min(0) })).output(tailRead),
  type: procedure.input(z.object({ shellId, data: z.string().max(65_536) })).output(z.object({})),
  resize: procedure.input(z.object({ shellId, ...size })).output(z.object({})),
  /** Answers when its container is gone. */
  close: procedure.input(z.object({ shellId })).output(z.object({})),
};
