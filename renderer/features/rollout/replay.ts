// Plays a recording: one moment that the terminal, the track and the outline share. Knows no terminal and no React: it is given a
// source of events and tells a screen what to show.
import { createStore, type StoreApi } from 'zustand';
import { type CastEvent, castEvents } from './cast.ts';

/** Where events come from: the lab's `seek` and `recording`. */
export interface ReplaySource {
  seek(at: number, signal: AbortSignal): Promise<{ cols: number; rows: number; screen: string; events: string; next: number }>;
  read(offset: number, signal: AbortSignal): Promise<{ text: string; next: number }>;
}

/** What shows the moment. Each promise resolves when that much is on the screen. */
export interface ReplayScreen {
  start(screen: { cols: number; rows: number; screen: string }): Promise<void>;
  output(text: string): Promise<void>;
  resize(cols: number, rows: number): void;
}

export interface ReplayState {
  /** Seconds since the start of the recording; null where nobody chose a moment, so the end is shown. */
  at: number | null;
  playing: boolean;
  /** Recorded seconds for one second of the reader's. */
  speed: number;
  /** Pass over pauses in which the terminal printed nothing. */
  trim: boolean;
  /** Seconds that there are, as far as is known. */
  seconds: number;
  problem: unknown;
}

export const speeds = [0.5, 1, 2, 4, 8, 16] as const;

/** A pause of more than this many recorded seconds is passed over. */
const IDLE_SECONDS = 1;
/** What is left of a pause that is passed over, in seconds. */
const LEAD_SECONDS = 0.2;
/** Fewer events than this ahead, and the next stretch is read. */
const AHEAD = 200;
/** The position is told to whoever draws it at most so often, in ms. */
const TELL_MS = 60;

export interface Replay extends Disposable {
  store: StoreApi<ReplayState>;
  /** Gives the replay a screen until the returned function is called. It shows the moment at once. */
  show(screen: ReplayScreen): () => void;
  /** How long the recording is by now. */
  grow(seconds: number): void;
  /** Goes to a moment. Of several in a row only the last is shown. */
  seek(at: number): void;
  play(): void;
  pause(): void;
  /** Leaves the recording: back to the end, or to what happens now. */
  leave(): void;
  setSpeed(speed: number): void;
  setTrim(trim: boolean): void;
}

