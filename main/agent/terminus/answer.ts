// What a Terminus-2 answer says once it is read, whichever of the two formats it was written in.
import type { Command, FormatVerdict } from '../agent.ts';

export interface Answer {
  commands: Command[];
  /** The model says that the task is done. */
  complete: boolean;
  /** Why nothing may be executed; null where the answer is accepted. */
  error: string | null;
  warnings: string[];
}

export interface ParsedAnswer extends Answer {
  format: FormatVerdict;
}

/** `strict` decides as Terminus-2's own parser; `robust` also accepts what that one refuses without need. */
export type ParserMode = 'robust' | 'strict';

/** The reading that counts in this mode, with what both think of the text. */
export function judged(strict: Answer, robust: Answer, mode: ParserMode): ParsedAnswer {
  const answer = mode === 'strict' ? strict : robust;
  return {
    ...answer,
    format: {
      strict: strict.error === null,
      robust: robust.error === null,
      problems: [...(answer.error === null ? [] : [answer.error]), ...answer.warnings],
    },
  };
}

/** An answer of which nothing is executed. */
export function refused(error: string, warnings: string[]): Answer {
  return { commands: [], complete: false, error, warnings };
}

/** What the model reads about a mistake that was put right for it. */
export function autoCorrected(fix: string): string {
  return `AUTO-CORRECTED: ${fix} - please fix this in future responses`;
}

/** Warnings as one text, each line a bullet, the way they are fed back. */
export function bulleted(warnings: string[]): string {
  return warnings.map((warning) => `- ${warning}`).join('\n');
}

/** Two commands that would end up on one line. */
export function concatenated(name: string): string {
  return `${name} should end with newline when followed by another command. Otherwise the two commands will be concatenated together on the same line.`;
}

/** NaN waits for nothing and Infinity as long as any command may; as numbers that JSON and SQLite can hold. */
export function storable(duration: number): number {
  if (Number.isFinite(duration)) return duration;
  return duration === Number.POSITIVE_INFINITY ? 60 : 0;
}
