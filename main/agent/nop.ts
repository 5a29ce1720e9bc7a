// The agent that does nothing: whatever it solves was solved before anyone began.
import type { Agent } from './agent.ts';

// biome-ignore lint/correctness/useYield: an agent is a generator, and this one has nothing to tell.
export const nop: Agent = async function* () {
  return { outcome: 'done', detail: 'did nothing, on purpose' };
};
