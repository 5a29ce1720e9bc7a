import * as z from 'zod';
import { procedure } from './base.ts';
import { modelConfig } from './schema/config.ts';

export const models = {
  /** The model files of configs/models and of the data folder. A broken file is listed with its error. */
  list: procedure.input(z.object({})).output(
    z.object({
      models: z.array(z.object({ name: z.string(), file: z.string(), config: modelConfig.nullable(), error: z.string().nullable() })),
    }),
  ),
  /** Sends one short request and says what came back. */
  probe: procedure
    .input(z.object({ name: z.string() }))
    .output(z.object({ ok: z.boolean(), detail: z.string(), milliseconds: z.number(), contextLimit: z.number().int().nullable() })),
};
