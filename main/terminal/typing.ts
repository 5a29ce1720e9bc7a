// Typing several lines as someone would who watches the screen: each when its reader is there. Bytes that a terminal gets while the
// shell's line editor is on the point of starting a program arrive there garbled (no Enter, lines glued together), and a program that
// reads lines through the kernel gets at most 4,095 bytes of each.
import { hereDocumentLines } from './heredoc.ts';

/** What typing needs of a terminal. */
export interface TypingSurface {
  write(keys: string): Promise<void>;
  /** True while the shell reads a line and everything typed before has been taken. */
  reading(): boolean;
  /** The program at the other end wants pasted text marked. */
  bracketedPaste(): boolean;
  /** Waits until `reading`, until a command has run for `runningMs`, or until the shell has taken no line for `stalledMs`. */
  awaitReading(limits: { runningMs: number; stalledMs: number }): Promise<void>;
}

/** The kernel's buffer for a line being edited (N_TTY_BUF_SIZE), less the line break. */
const LINE_BYTES = 4_095;
/** A command that has not ended by then gets the lines that follow. */
const RUNNING_MS = 250;
/** How long a line waits at the most for a shell that does nothing, and an over-long one for a command to end. */
const STALLED_MS = 2_000;

/** Keys other than text and Tab: a line with one is typed, not pasted. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control keys are what this looks for
const CONTROL_KEYS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/** Ctrl-V Tab, once or more. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a control key is what this looks for
const QUOTED_TABS = /(?:\x16\t)+/g;

/**
 * Sends keys as given. At a prompt, each line waits for the shell to be done with the one before, or for a program that takes over;
 * the body of a here-document goes out at once, for the shell takes all of it. A line over 4,095 bytes always waits for the shell, and
 * is handed over as pasted text where it can be: a line editor draws that once instead of once a key.
 */
export async function typeKeys(keys: string, surface: TypingSurface): Promise<void> {
  if (Buffer.byteLength(keys) <= LINE_BYTES && (!surface.reading() || !/[\r\n]./s.test(keys))) return surface.write(keys);
  let batch = '';
  for (const { text, body } of pieces(keys)) {
    const long = !body && Buffer.byteLength(text) > LINE_BYTES;
    if (long && !surface.reading()) {
      if (batch !== '') await surface.write(batch);
      batch = '';
      await surface.awaitReading({ runningMs: STALLED_MS, stalledMs: STALLED_MS });
    }
    if (batch !== '' || (!surface.reading() && !long)) {
      batch += text;
      continue;
    }
    const pastes = surface.reading() && surface.bracketedPaste();
    if (body && pastes) await surface.write(text.replaceAll(QUOTED_TABS, (tabs) => paste('\t'.repeat(tabs.length / 2))));
    else await surface.write(long && pastes ? pastedLine(text) : text);
    if (/[\r\n]$/.test(text)) await surface.awaitReading({ runningMs: RUNNING_MS, stalledMs: STALLED_MS });
  }
  if (batch !== '') await surface.write(batch);
}

/** Lines with their ends; lines of a here-document's body that are not over-long are one piece. */
function pieces(keys: string): { text: string; body: boolean }[] {
  const lines = keys.match(/[^\r\n]*(?:\r\n|[\r\n])|[^\r\n]+$/g) ?? [];
  const inBody = hereDocumentLines(lines.map((line) => line.replace(/[\r\n]+$/, '').replaceAll('\x16\t', '\t')));
  const list: { text: string; body: boolean }[] = [];
  for (const [index, text] of lines.entries()) {
    const body = (inBody[index] ?? false) && Buffer.byteLength(text) <= LINE_BYTES;
    const last = list.at(-1);
    if (body && last?.body) last.text += text;
    else list.push({ text, body });
  }
  return list;
}

/** What marks pasted text. Also taken for a quoted tab that is typed ahead: the kernel would swallow its Ctrl-V between two lines. */
function paste(text: string): string {
  return `\x1b[200~${text}\x1b[201~`;
}

/** A line as pasted text, with its Enter after it. */
function pastedLine(line: string): string {
  const text = line.replace(/[\r\n]+$/, '');
  return CONTROL_KEYS.test(text) ? line : paste(text) + line.slice(text.length);
}
