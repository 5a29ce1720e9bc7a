import * as z from 'zod';
import { procedure } from './base.ts';
import { exportFormat, exportReport, importReport, rolloutOrigin } from './schema/exchange.ts';

const importId = z.string();
/** Absolute: the backend may have been started elsewhere. */
const path = z.string().min(1).max(4096);

export const exchange = {
  /**
   * Begins to import what lies at `path`: a Harbor job or trial, a trajectory, a table of rollouts, or a folder of such. Answers at once;
   * a broken record is reported and left out, a record that is already there is not added again.
   */
  import: procedure.input(z.object({ path, name: z.string().max(200).optional() })).output(z.object({ importId })),
  /** Parks until the import got on. `state` is `failed` where nothing could be read at all; `error` then says why. */
  watchImport: procedure.input(z.object({ importId, after: z.number().int().optional() })).output(
    z.object({
      state: z.enum(['running', 'finished', 'failed', 'cancelled']),
      report: importReport,
      error: z.string().nullable(),
      hint: z.string().nullable(),
      cursor: z.number().int(),
    }),
  ),
  /** Ends an import after the record in hand. What was imported stays. */
  cancelImport: procedure.input(z.object({ importId })).output(z.object({})),
  /** Where a rollout was imported from; null where it was played here. */
  origin: procedure.input(z.object({ rolloutId: z.string() })).output(z.object({ origin: rolloutOrigin.nullable() })),
  /** Writes the rollouts of a run, or single ones, to `path` on the backend's machine. What is there already stays unless `overwrite`. */
  export: procedure
    .input(
      z.object({
        of: z.union([z.object({ runId: z.string() }), z.object({ rolloutIds: z.array(z.string()).min(1) })]),
        format: exportFormat,
        path,
        overwrite: z.boolean().default(false),
      }),
    )
    .output(exportReport),
};
