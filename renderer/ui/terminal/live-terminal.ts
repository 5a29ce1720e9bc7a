// One xterm terminal that follows a terminal of the lab. No React: bytes go from the watch to xterm and nowhere else.
import type { Terminal } from '@xterm/xterm';
import { type LabClient, watchTail } from '../../client/index.ts';
import { terminalTheme } from './palette.ts';
import { borrowWebgl } from './webgl.ts';
import { newTerminal, openIn } from './xterm.ts';

export interface LiveTerminalOptions {
  client: LabClient;
  rolloutId: string;
  /** Where its bytes come from; left out, the terminal of the rollout. */
  read?: Parameters<typeof watchTail>[0] | undefined;
  cols: number;
  rows: number;
  fontSize: number;
  /** Focused terminals get WebGL and scrollback; thumbnails neither. */
  focused: boolean;
  /** What is typed goes here. Left out, the terminal only shows. */
  onType?: (data: string) => void;
  /** The size changed because the backend said so. */
  onSize?: (cols: number, rows: number) => void;
  onExit?: () => void;
  onError?: (error: unknown) => void;
}

export interface LiveTerminal extends Disposable {
  terminal: Terminal;
  /** True once the lab has said how large the screen is; nobody else's idea of it counts from then on. */
  readonly sized: boolean;
  setFontSize(size: number): void;
  /** Reads the colours again after the theme changed. */
  repaint(): void;
}

/** Opens a terminal in `host` and follows the rollout's terminal until disposed. */
export function openLiveTerminal(host: HTMLElement, options: LiveTerminalOptions): LiveTerminal {
  const ended = new AbortController();
  const terminal = newTerminal({ ...options, scrollback: options.focused ? 5000 : 0, typing: options.onType !== undefined });
  if (options.onType) terminal.onData(options.onType);
  let giveBackWebgl = () => {};
  let sized = false;
  const write = (data: string | Uint8Array) => new Promise<void>((resolve) => terminal.write(data, resolve));

  const follow = async () => {
    if (!(await openIn(host, terminal, ended.signal))) return;
    if (options.onType) terminal.focus();
    if (options.focused) giveBackWebgl = borrowWebgl(terminal);
    await watchTail(
      options.read ?? (({ cursor }, call) => options.client.rollouts.watchTerminal({ rolloutId: options.rolloutId, cursor }, call)),
      {
        data: write,
        screen: ({ text, cols, rows }) => {
          terminal.reset();
          sized = true;
          if (cols !== terminal.cols || rows !== terminal.rows) {
            terminal.resize(cols, rows);
            options.onSize?.(cols, rows);
          }
          return write(text);
        },
        exit: () => {
          // A program that has ended has no cursor.
          terminal.write('\u001b[?25l');
          options.onExit?.();
        },
      },
      ended.signal,
      options.onError,
    );
  };
  void follow();

  return {
    terminal,
    get sized() {
      return sized;
    },
    setFontSize(size) {
      if (terminal.options.fontSize !== size) terminal.options.fontSize = size;
    },
    repaint() {
      terminal.options.theme = terminalTheme();
    },
    [Symbol.dispose]() {
      ended.abort();
      giveBackWebgl();
      terminal.dispose();
    },
  };
}
