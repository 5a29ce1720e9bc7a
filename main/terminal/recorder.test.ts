import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openRecorder } from './recorder.ts';
import { type RecordingEvent, readRecording, readScreens } from './recording.ts';
import { losslessDecoder, losslessEncode } from './utf8.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'termarium-recorder-'));
  path = join(folder, 'terminal.cast');
});
afterEach(() => rm(folder, { recursive: true }));

async function events(): Promise<RecordingEvent[]> {
  const list: RecordingEvent[] = [];
  for await (const event of readRecording(path)) list.push(event);
  return list;
}
function outputOf(list: RecordingEvent[]): Buffer {
  return Buffer.concat(list.flatMap((event) => (event.kind === 'output' ? [event.data] : [])));
}
const screenOf = (screen: string) => () => ({ screen, cols: 80, rows: 24 });

describe('a recording', () => {
  test('is an asciicast v2 file that gives back what was printed, resized and marked, in order', async () => {
    {
      await using recorder = await openRecorder(path, { cols: 80, rows: 24 });
      recorder.output(Buffer.from('$ ls\r\n'));
      recorder.resized(100, 30);
      recorder.output(Buffer.from('grün\r\n'));
      recorder.attach(screenOf('the screen'));
      recorder.mark('turn 2');
    }
    const [first] = (await readFile(path, 'utf8')).split('\n');
    expect(JSON.parse(first ?? '')).toMatchObject({ version: 2, width: 80, height: 24 });
    expect((await events()).map((event) => event.kind)).toEqual(['start', 'output', 'resize', 'output', 'marker']);
    expect(outputOf(await events()).toString()).toBe('$ ls\r\ngrün\r\n');
  });

  test('can be entered at a marker: its screen is what all output before its offset draws', async () => {
    {
      await using recorder = await openRecorder(path, { cols: 80, rows: 24 });
      recorder.output(Buffer.from('before'));
      recorder.attach(screenOf('drawn'));
      recorder.mark('turn 1');
      recorder.output(Buffer.from('after'));
    }
    const [screen] = await readScreens(path);
    expect(screen).toMatchObject({ label: 'turn 1', screen: 'drawn', cols: 80, rows: 24 });
    const rest = (await readFile(path)).subarray(screen?.offset).toString();
    expect(rest).toContain('after');
    expect(rest).not.toContain('before');
  });

  test('takes a screen for a marker only when all output has reached it', async () => {
    {
      await using recorder = await openRecorder(path, { cols: 80, rows: 24 });
      let parsed = false;
      recorder.attach(() => (parsed ? { screen: 'complete', cols: 80, rows: 24 } : null));
      recorder.output(Buffer.from('x'));
      recorder.mark('turn 1');
      recorder.parsed();
      parsed = true;
      recorder.parsed();
    }
    expect((await readScreens(path)).map(({ label, screen }) => [label, screen])).toEqual([['turn 1', 'complete']]);
  });

  test('that was cut by a crash reads up to the last whole line', async () => {
    {
      await using recorder = await openRecorder(path, { cols: 80, rows: 24 });
      recorder.output(Buffer.from('kept'));
      recorder.resized(80, 24);
      recorder.output(Buffer.from('lost'));
    }
    await truncate(path, (await readFile(path)).length - 4);
    expect(outputOf(await events()).toString()).toBe('kept');
    await writeFile(path, 'no recording at all');
    expect(await events()).toEqual([]);
  });

  test('is on disk within a moment, without being closed', async () => {
    await using recorder = await openRecorder(path, { cols: 80, rows: 24 });
    recorder.output(Buffer.from('alive'));
    await recorder.flushed();
    expect(outputOf(await events()).toString()).toBe('alive');
  });

  test('keeps its limit, and says where it was cut', async () => {
    {
      await using recorder = await openRecorder(path, { cols: 80, rows: 24, maxBytes: 10_000 });
      for (let round = 0; round < 100; round += 1) {
        recorder.output(Buffer.alloc(1_000, 'x'));
        recorder.resized(80, 24);
      }
      expect(recorder.state).toBe('cut');
    }
    expect((await readFile(path)).length).toBeLessThan(10_300);
    expect((await events()).at(-1)).toMatchObject({ kind: 'marker', label: expect.stringContaining('limit of 10000 bytes') });
  });

  test('of bytes that are no text is read back byte for byte', async () => {
    const bytes = Buffer.from([0x80, 0xff, 0x41, 0xc3, 0xc3, 0xa9, 0xed, 0xa0, 0x80, 0xf0, 0x9f, 0x00, 0x1b]);
    {
      await using recorder = await openRecorder(path, { cols: 80, rows: 24 });
      recorder.output(bytes);
    }
    expect(outputOf(await events())).toEqual(bytes);
  });
});

test('a recording without an index has no screens', async () => {
  expect(await readScreens(path)).toEqual([]);
});

test('any bytes in any chunks survive the way through text', () => {
  const chunks = fc.array(
    fc.oneof(
      fc.uint8Array({ maxLength: 20 }),
      fc.string({ unit: 'binary', maxLength: 8 }).map((text) => Uint8Array.from(Buffer.from(text))),
      fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => Uint8Array.from(Buffer.from(text).subarray(1))),
    ),
  );
  fc.assert(
    fc.property(chunks, (list) => {
      const decoder = losslessDecoder();
      const text = JSON.parse(JSON.stringify(list.map((chunk) => decoder.decode(chunk)).join('') + decoder.end()));
      expect(losslessEncode(text)).toEqual(Buffer.concat(list));
    }),
    { numRuns: 500 },
  );
});
