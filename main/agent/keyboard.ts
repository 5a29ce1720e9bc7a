// Reads what a person types: where a line of input ends, and what was meant by it once typing errors are taken back.

const PASTE_BEGIN = '\x1b[200~';
const PASTE_END = '\x1b[201~';
/** Keys that hand what was typed to the program: Enter, C-c, C-d and C-z. */
const SENDERS = new Set(['\r', '\n', '\x03', '\x04', '\x1a']);
/** How a command names a control key that stands alone. */
const NAMES: Record<string, string> = { '\x03': 'C-c', '\x04': 'C-d', '\x1a': 'C-z' };

/** True where the last key hands the line over. Line breaks inside of a paste do not. */
export function endsInput(typed: string): boolean {
  return SENDERS.has(typed.slice(-1)) && typed.lastIndexOf(PASTE_BEGIN) <= typed.lastIndexOf(PASTE_END);
}

/**
 * The keystrokes of a command from the bytes a keyboard sent. Corrected letters are left out and a paste is the text it holds; with
 * keys whose effect only the shell knows (arrows, Tab) the bytes stay as they are, which still plays back right.
 */
export function typedText(typed: string): string {
  const name = NAMES[typed];
  if (name !== undefined) return name;
  const plain = typed.replaceAll(PASTE_BEGIN, '').replaceAll(PASTE_END, '').replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  const letters: string[] = [];
  for (const letter of plain) {
    if (letter === '\x7f' || letter === '\b') letters.pop();
    else if (letter === '\x15') letters.length = 0;
    else if (letter < ' ' && letter !== '\n') return plain;
    else letters.push(letter);
  }
  return letters.join('');
}
