import { expect, it } from 'vitest';
import { castEvents, timeOf, turnAt } from './cast.ts';
import { createReplay, type ReplayScreen } from './replay.ts';

const recording = ['[1,"o","a"]', '[1.5,"o","b"]', '[1.6,"r","80x24"]', '[20,"o","c"]', '[20.5,"o","d"]', '[21,"m","end"]'];

/** A lab that has the recording, one byte a line, with a screen at 0 and at 20 seconds. */
function lab() {
  const asked: number[] = [];
  return {
    asked,
    seek: async (at: number) => {
      asked.push(at);
      const [from, screen] = at >= 20 ? [3, 'ab'] : [0, ''];
      const events = recording.slice(from).filter((line) => Number(/[\d.]+/.exec(line)?.[0]) <= at);
      return { cols: 160, rows: 40, screen, events: events.join('\n'), next: from + events.length };
    },
    read: async (offset: number) => ({
      text: recording.slice(offset, offset + 2).join('\n'),
      next: Math.min(recording.length, offset + 2),
    }),
  };
}

function paper(): ReplayScreen & { text: string; size: string } {
  return {
    text: '',
    size: '',
    async start({ screen, cols, rows }) {
      this.text = screen;
      this.size = `${cols}x${rows}`;
    },
    async output(text) {
      this.text += text;
    },
    resize(cols, rows) {
      this.size = `${cols}x${rows}`;
    },
  };
}

/** A clock that ticks when told, and lets everything settle in between. */
function hand() {
  let tick: ((now: number) => void) | null = null;
  let now = 0;
  return {
    schedule: (each: (now: number) => void) => {
      tick = each;
      return () => {
        tick = null;
      };
    },
    async pass(ms: number, step = 50) {
      for (let passed = 0; passed < ms; passed += step) {
        now += step;
        tick?.(now);
        await settled();
      }
    },
  };
}

async function settled() {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

function opened() {
  const source = lab();
  const time = hand();
  const replay = createReplay(source, time.schedule);
  replay.grow(21);
  const screen = paper();
  return { source, time, replay, screen };
}

it('shows the moment that is asked for, wherever it lies', async () => {
  const { replay, screen } = opened();
  replay.show(screen);
  for (const [at, text] of [
    [1.2, 'a'],
    [20.2, 'abc'],
    [0.5, ''],
    [21, 'abcd'],
  ] as const) {
    replay.seek(at);
    await settled();
    expect([replay.store.getState().at, screen.text]).toEqual([at, text]);
  }
});

it('asks only for the last of many moments that are passed while the thumb is dragged', async () => {
  const { replay, screen, source } = opened();
  replay.show(screen);
  await settled();
  source.asked.length = 0;
  for (let at = 20; at > 1; at -= 0.1) replay.seek(at);
  await settled();
  expect(source.asked.length).toBeLessThan(3);
  expect(screen.text).toBe('a');
});

it('plays at the speed that is set, passes over pauses, resizes, and stops at the end', async () => {
  const { replay, screen, time } = opened();
  replay.show(screen);
  replay.seek(0.9);
  await settled();
  replay.play();
  await time.pass(800);
  expect([screen.text, screen.size]).toEqual(['ab', '80x24']);
  // 18 seconds in which nothing happened are a fifth of one.
  await time.pass(400);
  expect(screen.text).toBe('abc');
  replay.setSpeed(4);
  await time.pass(400);
  expect(screen.text).toBe('abcd');
  expect(replay.store.getState()).toMatchObject({ playing: false, at: 21 });
});

it('keeps the pauses where they are wanted', async () => {
  const { replay, screen, time } = opened();
  replay.show(screen);
  replay.setTrim(false);
  replay.seek(1);
  await settled();
  replay.play();
  await time.pass(5_000);
  expect(replay.store.getState().at).toBeGreaterThan(5.8);
  expect(replay.store.getState().at).toBeLessThan(6.1);
});

it('plays on where a recording has grown', async () => {
  const { replay, screen, time } = opened();
  replay.show(screen);
  replay.seek(20.9);
  await settled();
  replay.play();
  await time.pass(300);
  expect(replay.store.getState().playing).toBe(false);
  recording.push('[22,"o","e"]');
  replay.grow(22);
  replay.play();
  await time.pass(1_500);
  recording.pop();
  expect(screen.text).toBe('abcde');
});

it('leaves what is no event of the screen alone', () => {
  const lines = '{"version":2}\n[1,"i","x"]\n[2,"o","\\udc80ok"]\n[3,"r","0x"]\n[4,"m","turn 1"]\nnonsense\n[5,"o","cut';
  expect(castEvents(lines)).toEqual([{ kind: 'output', time: 2, text: '\ufffdok' }]);
});

it('knows turns by time and times by turn', () => {
  const marks = [
    { turn: 1, time: 5 },
    { turn: 2, time: 9 },
  ];
  expect([0, 4.9, 5, 8, 9, 99].map((at) => turnAt(marks, at))).toEqual([0, 0, 1, 1, 2, 2]);
  expect([0, 1, 2, 3].map((turn) => timeOf(marks, turn))).toEqual([0, 5, 9, null]);
});
