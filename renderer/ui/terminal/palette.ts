// The terminal's colours, read from the tokens, so that a theme is defined once.
import type { ITheme } from '@xterm/xterm';

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** Resolves the `--term-*` tokens as they are now for the document. */
export function terminalTheme(root: HTMLElement = document.documentElement): ITheme {
  const probe = document.createElement('span');
  root.append(probe);
  // A custom property keeps `light-dark()` unresolved; only a real colour property says what it comes to.
  const colour = (token: string) => {
    probe.style.color = `var(--term-${token})`;
    return getComputedStyle(probe).color;
  };
  const theme: ITheme = {
    background: colour('ground'),
    foreground: colour('ink'),
    cursor: colour('cursor'),
    cursorAccent: colour('ground'),
    selectionBackground: colour('selection'),
  };
  for (const name of names) {
    theme[name] = colour(name);
    theme[`bright${name.charAt(0).toUpperCase()}${name.slice(1)}` as `bright${Capitalize<typeof name>}`] = colour(`bright-${name}`); // the template is exactly those names
  }
  probe.remove();
  return theme;
}
