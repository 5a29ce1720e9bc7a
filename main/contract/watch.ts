// The two shapes that everything which changes is read through. A watch is an ordinary call: the client says what it has (its cursor)
// and the call parks until something is newer. Nobody subscribes, so nobody can be flooded.
import * as z from 'zod';

/** `all`: forget what you have, these are the rows. `changed`: merge these rows in, drop `removed`. */
export function rowsOf<T extends z.ZodType>(row: T) {
  return z.object({
    kind: z.enum(['all', 'changed']),
    rows: z.array(row),
    removed: z.array(z.string()),
    cursor: z.number().int(),
    /** True where more rows than one answer holds are waiting: ask again at once. */
    more: z.boolean(),
  });
}

/** The cursor of a row watch: absent on the first call. */
export const after = z.number().int().min(0).optional();

/**
 * Bytes as they came out of a terminal, or, for a reader that fell behind, a screen to start again from.
 * `data` is binary-safe base64 (terminals emit invalid UTF-8). `screen` is text with escape sequences, serialized by the backend.
 */
export const tailRead = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('more'), data: z.string(), cursor: z.number().int() }),
  z.object({ kind: z.literal('screen'), screen: z.string(), cols: z.number().int(), rows: z.number().int(), cursor: z.number().int() }),
  z.object({ kind: z.literal('exit'), cursor: z.number().int() }),
]);
export type TailAnswer = z.infer<typeof tailRead>;
