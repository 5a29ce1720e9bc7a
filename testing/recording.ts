// Writes a recording with its index, as the lab's recorder does, but with times of its own: hours of terminal in a moment.
import { writeFile } from 'node:fs/promises';
import serializeAddon from '@xterm/addon-serialize';
import headless from '@xterm/headless';

export interface RecordedTurn {
  /** Seconds before the first output, while the model answers. */
  thinks?: number;
  /** Seconds that the outputs are spread over, evenly. */
  seconds: number;
  outputs: readonly string[];
}

/** Output between two screens that belong to no turn, as in the recorder. */
const SCREEN_BYTES = 256 * 1024;

/** Writes `path` and `<path>.idx`: one mark at the beginning of each turn but the first, and one at the end. */
export async function writeRecording(path: string, turns: readonly RecordedTurn[], size = { cols: 160, rows: 40 }): Promise<void> {
  const terminal = new headless.Terminal({ ...size, allowProposedApi: true });
  const serializer = new serializeAddon.SerializeAddon();
  // The addon is typed for the browser's terminal; it needs only what both have.
  terminal.loadAddon(serializer as unknown as headless.ITerminalAddon);
  const lines = [`${JSON.stringify({ version: 2, width: size.cols, height: size.rows, timestamp: 1_800_000_000 })}\n`];
  const index: string[] = [];
  let offset = Buffer.byteLength(lines[0] ?? '');
  let since = 0;
  let now = 0;
  const append = (event: [number, string, string]) => {
    const line = `${JSON.stringify(event)}\n`;
    lines.push(line);
    offset += Buffer.byteLength(line);
    since += line.length;
  };
  const keepScreen = (label: string | null) => {
    const screen = serializer.serialize({ scrollback: 0 });
    index.push(`${JSON.stringify({ offset, time: now, label, ...size, screen })}\n`);
    since = 0;
  };
  const mark = (label: string) => {
    append([now, 'm', label]);
    keepScreen(label);
  };
  for (const [place, turn] of turns.entries()) {
    const began = now + (turn.thinks ?? 0);
    for (const [part, output] of turn.outputs.entries()) {
      now = Math.round((began + (turn.seconds * (part + 1)) / turn.outputs.length) * 1e6) / 1e6;
      append([now, 'o', output]);
      await new Promise<void>((resolve) => terminal.write(output, resolve));
      if (since > SCREEN_BYTES) keepScreen(null);
    }
    mark(place === turns.length - 1 ? 'end' : `turn ${place + 1}`);
  }
  terminal.dispose();
  await writeFile(path, lines.join(''));
  await writeFile(`${path}.idx`, index.join(''));
}
