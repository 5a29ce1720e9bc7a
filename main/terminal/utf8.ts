// Terminal bytes as text and back without loss. Text formats hold Unicode, terminals print any bytes: a byte that is no UTF-8 becomes
// the lone surrogate U+DC00 + byte (PEP 383's convention), which JSON writes as an escape and players show as a replacement sign.
import { isUtf8 } from 'node:buffer';

/** Bytes that the sequence of this lead byte has; 1 for what leads none. */
function lengthOf(lead: number): number {
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xf0 && lead < 0xf5) return 4;
  return 1;
}

/** Bytes at the end that may be the start of a sequence which the next chunk completes: 0 to 3. */
function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) !== 0x80) return lengthOf(byte) > back ? back : 0;
  }
  return 0;
}

function decodeDamaged(bytes: Buffer): string {
  let text = '';
  let from = 0;
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    const length = byte < 0x80 ? 1 : lengthOf(byte);
    if (byte < 0x80 || (length > 1 && at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)))) {
      at += length;
      continue;
    }
    text += bytes.toString('utf8', from, at) + String.fromCharCode(0xdc00 + byte);
    at += 1;
    from = at;
  }
  return text + bytes.toString('utf8', from);
}

/** Decodes a stream of chunks; a sequence cut by a chunk's end is completed by the next. `end` gives what is left over. */
export function losslessDecoder(): { decode(chunk: Uint8Array): string; end(): string } {
  let rest: Buffer = Buffer.alloc(0);
  return {
    decode(chunk) {
      const bytes = rest.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) : Buffer.concat([rest, chunk]);
      const whole = bytes.length - unfinished(bytes);
      rest = Buffer.from(bytes.subarray(whole));
      const body = bytes.subarray(0, whole);
      return isUtf8(body) ? body.toString('utf8') : decodeDamaged(body);
    },
    end() {
      const left = decodeDamaged(rest);
      rest = Buffer.alloc(0);
      return left;
    },
  };
}

/** The bytes that `losslessDecoder` made the text from. */
export function losslessEncode(text: string): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const match of text.matchAll(/(?<![\ud800-\udbff])[\udc80-\udcff]/g)) {
    parts.push(Buffer.from(text.slice(from, match.index)), Buffer.of(match[0].charCodeAt(0) - 0xdc00));
    from = match.index + 1;
  }
  return Buffer.concat([...parts, Buffer.from(text.slice(from))]);
}
