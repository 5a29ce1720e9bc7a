// Plays 60 turns of loud commands against a real HTTP server whose context holds 8,192 tokens, in every way of making room. The rollout
// must end as its limits say, with every compaction told, and without an error that nobody handled.
import { describe, expect, it } from 'vitest';
import type { Step } from '../main/agent/agent.ts';
import { agents } from '../main/agent/index.ts';
import { openPlayground, playToEnd, stepsAt, taskNamed } from '../main/agent/playing.ts';
import type { AgentSettings } from '../main/contract/schema/config.ts';
import { lab } from './model-lab.ts';
import type { SeenRequest } from './model-server.ts';
import type { Profile } from './model-wire.ts';

const CONTEXT = 8192;
const TURNS = 60;

const lastOf = ({ body }: SeenRequest): string => {
  const messages = body.messages;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : null;
  return typeof last === 'object' && last !== null && 'content' in last ? String(last.content) : '';
};

/** Answers in the format, or in plain text where it is asked to hand over; now and then what cannot be read. */
function loudModel(duration: number) {
  let asked = 0;
  return (request: SeenRequest) => {
    const prompt = lastOf(request);
    if (prompt.includes('send no keys') || prompt.includes('Send no keys'))
      return { do: 'answer' as const, text: 'I looked at /etc and at /srv. '.repeat(40) };
    asked += 1;
    if (asked % 17 === 0) return { do: 'answer' as const, text: 'I would rather talk about it.' };
    const keystrokes = [`X${asked}=1; ls /nowhere${asked}\n`, `seq ${asked} ${asked + 700}\n`];
    const commands = keystrokes.map((keys) => ({ keystrokes: keys, duration }));
    return { do: 'answer' as const, text: JSON.stringify({ analysis: 'Reading on. '.repeat(30), plan: 'More of it.', commands }) };
  };
}

async function tortured(settings: Partial<AgentSettings>, profile: Profile, options: { instruction?: string; maxTokens?: number } = {}) {
  await using ground = await openPlayground();
  await using models = await lab({ profile, contextLength: CONTEXT, behave: loudModel(settings.mode === 'strict' ? 0.05 : 5) });
  const result = await playToEnd(agents.terminus.play, {
    ...ground.context,
    task: taskNamed('torture', options.instruction ?? 'Read everything.'),
    model: models.model,
    sampling: options.maxTokens === undefined ? {} : { maxTokens: options.maxTokens },
    limits: { ...ground.context.limits, turns: TURNS },
    settings: { ...ground.context.settings, ...settings },
  });
  return { ...result, seen: models.server.seen };
}

/** Prompts that took the conversation's place, and the notes that tell it. */
function compactions(steps: Step[]) {
  const replaced = stepsAt(steps, 'prompt').filter(({ turn }) => turn > 0);
  const told = stepsAt(steps, 'note').filter(({ text }) =>
    /^The (?:conversation nearly fills the context|server refused the conversation)/.test(text),
  );
  return { replaced, told };
}

describe('a conversation of 60 loud turns in a context of 8,192 tokens', { timeout: 60_000 }, () => {
  it.each(['handoff', 'keep-errors', 'drop-middle'] as const)('ends at its turn limit, every compaction told: %s', async (compaction) => {
    const { steps, end } = await tortured({ compaction }, 'vllm', { maxTokens: 1024 });
    expect(end).toEqual({ outcome: 'turn_limit', detail: 'played all 60 turns' });
    expect(stepsAt(steps, 'response')).toHaveLength(TURNS);
    const { replaced, told } = compactions(steps);
    expect(replaced.length).toBeGreaterThan(3);
    expect(told.map(({ turn }) => turn)).toEqual(replaced.map(({ turn }) => turn));
    for (const { text } of told) expect(text).toMatch(/: \d+ of 8192 tokens \(.+\), now \d+ \(an estimate\)\. /);
    // What the model sees from there on begins with the task and takes turns, as chat templates demand.
    for (const { messages } of replaced) {
      expect(messages[0]?.content).toContain('Read everything.');
      expect(messages.map(({ role }) => role)).toEqual(messages.map((_, index) => (index % 2 === 0 ? 'user' : 'assistant')));
    }
    if (compaction === 'keep-errors') expect(replaced.at(-1)?.messages[0]?.content).toMatch(/Commands that failed there:\n- turn \d+: /);
  });

  it('makes room when the server refuses, where nobody says how long the context is', async () => {
    const { steps, end } = await tortured({ compaction: 'handoff' }, 'openai');
    expect(end.outcome).toBe('turn_limit');
    const { replaced, told } = compactions(steps);
    expect(told.length).toBe(replaced.length);
    expect(told[0]?.text).toMatch(/^The server refused the conversation as too long: \d+ of an unknown number of tokens/);
  });

  it('keeps an instruction of 40,000 words from ending a rollout, in strict mode too, where it is not cut beforehand', async () => {
    const { end, steps } = await tortured({ mode: 'strict' }, 'sglang', { instruction: 'word '.repeat(40_000) });
    expect(end.outcome).toBe('turn_limit');
    expect(compactions(steps).told.some(({ text }) => text.includes('All turns were left out'))).toBe(true);
  });

  it('ends with context_full where making room is turned off', async () => {
    const { end, steps } = await tortured({ compaction: 'none' }, 'vllm');
    expect(end).toEqual({ outcome: 'context_full', detail: 'the conversation no longer fits into the context' });
    expect(compactions(steps)).toEqual({ replaced: [], told: [] });
  });
});
