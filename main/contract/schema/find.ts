// What is found in a rollout. The lab searches what is stored, the page paints what it shows: both by the same pattern.
import * as z from 'zod';

/** A place of a rollout where a text was found. Places are those in which a reader sees it. */
export const findHit = z.object({
  nodeId: z.string(),
  turn: z.number().int(),
  place: z.enum(['content', 'reasoning', 'before', 'analysis', 'plan', 'keys', 'command']),
  /** Of the command or the keys, 0 elsewhere. */
  index: z.number().int(),
  /** How many times the text was found before in the same place. */
  nth: z.number().int(),
  /** UTF-16 units from the beginning of that place's text. */
  offset: z.number().int(),
  /** Line of that place's text, from 0. */
  line: z.number().int(),
  /** What stands around it, a few lines at most. */
  before: z.string(),
  match: z.string(),
  after: z.string(),
});
export type FindHit = z.infer<typeof findHit>;

/** The text and nothing but the text: no character of it is an operator. */
export function findPattern(text: string, matchCase: boolean): RegExp {
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), matchCase ? 'gu' : 'giu');
}
