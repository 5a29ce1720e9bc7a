// What Terminus-2 shows of its terminal and says about it, to the byte, defects included: numbers that are compared with Harbor's must
// come from a model that saw the same. The defects are told in docs/guide/agents.md.
import type { Terminal } from '../../terminal/terminal.ts';
import { bulleted } from './answer.ts';
import type { AnswerFormat } from './parsers.ts';

/** tmux's own default, since Terminus-2 raises the limit when the pane exists already. */
const HISTORY_ROWS = 2000;
const LIMIT_BYTES = 10_000;

/**
 * Answers what Terminus-2 would show now: the screen at first, later what follows the previous capture where that is still found in
 * the new one, else the screen again. What is no longer found (after `clear`, or more output than the history holds) is lost unseen.
 */
export function strictObserver(terminal: Terminal): () => Promise<string> {
  let previous: string | null = null;
  return async () => {
    const { all, screen } = await terminal.capture(HISTORY_ROWS);
    const fresh = previous === null ? null : following(all, previous.trim());
    previous = all;
    return limited(fresh === null || fresh.trim() === '' ? `Current Terminal Screen:\n${screen}` : `New Terminal Output:\n${fresh}`);
  };
}

/** From the last line break of what was seen before; counted in the trimmed text, so blank rows above it shift the place. */
function following(all: string, before: string): string | null {
  const at = all.indexOf(before);
  if (at === -1) return null;
  const lastLine = before.lastIndexOf('\n');
  return all.slice(lastLine === -1 ? at : lastLine);
}

/**
 * At most 10,000 bytes of a text: its first and its last 5,000 around a notice. Given what it answered once already it cuts again, since
 * the notice made that longer, and then the notice counts the old notice as all that is missing. Terminus-2 does so on every turn.
 */
export function limited(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= LIMIT_BYTES) return text;
  let end = LIMIT_BYTES / 2;
  while (isContinuation(bytes[end])) end -= 1;
  let start = bytes.length - LIMIT_BYTES / 2;
  while (isContinuation(bytes[start])) start += 1;
  const notice = `[... output limited to ${LIMIT_BYTES} bytes; ${start - end} interior bytes omitted ...]`;
  return `${bytes.subarray(0, end)}\n${notice}\n${bytes.subarray(start)}`;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Answer to a first claim to be done. */
export function strictQuestion(seen: string, { completeMark, name }: Pick<AnswerFormat, 'completeMark' | 'name'>): string {
  const again = name.startsWith('JSON') ? `${completeMark} in your ${name} again` : `${completeMark} again`;
  return `Current terminal state:\n${seen}\n\nAre you sure you want to mark the task as complete? This will trigger your solution to be graded and you won't be able to make any further corrections. If so, include ${again}.`;
}

/** Answer to something that the token limit cut off. */
export function strictCutComplaint(maxTokens: number | undefined, warnings: string[]): string {
  const limit = maxTokens === undefined ? 'the maximum output length' : `${maxTokens} tokens`;
  const noted = warnings.length === 0 ? '' : `\n\nParser warnings from your truncated response:\n${bulleted(warnings)}`;
  return `ERROR!! NONE of the actions you just requested were performed because you exceeded ${limit}. Your outputs must be less than ${limit}. Re-issue this request, breaking it into chunks each of which is less than ${limit}.${noted}`;
}
