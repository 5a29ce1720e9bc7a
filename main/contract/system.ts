import * as z from 'zod';
import { procedure } from './base.ts';
import { after } from './watch.ts';

const finding = z.object({
  id: z.string(),
  title: z.string(),
  state: z.enum(['ok', 'warning', 'problem']),
  detail: z.string(),
  /** What to do, where there is something to do. */
  fix: z.string().optional(),
});
export type DoctorFinding = z.infer<typeof finding>;

const status = z.object({
  version: z.string(),
  dataFolder: z.string(),
  docker: z.object({ ok: z.boolean(), detail: z.string() }),
  containers: z.number().int(),
  running: z.number().int(),
  queued: z.number().int(),
  diskFreeBytes: z.number(),
  memoryBytes: z.number(),
  gpus: z.array(z.object({ name: z.string(), memoryMb: z.number(), usedMb: z.number(), utilization: z.number() })),
});
export type LabStatus = z.infer<typeof status>;

export const system = {
  /** First call on any connection. */
  hello: procedure
    .input(z.object({ client: z.string().max(100) }))
    .output(z.object({ version: z.string(), instance: z.string(), platform: z.string() })),
  /** Parks until a fact of the status bar changes (looked at every two seconds). */
  watchStatus: procedure.input(z.object({ after })).output(z.object({ status, cursor: z.number().int() })),
  doctor: procedure.input(z.object({})).output(z.object({ findings: z.array(finding) })),
  /** Containers, networks, volumes and images that carry this lab's label. `remove` takes them away; images only with `images`. */
  clean: procedure.input(z.object({ remove: z.boolean(), images: z.boolean().default(false) })).output(
    z.object({
      found: z.array(z.object({ kind: z.string(), id: z.string(), name: z.string(), detail: z.string() })),
      removed: z.number().int(),
    }),
  ),
};