export function createReplay(source: ReplaySource, schedule: (tick: (now: number) => void) => () => void): Replay {
  const ended = new AbortController();
  const store = createStore<ReplayState>(() => ({ at: null, playing: false, speed: 1, trim: true, seconds: 0, problem: null }));
  let screen: ReplayScreen | null = null;
  /** Events that are known and not yet shown: those from `place` on. Replaced, never emptied, so that work on an old one notices. */
  let ahead: { events: CastEvent[]; place: number } = { events: [], place: 0 };
  /** Byte to read on from; null before the first seek. */
  let next: number | null = null;
  let readAll = false;
  let reading = false;
  let writing = false;
  /** Moment that is on the screen. */
  let shown = 0;
  let told = 0;
  let wanted: number | null = null;
  let seeking: AbortController | null = null;
  let stopTicking = () => {};

  const coming = () => ahead.events[ahead.place];
  const hold = (events: CastEvent[]) => {
    ahead = { events, place: 0 };
  };
  const fail = (problem: unknown) => {
    if (!ended.signal.aborted) store.setState({ problem, playing: false });
  };

  async function apply(until: number): Promise<void> {
    let text = '';
    const flush = async () => {
      const part = text;
      text = '';
      if (part !== '' && screen) await screen.output(part);
    };
    const own = ahead;
    for (let event = coming(); event && event.time <= until && own === ahead; event = coming()) {
      own.place += 1;
      if (event.kind === 'output') text += event.text;
      else {
        await flush();
        screen?.resize(event.cols, event.rows);
      }
    }
    if (own !== ahead) return;
    await flush();
    shown = until;
  }

  /** Reads the stretch after what is known. Answers whether there was any. */
  async function readOn(signal: AbortSignal): Promise<boolean> {
    if (next === null) return false;
    const from = next;
    const { text, next: to } = await source.read(from, signal);
    if (signal.aborted || next !== from) return false;
    next = to;
    readAll = to === from;
    hold([...ahead.events.slice(ahead.place), ...castEvents(text)]);
    return !readAll;
  }

  async function goTo(at: number, signal: AbortSignal): Promise<void> {
    if (!screen) return;
    // A little further on, within what is already here: no need to start again from a screen.
    const last = ahead.events.at(-1);
    if (next !== null && at >= shown && last && at <= last.time) return await apply(at);
    const found = await source.seek(at, signal);
    if (signal.aborted || !screen) return;
    hold(castEvents(found.events));
    next = found.next;
    readAll = false;
    await screen.start(found);
    await apply(at);
    // A flood: more led to this moment than one answer holds.
    while (!signal.aborted && (await readOn(signal)) && (coming()?.time ?? at) <= at) await apply(at);
    shown = at;
  }

  /** One seek at a time; whatever is asked for meanwhile replaces what was asked before. */
  async function drain(): Promise<void> {
    if (seeking) return;
    while (wanted !== null && screen) {
      const at = wanted;
      wanted = null;
      seeking = new AbortController();
      const signal = AbortSignal.any([seeking.signal, ended.signal]);
      try {
        await goTo(at, signal);
        if (store.getState().problem) store.setState({ problem: null });
      } catch (problem) {
        if (!signal.aborted) fail(problem);
      }
    }
    seeking = null;
  }

  function moveTo(at: number, now: number): void {
    if (now - told < TELL_MS) return;
    told = now;
    store.setState({ at });
  }

  function stop(): void {
    stopTicking();
    stopTicking = () => {};
    if (store.getState().playing) store.setState({ playing: false });
  }

  function start(): void {
    let before: number | null = null;
    let position = store.getState().at ?? 0;
    stopTicking();
    stopTicking = schedule((now) => {
      const state = store.getState();
      const passed = before === null ? 0 : Math.min(250, now - before);
      before = now;
      if (seeking || wanted !== null) {
        position = wanted ?? state.at ?? position;
        return;
      }
      if (writing) return;
      const known = ahead.events.length - ahead.place;
      if (known < AHEAD && !readAll && !reading && screen) {
        reading = true;
        readOn(ended.signal)
          .catch(fail)
          .finally(() => {
            reading = false;
          });
      }
      // Without a screen, time passes all the same; with one, never past what has been read.
      if (screen && known === 0 && !readAll) return;
      let target = position + (passed / 1000) * state.speed;
      const pause = (coming()?.time ?? state.seconds) - target;
      if (state.trim && screen && pause > IDLE_SECONDS) target += pause - LEAD_SECONDS;
      position = Math.min(target, state.seconds);
      writing = true;
      apply(position)
        .catch(fail)
        .finally(() => {
          writing = false;
        });
      if (position >= state.seconds) {
        store.setState({ at: state.seconds });
        stop();
      } else moveTo(position, now);
    });
    store.setState({ playing: true, problem: null });
  }

  const seek = (at: number) => {
    const { seconds } = store.getState();
    const bounded = Math.max(0, Math.min(seconds, at));
    store.setState({ at: bounded });
    wanted = bounded;
    void drain();
  };

  return {
    store,
    seek,
    show(given) {
      screen = given;
      next = null;
      hold([]);
      wanted = store.getState().at ?? store.getState().seconds;
      void drain();
      return () => {
        if (screen !== given) return;
        screen = null;
        seeking?.abort();
        next = null;
        hold([]);
      };
    },
    grow(seconds) {
      if (seconds > store.getState().seconds) readAll = false;
      store.setState({ seconds });
    },
    play() {
      const { at, seconds } = store.getState();
      if (seconds === 0) return;
      if (at === null || at >= seconds) seek(0);
      start();
    },
    pause: stop,
    leave() {
      stop();
      wanted = null;
      store.setState({ at: null });
    },
    setSpeed: (speed) => store.setState({ speed }),
    setTrim: (trim) => store.setState({ trim }),
    [Symbol.dispose]() {
      ended.abort();
      seeking?.abort();
      stop();
    },
  };
}
