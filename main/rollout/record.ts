// Turns the steps of an agent into stored facts, as they happen. What is not stored here did not happen, as far as the lab can tell later.
import type { Step } from '../agent/agent.ts';
import { assertNever } from '../lib/errors.ts';
import type { Completion } from '../model/model.ts';
import type { Store } from '../store/store.ts';

/** What one rollout has used so far. */
export interface Usage {
  turns: number;
  promptTokens: number;
  completionTokens: number;
  modelMs: number;
  commandMs: number;
}

/** Records steps; `usage` grows with them. */
export interface StepRecorder {
  record(step: Step): void;
  readonly usage: Usage;
}

/** A recorder that writes to the store: one transaction per fact. */
export function storeRecorder(store: Store, rolloutId: string): StepRecorder {
  const usage: Usage = { turns: 0, promptTokens: 0, completionTokens: 0, modelMs: 0, commandMs: 0 };
  let parentId: string | null = null;
  let answerId = '';

  const message = (
    role: 'system' | 'user' | 'assistant',
    author: 'template' | 'environment' | 'human' | 'edited' | 'sampled',
    turn: number,
    content: string,
  ) => {
    parentId = store.nodes.append({ ...blank, rolloutId, parentId, turn, role, author, content, sampled: false });
    return parentId;
  };

  const spend = ({ promptTokens, completionTokens, totalMs }: Completion) => {
    usage.promptTokens += promptTokens ?? 0;
    usage.completionTokens += completionTokens ?? 0;
    usage.modelMs += totalMs;
  };

  const record = (step: Step): void => {
    switch (step.at) {
      case 'prompt':
        // A prompt after the first replaces the conversation (compaction): it starts a branch of its own.
        parentId = null;
        for (const { role, author, content } of step.messages) message(role, author, step.turn, content);
        return;
      case 'sampling':
        return;
      case 'response': {
        const { completion } = step;
        usage.turns += 1;
        if (completion) spend(completion);
        answerId = store.nodes.append({
          ...blank,
          rolloutId,
          parentId,
          turn: step.turn,
          role: 'assistant',
          author: step.author,
          content: step.text,
          reasoning: completion?.reasoning ?? null,
          format: step.format,
          promptTokens: completion?.promptTokens ?? null,
          completionTokens: completion?.completionTokens ?? null,
          stopReason: completion?.finish ?? null,
          tokenIds: completion?.tokenIds ?? null,
          logprobs: completion?.logprobs ?? null,
          tokens: completion?.tokens ?? null,
          sampled: step.author === 'sampled',
          timings: completion
            ? { totalMs: completion.totalMs, ...(completion.firstTokenMs === null ? {} : { firstTokenMs: completion.firstTokenMs }) }
            : {},
        });
        parentId = answerId;
        for (const retry of completion?.retries ?? []) store.events.append(rolloutId, 'model_retry', { turn: step.turn, retry });
        store.rollouts.update(rolloutId, 'turn', {
          turns: usage.turns,
          promptTokens: usage.promptTokens,
          completionTokens: usage.completionTokens,
        });
        return;
      }
      case 'command':
        store.nodes.beginCommand({
          nodeId: answerId,
          index: step.index,
          keystrokes: step.command.keystrokes,
          duration: step.command.duration,
          startedAt: step.startedAt,
          from: step.from,
        });
        return;
      case 'executed': {
        const { exitCode, settled, endedAt, startedAt, to } = step.result;
        usage.commandMs += endedAt - startedAt;
        store.nodes.endCommand(answerId, step.index, { exitCode, settled, endedAt, to });
        return;
      }
      case 'observation':
        message('user', 'environment', step.turn, step.text);
        return;
      case 'note':
        store.events.append(rolloutId, 'note', { turn: step.turn, text: step.text });
        if (step.used) spend(step.used);
        return;
      default:
        assertNever(step);
    }
  };
  return { record, usage };
}

const blank = {
  reasoning: null,
  format: null,
  promptTokens: null,
  completionTokens: null,
  stopReason: null,
  tokenIds: null,
  logprobs: null,
  tokens: null,
  timings: {},
} as const;
