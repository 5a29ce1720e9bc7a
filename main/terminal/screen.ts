// The screen behind a terminal: @xterm/headless, fed in small slices, with an absolute count of rows so that what was printed can
// be told from what was there before, also after rows have left the scrollback. The only file that imports xterm.
import serializeAddon from '@xterm/addon-serialize';
import graphemesAddon from '@xterm/addon-unicode-graphemes';
import headless from '@xterm/headless';
import { type Flood, findFlood } from './flood.ts';
import { type Excerpt, Gathered } from './observe.ts';
import type { Mark } from './prompt.ts';
import { stringLimit } from './strings.ts';

/** Line breaks in one slice at most: so many rows can be lost from the scrollback before they are looked at. */
const SLICE_ROWS = 1024;
/** Bytes in one slice: halved when one takes too long, doubled again when it does not. Text takes about 1 ms for 16 KiB. */
const SLICE_BYTES = { least: 256, most: 32 * 1024, slowMs: 10 };
/** Sequences that xterm repeats as often as they say, up to 2 billion times; by what they act on. */
const REPEATED = { rows: ['L', 'M', 'S', 'T'], columns: ['@', 'P', 'X', 'b', 'I', 'Z'] };
/** Rows that stay readable behind the screen. A row is a byte at least, so an excerpt's last part of 5,000 bytes is always there. */
const KEPT_ROWS = 5_000;
const SCROLLBACK = KEPT_ROWS + SLICE_ROWS;
/** Rows of scrollback in a keyframe: enough to see what led here, and quick to make. */
const KEYFRAME_ROWS = 200;
/** Output of this size is looked at as a whole, to count what of it would scroll past unseen instead of drawing it. */
const FLOOD_BYTES = { least: 32 * 1024, most: 256 * 1024 };
/** What of a flood is drawn at the least: the last part of an excerpt comes from it, and a screenful. */
const DRAWN_BYTES = 16 * 1024;
/** After this long the loop gives way to others, in ms. */
const BUSY_MS = 8;

export interface ScreenEvents {
  /** Marks of the shell that carries `token`, in the order of the output. */
  onMark(mark: Mark): void;
  /** What a program asked the terminal (cursor position, device attributes) and a real one would type as an answer. */
  onReply(data: string): void;
  /** A slice has been parsed. */
  onParsed(): void;
}

export class Screen {
  readonly #xterm: headless.Terminal;
  readonly #serializer = new serializeAddon.SerializeAddon();
  readonly #events: ScreenEvents;
  readonly #token: string | null;
  readonly #everyRow: boolean;
  readonly #strings = stringLimit();
  #queue: (Uint8Array | Flood)[] = [];
  /** Bytes at the front of the queue that were looked at for a flood. */
  #lookedAt = 0;
  #region = false;
  #queuedBytes = 0;
  #pumping = false;
  #sliceBytes = SLICE_BYTES.most;
  #parsed = 0;
  #flushes: (() => void)[] = [];
  #disposed = false;
  /** Rows that have left the scrollback since the start. Row numbers below are absolute: this plus the index in the buffer. */
  #trimmed = 0;
  /** First row of what has been printed since the last look. */
  #start = 0;
  /** Rows before this one are in `#gathered`. */
  #next = 0;
  #gathered = new Gathered();
  /** The screen was erased, or written above the start row: the rows since then are no account of what was printed. */
  #redrawn = true;
  #seen = '';
  #markAt: { x: number; y: number } | null = null;

