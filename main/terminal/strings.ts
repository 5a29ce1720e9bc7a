// Keeps control strings (OSC, DCS, APC, PM, SOS) from being collected without end: a terminal emulator holds what comes between the
// start of one and its end in memory, several times over.

/** Once a control string is this long, what follows of it is dropped; titles, links and colours need far less. */
const STRING_BYTES = 64 * 1024;

const ESC = 0x1b;
/** What ends a string: ESC (its regular end starts with it), BEL, CAN, SUB. */
const ENDS = [ESC, 0x07, 0x18, 0x1a];
/** Second byte of what starts one: `P` `X` `]` `^` `_`. */
const STARTS = new Set([0x50, 0x58, 0x5d, 0x5e, 0x5f]);

export interface StringLimit {
  /** Every chunk of output passes here: gives it without the excess of an endless string. */
  pass(chunk: Uint8Array): Uint8Array;
  /** True where the next byte belongs to an escape sequence or a string, as far as is known. */
  readonly inside: boolean;
}

export function stringLimit(): StringLimit {
  /** Length so far of the string that goes on in the next chunk. */
  let open: number | null = null;
  let escapeAtEnd = false;

  /** Looks whether the last escape sequence of the bytes starts a string that they do not end. */
  function look(bytes: Uint8Array): void {
    const last = bytes.lastIndexOf(ESC);
    const start = last === -1 && !escapeAtEnd ? null : last + 1;
    escapeAtEnd = last !== -1 && last === bytes.length - 1;
    if (start === null || escapeAtEnd || !STARTS.has(bytes[start] ?? 0)) return;
    if (endOf(bytes, start) === -1) open = bytes.length - start;
  }

  return {
    get inside() {
      return open !== null || escapeAtEnd;
    },
    pass(chunk) {
      if (open === null) {
        look(chunk);
        return chunk;
      }
      const over = open >= STRING_BYTES;
      const end = endOf(chunk, 0);
      if (end === -1) {
        open += chunk.length;
        return over ? chunk.subarray(chunk.length) : chunk;
      }
      open = null;
      const rest = chunk.subarray(end);
      look(rest);
      return over ? rest : chunk;
    },
  };
}

/** Where the first byte that ends a string is, or -1. */
function endOf(bytes: Uint8Array, from: number): number {
  let first = -1;
  for (const byte of ENDS) {
    const at = bytes.indexOf(byte, from);
    if (at !== -1 && (first === -1 || at < first)) first = at;
  }
  return first;
}
