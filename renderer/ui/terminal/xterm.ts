// How every terminal of the page is made: its font, its colours, and what the text of strangers may not do in it.
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { terminalTheme } from './palette.ts';

export interface TerminalLook {
  cols: number;
  rows: number;
  fontSize: number;
  scrollback: number;
  /** It is typed into; otherwise it only shows. */
  typing: boolean;
}

export function newTerminal({ cols, rows, fontSize, scrollback, typing }: TerminalLook): Terminal {
  return new Terminal({
    cols,
    rows,
    fontFamily: "'JetBrains Mono Variable', 'DejaVu Sans Mono', monospace",
    fontSize,
    lineHeight: 1.15,
    theme: terminalTheme(),
    scrollback,
    disableStdin: !typing,
    cursorBlink: false,
    cursorInactiveStyle: 'outline',
    minimumContrastRatio: 4.5,
    allowProposedApi: true,
    // Links in terminal output are text from strangers: shown, never opened.
    linkHandler: { activate: () => {} },
  });
}

/** Opens the terminal in an element once its font is there. False where the signal aborted before. */
export async function openIn(host: HTMLElement, terminal: Terminal, signal: AbortSignal): Promise<boolean> {
  // A terminal measures its font once; measuring the fallback would leave every cell the wrong width.
  await document.fonts.load(`${terminal.options.fontSize}px 'JetBrains Mono Variable'`).catch(() => []);
  if (signal.aborted) return false;
  terminal.open(host);
  const typing = terminal.options.disableStdin !== true;
  terminal.textarea?.setAttribute('aria-label', typing ? 'Terminal, type here' : 'Terminal');
  if (!typing) terminal.textarea?.setAttribute('tabindex', '-1');
  return true;
}