  constructor({ everyRow, ...size }: { cols: number; rows: number; everyRow: boolean }, token: string | null, events: ScreenEvents) {
    this.#everyRow = everyRow;
    this.#events = events;
    this.#token = token;
    this.#xterm = new headless.Terminal({ ...size, scrollback: SCROLLBACK, allowProposedApi: true, logLevel: 'off' });
    // Both add-ons are typed for the browser's Terminal but use what the two have in common.
    this.#xterm.loadAddon(this.#serializer as unknown as headless.ITerminalAddon);
    this.#xterm.loadAddon(new graphemesAddon.UnicodeGraphemesAddon() as unknown as headless.ITerminalAddon);
    this.#xterm.onData((data) => {
      if (data !== '') events.onReply(data);
    });
    this.#listen();
  }

  get cols(): number {
    return this.#xterm.cols;
  }

  get rows(): number {
    return this.#xterm.rows;
  }

  get applicationCursor(): boolean {
    return this.#xterm.modes.applicationCursorKeysMode;
  }

  get bracketedPaste(): boolean {
    return this.#xterm.modes.bracketedPasteMode;
  }

  /** Bytes taken and not yet parsed. */
  get backlog(): number {
    return this.#queuedBytes;
  }

  /** Bytes parsed since the start. */
  get parsed(): number {
    return this.#parsed;
  }

  /** True where something has been printed after the last prompt mark. */
  get textAfterMark(): boolean {
    const { cursorX, cursorY } = this.#xterm.buffer.active;
    return this.#markAt === null || this.#markAt.x !== cursorX || this.#markAt.y !== cursorY;
  }

  /** Takes bytes of the terminal's output; parses them at once where nothing else waits. */
  write(chunk: Uint8Array): void {
    if (this.#disposed) return;
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.length;
    if (this.#pumping) return;
    this.#pumping = true;
    // More of the same is likely at hand; together it is a flood.
    if (this.#queuedBytes >= FLOOD_BYTES.least) setImmediate(() => this.#pump());
    else this.#pump();
  }

  /** Resolves when everything written so far is parsed. */
  flushed(): Promise<void> {
    if (this.#queuedBytes === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#flushes.push(resolve);
    });
  }

  /** Visible rows as text. */
  text(): string {
    const { active } = this.#xterm.buffer;
    return this.#rowsOf(active, active.baseY, active.baseY + this.rows)
      .join('\n')
      .trimEnd();
  }

  /** Screen with a little scrollback, as escape sequences that draw it. */
  serialize(): string {
    return this.#serializer.serialize({ scrollback: KEYFRAME_ROWS });
  }

  /**
   * What was printed since the last call, or the screen where that says more: a full-screen program runs, the screen was erased or
   * drawn over, or nothing came.
   */
  observe(limitBytes: number): { kind: 'new' | 'screen' } & Excerpt {
    const { normal, active } = this.#xterm.buffer;
    const cursor = this.#trimmed + normal.baseY + normal.cursorY;
    const screenful = active.type === 'alternate' || this.#redrawn || cursor < this.#start;
    const rest = screenful
      ? ''
      : this.#rowsOf(normal, this.#next - this.#trimmed, normal.length)
          .join('\n')
          .trimEnd();
    const gathered = this.#gathered;
    const nothing = gathered.bytes === 0 && rest === this.#seen;
    this.#start = Math.max(this.#trimmed, cursor);
    this.#next = this.#start;
    this.#gathered = new Gathered();
    this.#redrawn = false;
    this.#seen = this.#rowsOf(normal, this.#start - this.#trimmed, normal.length)
      .join('\n')
      .trimEnd();
    if (screenful || nothing) return { kind: 'screen', ...new Gathered().excerpt(this.text(), limitBytes) };
    return { kind: 'new', ...gathered.excerpt(rest, limitBytes) };
  }

  /** The rows that tmux would have: when its history is full it drops the oldest tenth of it. */
  capture(historyRows: number): { all: string; screen: string } {
    const { normal, active } = this.#xterm.buffer;
    const scrolled = this.#trimmed + normal.baseY;
    const tenth = Math.max(1, Math.floor(historyRows / 10));
    const kept = scrolled <= historyRows ? scrolled : historyRows - tenth + 1 + ((scrolled - historyRows - 1) % tenth);
    const lines = (rows: string[]) => rows.map((row) => `${row}\n`).join('');
    const screen = lines(this.#rowsOf(active, active.baseY, active.baseY + this.rows));
    return { all: lines(this.#rowsOf(normal, normal.baseY - kept, normal.baseY)) + screen, screen };
  }

  resize(cols: number, rows: number): void {
    // Rows are wrapped anew: what is complete is put aside, and counting goes on at the cursor.
    const { normal } = this.#xterm.buffer;
    this.#gather(normal.baseY + normal.cursorY);
    this.#xterm.resize(cols, rows);
    this.#trimmed = this.#next - (normal.baseY + normal.cursorY);
  }

  dispose(): void {
    this.#disposed = true;
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#xterm.dispose();
    for (const resolve of this.#flushes.splice(0)) resolve();
  }

  #listen(): void {
    const { parser } = this.#xterm;
    parser.registerOscHandler(133, (data) => {
      const [kind, ...fields] = data.split(';');
      if (this.#token === null || fields.at(-1) !== `aid=${this.#token}`) return true;
      switch (kind) {
        case 'A': {
          const { cursorX: x, cursorY: y } = this.#xterm.buffer.active;
          this.#markAt = { x, y };
          this.#events.onMark({ kind: 'prompt' });
          break;
        }
        case 'C':
          this.#events.onMark({ kind: 'started' });
          break;
        case 'D':
          this.#events.onMark({ kind: 'ended', exitCode: /^\d+$/.test(fields[0] ?? '') ? Number(fields[0]) : null });
          break;
        case 'N':
          this.#events.onMark({ kind: 'unmarked' });
          break;
      }
      return true;
    });
    parser.registerCsiHandler({ prefix: '?', final: 'l' }, (parameters) => {
      if (parameters.includes(2004)) this.#events.onMark({ kind: 'accepted' });
      return false;
    });
    parser.registerCsiHandler({ final: 'J' }, ([what]) => {
      if (what === 2 || what === 3) this.#erased(what === 3);
      return false;
    });
    parser.registerCsiHandler({ final: 'r' }, ([top = 0, bottom = 0]) => {
      this.#region = top !== 0 || bottom !== 0;
      return false;
    });
    parser.registerEscHandler({ final: 'c' }, () => {
      this.#region = false;
      this.#erased(true);
      return false;
    });
    const moved = ([row]: (number | number[])[]) => {
      const { normal, active } = this.#xterm.buffer;
      const target = this.#trimmed + normal.baseY + Math.max(1, typeof row === 'number' ? row : 1) - 1;
      if (active.type === 'normal' && target < this.#start) this.#redrawn = true;
      return false;
    };
    const bounded =
      (limit: () => number) =>
      ([count]: (number | number[])[]) =>
        typeof count === 'number' && count > limit();
    for (const final of REPEATED.rows)
      parser.registerCsiHandler(
        { final },
        bounded(() => Math.max(this.rows, 100)),
      );
    for (const final of REPEATED.columns)
      parser.registerCsiHandler(
        { final },
        bounded(() => Math.max(this.cols, 1000)),
      );
    parser.registerCsiHandler({ final: 'H' }, moved);
    parser.registerCsiHandler({ final: 'f' }, moved);
  }

  /** @param scrollback the rows behind the screen go too, and with them the count of rows */
  #erased(scrollback: boolean): void {
    if (this.#xterm.buffer.active.type === 'alternate' && !scrollback) return;
    this.#redrawn = true;
    if (!scrollback) return;
    this.#trimmed = 0;
    this.#start = 0;
    this.#next = 0;
    this.#gathered = new Gathered();
  }

  #pump(): void {
    this.#pumping = true;
    const since = performance.now();
    while (this.#queuedBytes > 0 && !this.#disposed) {
      const slice = this.#take();
      if (!(slice instanceof Uint8Array)) {
        this.#skip(slice);
        continue;
      }
      const began = performance.now();
      const counted = this.#countRows();
      let done = false;
      let waited = false;
      // Telling xterm that a key was typed makes it parse the next write now instead of on a timer a millisecond later.
      this.#xterm.input('', true);
      this.#xterm.write(this.#strings.pass(slice), () => {
        done = true;
        counted();
        const slow = performance.now() - began > SLICE_BYTES.slowMs;
        this.#sliceBytes = slow ? Math.max(SLICE_BYTES.least, this.#sliceBytes >> 1) : Math.min(SLICE_BYTES.most, this.#sliceBytes << 1);
        this.#queuedBytes -= slice.length;
        this.#parsed += slice.length;
        this.#events.onParsed();
        if (waited && !this.#disposed) this.#pump();
      });
      if (!done) {
        waited = true;
        return;
      }
      if (performance.now() - since > BUSY_MS && this.#queuedBytes > 0) {
        setImmediate(() => this.#pump());
        return;
      }
    }
    this.#pumping = false;
    for (const resolve of this.#flushes.splice(0)) resolve();
  }

  /** Next slice of the queue: bounded in bytes and in line breaks, or a flood to be counted. */
  #take(): Uint8Array | Flood {
    if (this.#lookedAt === 0) this.#lookForFlood();
    const [first = new Uint8Array()] = this.#queue;
    if (!(first instanceof Uint8Array)) {
      this.#queue.shift();
      return first;
    }
    let end = Math.min(first.length, this.#sliceBytes);
    let rows = 0;
    for (let at = first.indexOf(10); at !== -1 && at < end; at = first.indexOf(10, at + 1)) {
      rows += 1;
      if (rows === SLICE_ROWS) end = at + 1;
    }
    if (end === first.length) this.#queue.shift();
    else this.#queue[0] = first.subarray(end);
    this.#lookedAt = Math.max(0, this.#lookedAt - end);
    return end === first.length ? first : first.subarray(0, end);
  }

  /** Splits the front of the queue into what is drawn, what is only counted, and what is drawn after that. */
  #lookForFlood(): void {
    const { modes, buffer } = this.#xterm;
    const plain = buffer.active.type === 'normal' && !this.#region && modes.wraparoundMode && !modes.insertMode && !this.#strings.inside;
    if (this.#everyRow || this.#queuedBytes < FLOOD_BYTES.least || !plain || !this.#gathered.headFull) return;
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (const chunk of this.#queue) {
      if (!(chunk instanceof Uint8Array) || (chunks.length > 0 && size + chunk.length > FLOOD_BYTES.most)) break;
      chunks.push(chunk);
      size += chunk.length;
    }
    const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
    const flood = findFlood(bytes, this.cols, Math.max(DRAWN_BYTES, 2 * this.cols * this.rows));
    this.#queue.splice(0, chunks.length, ...(flood ? [bytes.subarray(0, flood.from), flood, bytes.subarray(flood.to)] : [bytes]));
    this.#lookedAt = flood ? size - (flood.to - flood.from) : size;
  }

  #skip({ from, to, rowBytes }: Flood): void {
    const { normal } = this.#xterm.buffer;
    this.#gather(normal.baseY + normal.cursorY);
    this.#gathered.count(rowBytes);
    this.#queuedBytes -= to - from;
    this.#parsed += to - from;
    this.#events.onParsed();
  }

  /** Makes sure that no row leaves the scrollback uncounted in the slice to come; what it answers is called after the slice. */
  #countRows(): () => void {
    const { normal } = this.#xterm.buffer;
    const atRisk = normal.length + SLICE_ROWS - (SCROLLBACK + this.rows);
    if (atRisk <= 0 || this.#xterm.buffer.active.type === 'alternate') return () => {};
    this.#gather(atRisk);
    const marker = this.#xterm.registerMarker(-1 - normal.cursorY);
    const before = marker?.line ?? 0;
    const trimmed = this.#trimmed;
    return () => {
      // The marker sits on the last row behind the screen. It is gone only if those rows were erased, which starts the count anew.
      if (marker && !marker.isDisposed && this.#trimmed === trimmed) this.#trimmed += before - marker.line;
      marker?.dispose();
      this.#start = Math.max(this.#start, this.#trimmed);
      this.#next = Math.max(this.#next, this.#trimmed);
    };
  }

  /** Puts the rows before buffer index `end` aside, as far as they belong to what is new. */
  #gather(end: number): void {
    const from = this.#next - this.#trimmed;
    if (end <= from) return;
    for (const row of this.#rowsOf(this.#xterm.buffer.normal, from, end)) this.#gathered.add(row);
    this.#next = this.#trimmed + end;
  }

  #rowsOf(buffer: headless.IBuffer, from: number, to: number): string[] {
    const rows: string[] = [];
    for (let index = Math.max(0, from); index < Math.min(to, buffer.length); index += 1) {
      rows.push(buffer.getLine(index)?.translateToString(true).trimEnd() ?? '');
    }
    return rows;
  }
}
