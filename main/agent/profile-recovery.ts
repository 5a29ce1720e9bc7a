// Prompt profiles from what others use: a template file of a harness, or the first user message of a recorded trajectory. The text stays
// the user's own copy, byte for byte, so that a model sees here what it saw there.
import { AppError } from '../lib/errors.ts';

/** What stands above the terminal's text in the Terminus-2 protocol. */
const SCREENS = ['Current Terminal Screen:\n', 'New Terminal Output:\n'];
/** How a message tells where the task begins, and what stands between it and the terminal's text. */
const TASK_HEADINGS = ['Task Description:\n', 'Task:\n', 'Instruction:\n'];
const STATE_HEADINGS = ['\n\nCurrent terminal state:\n', '\n\nTerminal:\n'];

/**
 * A template as a profile has it. One that Python's `format` fills in writes each brace of its own twice; those become one. Fails with
 * `config.invalid` where there is no place for the task.
 */
export function templateText(text: string, where: string): string {
  const bare = text.replace(/\{instruction\}|\{terminal_state\}/g, '');
  const isPython = /\{\{|\}\}/.test(bare) && !/[{}]/.test(bare.replace(/\{\{|\}\}/g, ''));
  const template = isPython ? text.replaceAll('{{', '{').replaceAll('}}', '}') : text;
  if (template.includes('{instruction}')) return template;
  throw new AppError('config.invalid', 'the template has no place for the task', {
    hint: 'A template holds {instruction}, and {terminal_state} where the terminal is to be shown.',
    where,
  });
}

/**
 * The template of a first user message: its task and its terminal text as placeholders.
 * @param instruction the task as it stands in there, where it is known; without it the usual headings must say where it is.
 * @param rows of the terminal that was recorded; its screen has so many lines, and what follows them is the template's own.
 * Fails with `config.invalid` where the task is not to be found, or stands there twice.
 */
export function recoverTemplate(prompt: string, instruction: string | null, rows: number, where: string): string {
  const state = terminalPart(prompt, rows);
  const head = prompt.slice(0, state?.from ?? prompt.length);
  const task = instruction === null ? taskPart(head) : known(head, instruction, where);
  if (task === null) {
    throw new AppError('config.invalid', 'the message does not say where its task begins and ends', {
      hint: 'Name the folder of its task with --task, so that its text can be found in the message.',
      where,
    });
  }
  const rest = state === null ? prompt.slice(task.to) : `${prompt.slice(task.to, state.from)}{terminal_state}${prompt.slice(state.to)}`;
  return `${prompt.slice(0, task.from)}{instruction}${rest}`;
}

interface Part {
  from: number;
  to: number;
}

function terminalPart(prompt: string, rows: number): Part | null {
  const from = Math.max(...SCREENS.map((heading) => prompt.lastIndexOf(heading)));
  if (from === -1) return null;
  let to = prompt.indexOf('\n', from) + 1;
  for (let row = 0; row < rows; row += 1) {
    const end = prompt.indexOf('\n', to);
    // A screen with fewer rows was trimmed; then it goes to the end.
    if (end === -1) return { from, to: prompt.length };
    to = end + 1;
  }
  return { from, to };
}

/** By the headings: from behind the last one that announces a task to the first one after it that announces a terminal. */
function taskPart(head: string): Part | null {
  for (const heading of TASK_HEADINGS) {
    const at = head.indexOf(heading);
    if (at === -1) continue;
    const from = at + heading.length;
    const ends = STATE_HEADINGS.map((end) => head.lastIndexOf(end)).filter((end) => end >= from);
    if (ends.length > 0) return { from, to: Math.max(...ends) };
  }
  return null;
}

/** Files end in a line break that a harness may or may not have passed on. */
function known(head: string, instruction: string, where: string): Part | null {
  for (const text of [instruction, instruction.trimEnd(), instruction.trim()]) {
    const from = text === '' ? -1 : head.indexOf(text);
    if (from === -1) continue;
    if (head.indexOf(text, from + 1) !== -1) {
      throw new AppError('config.invalid', 'the task stands in the message more than once', {
        hint: 'Use a recording of a task with a longer instruction.',
        where,
      });
    }
    return { from, to: from + text.length };
  }
  return null;
}
