// Comparisons of tokens: an answer with itself when it is encoded again, and one prompt with another.
import * as z from 'zod';

/** Where two sequences part. Texts are those of the tokens, joined; at most a dozen tokens each. */
const parting = z.object({
  /** Position of the first token that differs, from 0. */
  at: z.number().int(),
  before: z.string(),
  first: z.string(),
  second: z.string(),
});

/**
 * What an answer's text becomes when it is encoded again, as it is when it goes back to a trainer as text. `same`: the ids that were sampled.
 * `differs`: others that spell the same; `first` are those sampled, `second` those encoded. `unknown`: it cannot be told, and why.
 */
export const drift = z.discriminatedUnion('state', [
  z.object({ state: z.literal('same'), tokens: z.number().int() }),
  z.object({
    state: z.literal('differs'),
    tokens: z.number().int(),
    /** Tokens between what both begin with and what both end with. */
    sampled: z.number().int(),
    encoded: z.number().int(),
    parting,
  }),
  z.object({ state: z.literal('unknown'), reason: z.string() }),
]);
export type Drift = z.infer<typeof drift>;

export const parity = z.object({
  equal: z.boolean(),
  /** False where the tokenizer comes without a chat template: messages are joined plainly then, and the template's layout is not compared. */
  template: z.boolean(),
  tokens: z.object({ first: z.number().int(), second: z.number().int() }),
  /** Null where the prompts are equal. A prompt that ends first has nothing at that position. */
  parting: parting.nullable(),
  roles: z.object({ first: z.array(z.string()), second: z.array(z.string()) }),
  /** Messages that differ, at most 20: where in their text (character from 0, null where only the role does), and what stands there. */
  messages: z.array(
    z.object({
      index: z.number().int(),
      roles: z.object({ first: z.string().nullable(), second: z.string().nullable() }),
      at: z.number().int().nullable(),
      first: z.string(),
      second: z.string(),
    }),
  ),
});
export type Parity = z.infer<typeof parity>;
