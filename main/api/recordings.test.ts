// The recordings of real imported trials: where their turns begin, and what a seek to one shows.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, hasPack, openDesk, packNote } from '../exchange/pack.testing.ts';
import { indexRecording, typedIn } from '../terminal/reindex.ts';
import { createTimelines } from '../terminal/timeline.ts';
import { recordingIndexes } from './recordings.ts';
import { turnTimes } from './tails.ts';

describe.skipIf(!hasPack)(`recordings of imported trials${packNote}`, () => {
  let desk: Desk;
  let ids: string[];
  beforeAll(async () => {
    desk = await openDesk();
    const report = await desk.import(join(await desk.unpack('endless_playground/solution_sonnet', false), '2026-04-28__23-13-48'));
    ids = desk.store.rollouts.ofRun(report.runs[0]?.runId ?? '').map(({ id }) => id);
  });
  afterAll(() => desk[Symbol.asyncDispose]());

  it('get a mark for each turn, between what the turn before typed and what the turn itself typed', async () => {
    const indexes = recordingIndexes(desk.store, desk.recordings);
    const timelines = createTimelines();
    for (const id of ids) {
      const path = join(desk.recordings, `${id}.cast`);
      expect(existsSync(`${path}.idx`)).toBe(false);
      // Several viewers at once make it once.
      await Promise.all([indexes.ensure(id), indexes.ensure(id)]);
      const { marks, seconds } = await timelines.read(path);
      const turns = turnTimes(marks);
      const nodes = desk.store.nodes.read(id, undefined, { tokens: false }).rows.filter((node) => node.role === 'assistant');
      expect(turns.map(({ turn }) => turn)).toEqual(nodes.slice(1).map(({ turn }) => turn));
      expect(turns.every(({ time }, index) => time >= (turns[index - 1]?.time ?? 0) && time <= seconds)).toBe(true);
      // Every command that was typed as the trajectory has it lies in the stretch of its own turn.
      const { typed } = await typedIn(path);
      let from = 0;
      let found = 0;
      for (const node of nodes) {
        for (const { keystrokes } of node.commands) {
          const at = typed.findIndex(({ text }, index) => index >= from && text === keystrokes);
          if (at < 0) continue;
          from = at + 1;
          found += 1;
          const time = typed[at]?.time ?? 0;
          expect(turns.filter((turn) => turn.time <= time).length).toBe(node.turn);
        }
      }
      expect(found).toBeGreaterThan(nodes.length / 2);
    }
  });

  it('show at the beginning of a turn what the turn before left on the screen', async () => {
    const [id = ''] = ids;
    const path = join(desk.recordings, `${id}.cast`);
    await recordingIndexes(desk.store, desk.recordings).ensure(id);
    const timelines = createTimelines();
    const [second] = turnTimes((await timelines.read(path)).marks);
    const typed =
      desk.store.nodes
        .read(id)
        .rows.find((node) => node.commands.length > 0)
        ?.commands[0]?.keystrokes.trim() ?? '';
    const shown = await timelines.seek(path, second?.time ?? 0);
    expect(shown?.screen).toContain(typed);
    expect(shown?.events).toBe('');
  });

  it('are indexed again where the index was removed, to the same bytes', async () => {
    const [id = ''] = ids;
    const path = join(desk.recordings, `${id}.cast`);
    const indexes = recordingIndexes(desk.store, desk.recordings);
    await indexes.ensure(id);
    const before = readFileSync(`${path}.idx`);
    rmSync(`${path}.idx`);
    await indexes.ensure(id);
    expect(readFileSync(`${path}.idx`).equals(before)).toBe(true);
  });
});

describe('a recording of others', () => {
  const lines = (...events: unknown[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');

  it('that is none, or of an absurd size, has an empty index and no error', async () => {
    await using desk = await openDesk();
    const path = join(desk.folder, 'a.cast');
    for (const content of ['', 'no json\n', lines({ version: 2, width: 1e9, height: 24 }, [1, 'o', 'x'])]) {
      writeFileSync(path, content);
      expect(await indexRecording(path, [{ time: 0, label: 'turn 1' }])).toBe(false);
      expect(readFileSync(`${path}.idx`, 'utf8')).toBe('');
      expect((await createTimelines().read(path)).marks).toEqual([]);
    }
    await expect(indexRecording(join(desk.folder, 'none.cast'), [])).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is read up to a line that is cut, and follows a terminal that was resized', async () => {
    await using desk = await openDesk();
    const path = join(desk.folder, 'a.cast');
    mkdirSync(desk.folder, { recursive: true });
    const events = lines(
      { version: 2, width: 80, height: 24 },
      [1, 'o', 'first'],
      [2, 'r', '100x30'],
      [2, 'r', '99999x1'],
      [3, 'o', ' second'],
    );
    writeFileSync(path, `${events}[4,"o","cut`);
    const marks = [
      { time: 1.5, label: 'turn 1' },
      { time: 9, label: 'turn 2' },
    ];
    expect(await indexRecording(path, marks)).toBe(true);
    const timelines = createTimelines();
    expect((await timelines.read(path)).marks).toEqual([marks[0], { time: 3, label: 'turn 2' }]);
    expect(await timelines.seek(path, 2)).toMatchObject({
      cols: 80,
      screen: 'first',
      events: lines([2, 'r', '100x30'], [2, 'r', '99999x1']),
    });
    expect(await timelines.seek(path, 3)).toMatchObject({ cols: 100, rows: 30, screen: 'first second', events: '' });
  });
});
