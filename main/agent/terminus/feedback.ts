// What the environment says to the model in the Terminus-2 protocol: terminal output, complaints about the format, and the question
// whether the task is really complete.
import type { Observation } from '../../terminal/terminal.ts';
import { type Answer, bulleted } from './answer.ts';
import type { AnswerFormat } from './parsers.ts';

/** Terminal text under the heading that says what it is. */
export function terminalText(observation: Observation): string {
  return `${observation.kind === 'screen' ? 'Current Terminal Screen' : 'New Terminal Output'}:\n${observation.text}`;
}

/** Answer to something that could not be read; nothing was executed. */
export function formatComplaint(error: string, warnings: string[], { name }: Pick<AnswerFormat, 'name'>): string {
  const noted = warnings.length > 0 ? `\nWARNINGS: ${bulleted(warnings)}` : '';
  return `Previous response had parsing errors:\nERROR: ${error}${noted}\n\nPlease fix these issues and provide a proper ${name}.`;
}

/** Answer to an executed turn. A claim to be done is questioned; warnings are dropped then, as in Terminus-2. */
export function turnAnswer(answer: Answer, terminal: string, { completeMark }: Pick<AnswerFormat, 'completeMark'>): string {
  if (answer.complete) {
    return `Current terminal state:\n${terminal}\n\nYou say that the task is complete. It will be graded as it is now, and you cannot correct anything afterwards. If you are sure, answer with ${completeMark} once more; if not, go on with the next commands.`;
  }
  return warned(answer.warnings, terminal);
}

/** Terminal text behind what was wrong with the answer before it. */
export function warned(warnings: string[], terminal: string): string {
  return warnings.length === 0 ? terminal : `Previous response had warnings:\nWARNINGS: ${bulleted(warnings)}\n\n${terminal}`;
}

/** Answer to something that the token limit cut off; nothing was executed. */
export function cutComplaint(maxTokens: number | undefined): string {
  const limit = maxTokens === undefined ? 'the limit for one answer' : `the limit of ${maxTokens} tokens for one answer`;
  return `Your answer was cut off because it reached ${limit}. NONE of its commands were executed. Send the same work in smaller pieces: fewer commands in one answer, and long files written in several parts over several answers.`;
}
