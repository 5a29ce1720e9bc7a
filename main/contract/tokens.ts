import * as z from 'zod';
import { procedure } from './base.ts';
import { drift, parity } from './schema/tokens.ts';

/** What the model was sent for an answer: of a rollout that is in the lab, or of a row of conversations in a file of JSON lines. */
const prompt = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('rollout'), rolloutId: z.string(), turn: z.int().min(0) }),
  z.object({ kind: z.literal('row'), path: z.string().min(1).max(4096), line: z.int().min(1), turn: z.int().min(0) }),
]);

export const tokens = {
  /** Whether the text of an answer is encoded to the ids that were sampled, by the tokenizer that the model's file names. */
  drift: procedure.input(z.object({ nodeId: z.string() })).output(drift),
  /**
   * Whether two prompts are the same to a model. `tokenizer`: name of a model whose file names one, or a folder with tokenizer.json (absolute).
   * Turns count from 0. Refused (`request.not_found`) where a prompt does not exist.
   */
  parity: procedure.input(z.object({ first: prompt, second: prompt, tokenizer: z.string().min(1).max(4096) })).output(parity),
};
