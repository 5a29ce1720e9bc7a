// The agent's time limit, kept outside of the agents: whatever an agent waits for is cut off when its time is over.
import type { Agent, AgentContext } from './agent.ts';

/** Pauses may give time back while a timer runs, so the clock looks again instead of trusting one long timer; at most this often. */
const SHORTEST_LOOK_MS = 25;
/** Longer timers than this overflow in Node. */
const LONGEST_LOOK_MS = 2 ** 31 - 1;

/**
 * Gives an agent a signal that also aborts when `timeLeftMs` reaches zero, and turns that abort into the outcome `time_limit`. An
 * abort by the caller still propagates as the caller's reason.
 */
export function timed(play: Agent): Agent {
  return async function* (context) {
    using clock = startClock(context);
    try {
      return yield* play({ ...context, signal: AbortSignal.any([context.signal, clock.signal]) });
    } catch (error) {
      // Adapters may wrap the abort in an error of their own, so what counts is that the time is over, not what was thrown.
      if (!clock.signal.aborted || context.signal.aborted) throw error;
      return { outcome: 'time_limit', detail: 'the time for the agent is over' };
    }
  };
}

/** The time left where at most `ms` of agent time may be used from now on. Time spent paused does not count. */
export function atMost(timeLeftMs: () => number, ms: number): () => number {
  const before = timeLeftMs();
  const began = performance.now();
  return () => {
    const left = timeLeftMs();
    const used = Number.isFinite(before) ? before - left : performance.now() - began;
    return Math.min(left, ms - used);
  };
}

function startClock(context: AgentContext): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const left = context.timeLeftMs();
    if (left <= 0) controller.abort(new DOMException('the time for the agent is over', 'AbortError'));
    else if (Number.isFinite(left)) timer = setTimeout(look, Math.min(Math.max(left, SHORTEST_LOOK_MS), LONGEST_LOOK_MS));
  };
  look();
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}
