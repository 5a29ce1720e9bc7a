// The rollouts that play in this process now: what viewers attach to and what a human or a controller can act on.
import type { HumanAction } from '../agent/agent.ts';
import { delay } from '../lib/abort.ts';
import { Tail } from '../lib/tail.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { Clock, Gate } from './clock.ts';

/** A queue that is read as an async iterable; ends when closed. */
export class HumanInput implements AsyncIterable<HumanAction> {
  #queue: HumanAction[] = [];
  #wake: (() => void) | null = null;
  #closed = false;

  push(action: HumanAction): void {
    this.#queue.push(action);
    this.#wake?.();
  }

  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<HumanAction> {
    for (;;) {
      const next = this.#queue.shift();
      if (next) yield next;
      else if (this.#closed) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = null;
      }
    }
  }
}

/** The answer that is being sampled: its turn and its text so far. */
export interface Sampling {
  turn: number;
  text: Tail;
}

/** A sampling cursor names a turn and an offset in its text, so that one of an earlier turn reads the current turn from its start. */
const TURN = 2 ** 32;
/** How long a reader of a complete answer waits for the next one to begin. */
const BETWEEN_ANSWERS_MS = 100;

/** What has streamed since the cursor; parks until there is more or the signal aborts. */
export async function nextSampled(
  { turn, text }: Sampling,
  cursor: number,
  signal: AbortSignal,
): Promise<{ turn: number; text: string; cursor: number }> {
  const start = Math.max(0, turn) * TURN;
  const offset = cursor >= start && cursor - start <= text.end ? cursor - start : 0;
  const read = await text.next(Math.max(offset, text.oldest), signal);
  if (read.kind === 'more') return { turn, text: new TextDecoder().decode(read.data), cursor: start + read.cursor };
  await delay(BETWEEN_ANSWERS_MS, signal);
  return { turn, text: '', cursor: start + text.end };
}

/** One rollout while it plays. */
export interface LiveRollout {
  readonly rolloutId: string;
  readonly runId: string;
  readonly controller: AbortController;
  /** Shut while paused: the agent loop waits at its next step. */
  readonly gate: Gate;
  readonly clock: Clock;
  readonly human: HumanInput | null;
  /** Null until the shell is up. */
  terminal: Terminal | null;
  /** Text of the answer that is being sampled; replaced at each turn. */
  sampling: Sampling;
  beginSampling(turn: number): void;
}

export class LiveRollouts {
  #all = new Map<string, LiveRollout>();

  add(rolloutId: string, runId: string, human: boolean, controller = new AbortController()): LiveRollout {
    const live: LiveRollout = {
      rolloutId,
      runId,
      controller,
      gate: new Gate(),
      clock: new Clock(),
      human: human ? new HumanInput() : null,
      terminal: null,
      sampling: { turn: -1, text: new Tail() },
      beginSampling(turn) {
        live.sampling.text.close();
        live.sampling = { turn, text: new Tail() };
      },
    };
    this.#all.set(rolloutId, live);
    return live;
  }

  get(rolloutId: string): LiveRollout | undefined {
    return this.#all.get(rolloutId);
  }

  ofRun(runId: string): LiveRollout[] {
    return [...this.#all.values()].filter((live) => live.runId === runId);
  }

  remove(rolloutId: string): void {
    const live = this.#all.get(rolloutId);
    live?.human?.close();
    live?.sampling.text.close();
    this.#all.delete(rolloutId);
  }

  get size(): number {
    return this.#all.size;
  }
}
