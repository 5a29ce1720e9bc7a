// Finds in a flood of plain lines the part that would scroll past screen and scrollback unseen. It need not go through the emulator,
// which is many times slower than counting; only how many bytes its rows have is ever told.

/** A stretch of output that is counted and not drawn. */
export interface Flood {
  /** First byte: the start of a line. */
  from: number;
  /** One past the last byte: the start of a line. */
  to: number;
  /** UTF-8 bytes of its rows as displayed, without trailing spaces, with a line break each. */
  rowBytes: number;
}

/** Less is not worth the look. */
const LEAST_BYTES = 16 * 1024;

/**
 * Looks at output that starts anywhere in a line. The last `keepBytes` are left for the emulator, and so is the rest of the first
 * line. Null where there is nothing to gain, or where anything but printable ASCII and CR LF line ends comes before those.
 */
export function findFlood(bytes: Uint8Array, cols: number, keepBytes: number): Flood | null {
  const from = bytes.indexOf(10) + 1;
  const to = bytes.lastIndexOf(10, bytes.length - keepBytes - 1) + 1;
  if (from === 0 || to - from < LEAST_BYTES) return null;
  let rowBytes = 0;
  let column = 0;
  /** Column after the last character of the row that is no space. */
  let width = 0;
  for (let at = 0; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x20 && byte < 0x7f) {
      if (column === cols) {
        rowBytes += width + 1;
        column = 0;
        width = 0;
      }
      column += 1;
      if (byte !== 0x20) width = column;
    } else if (byte === 13 && bytes[at + 1] === 10) {
      at += 1;
      rowBytes += width + 1;
      column = 0;
      width = 0;
      if (at + 1 === from) rowBytes = 0;
    } else return null;
  }
  return { from, to, rowBytes };
}
