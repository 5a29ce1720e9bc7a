// How a recording is entered at any moment, also one that is still written or was written anew.
import { appendFile, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTimelines } from '../main/terminal/timeline.ts';
import { writeRecording } from './recording.ts';

async function recorded() {
  const folder = await mkdtempDisposable(join(tmpdir(), 'termarium-timeline-'));
  const path = join(folder.path, 'a.cast');
  await writeRecording(path, [
    { seconds: 10, outputs: ['zero a\r\n', 'zero b\r\n'] },
    { seconds: 4, outputs: ['one a\r\n', 'one b\r\n', 'one c\r\n', 'one d\r\n'] },
  ]);
  return { path, [Symbol.asyncDispose]: () => folder.remove() };
}

it('says how long a recording is and where its turns begin', async () => {
  await using cast = await recorded();
  expect(await createTimelines().read(cast.path)).toEqual({
    seconds: 14,
    bytes: (await readFile(cast.path)).length,
    marks: [
      { time: 10, label: 'turn 1' },
      { time: 14, label: 'end' },
    ],
  });
});

it('answers a seek with the screen before that moment and exactly the events in between', async () => {
  await using cast = await recorded();
  const found = await createTimelines().seek(cast.path, 12.5);
  expect(found?.screen).toContain('zero b');
  expect(found?.screen).not.toContain('one a');
  expect(
    found?.events
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    [11, 'o', 'one a\r\n'],
    [12, 'o', 'one b\r\n'],
  ]);
  // At the beginning of a turn, its screen is all there is to draw.
  expect(await createTimelines().seek(cast.path, 10)).toMatchObject({ screen: expect.stringContaining('zero b'), events: '' });
  expect((await readFile(cast.path)).toString('utf8', found?.next)).toMatch(/^\[13,"o","one c/);
});

it('begins with an empty screen before the first one that was kept', async () => {
  await using cast = await recorded();
  expect(await createTimelines().seek(cast.path, 5)).toMatchObject({ cols: 160, rows: 40, screen: '', events: '[5,"o","zero a\\r\\n"]\n' });
});

it('reads on where a recording grows, and from the start where it is written anew', async () => {
  await using cast = await recorded();
  const timelines = createTimelines();
  await timelines.read(cast.path);
  const bytes = (await readFile(cast.path)).length;
  await appendFile(cast.path, '[20,"m","turn 3"]\n[21,"o","cut he');
  await appendFile(
    `${cast.path}.idx`,
    `${JSON.stringify({ offset: bytes + 18, time: 20, label: 'turn 3', cols: 80, rows: 24, screen: 'S' })}\n{"off`,
  );
  expect((await timelines.read(cast.path)).marks.map(({ label }) => label)).toEqual(['turn 1', 'end', 'turn 3']);
  expect(await timelines.seek(cast.path, 99)).toMatchObject({ cols: 80, screen: 'S', events: '', reached: true });

  const again = Array.from({ length: 30 }, () => ({ seconds: 1, outputs: ['again\r\n'] }));
  await writeRecording(cast.path, again);
  expect(await timelines.read(cast.path)).toMatchObject({ seconds: 30, marks: { length: 30 } });
});

it('has nothing to say of a recording that is not there, and little of one without an index', async () => {
  await using cast = await recorded();
  const timelines = createTimelines();
  expect(await timelines.read(`${cast.path}.none`)).toEqual({ seconds: 0, bytes: 0, marks: [] });
  expect(await timelines.seek(`${cast.path}.none`, 1)).toBeNull();
  await writeFile(`${cast.path}.idx`, '');
  expect(await timelines.read(cast.path)).toMatchObject({ seconds: 14, marks: [] });
  expect((await timelines.seek(cast.path, 14))?.events.split('\n')).toHaveLength(9);
});
