import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NodeRow } from '../../../main/contract/schema/rollout.ts';
import { clockTime, summaryOf, turnsOf, turnTime } from './turns.ts';

let made = 0;
function node(change: Partial<NodeRow>): NodeRow {
  made += 1;
  return {
    id: `n${made}`,
    rolloutId: 'r',
    parentId: null,
    turn: 0,
    role: 'user',
    author: 'environment',
    content: '',
    reasoning: null,
    format: null,
    promptTokens: null,
    completionTokens: null,
    stopReason: null,
    tokenIds: null,
    logprobs: null,
    tokens: null,
    sampled: false,
    timings: {},
    createdAt: made,
    commands: [],
    rev: made,
    ...change,
  };
}
const answer = (turn: number, content = '') => node({ turn, role: 'assistant', author: 'sampled', content });

describe('turns of a rollout', () => {
  it('hold the prompt, the answer and what came back', () => {
    const nodes = [
      node({ author: 'template', content: 'task' }),
      answer(0),
      node({ content: 'out 0' }),
      answer(1),
      node({ turn: 1, content: 'out 1' }),
    ];
    expect(
      turnsOf(nodes).map((turn) => [turn.number, turn.prompt.length, turn.response?.id, turn.replies.map((reply) => reply.content)]),
    ).toEqual([
      [0, 1, nodes[1]?.id, ['out 0']],
      [1, 0, nodes[3]?.id, ['out 1']],
    ]);
  });

  it('take feedback about a broken answer as its reply', () => {
    const turns = turnsOf([
      node({ author: 'template' }),
      answer(0, 'nonsense'),
      node({ author: 'template', content: 'not valid JSON' }),
      answer(1),
    ]);
    expect(turns.map((turn) => turn.replies.map((reply) => reply.content))).toEqual([['not valid JSON'], []]);
  });

  it('open with the prompt while the first answer is sampled', () => {
    const turns = turnsOf([node({ role: 'system', author: 'template' }), node({ author: 'template' })]);
    expect(turns).toHaveLength(1);
    expect(turns[0]?.prompt).toHaveLength(2);
    expect(turns[0]?.response).toBeNull();
  });

  it('lose no message, whatever the order', () => {
    const roles = fc.constantFrom<NodeRow['role']>('user', 'assistant', 'system');
    const authors = fc.constantFrom<NodeRow['author']>('template', 'environment', 'human');
    void fc.assert(
      fc.property(fc.array(fc.tuple(roles, authors, fc.nat(5)), { maxLength: 30 }), (messages) => {
        const nodes = messages.map(([role, author, turn]) => node({ role, author, turn }));
        const grouped = turnsOf(nodes).flatMap((turn) => [...turn.prompt, ...(turn.response ? [turn.response] : []), ...turn.replies]);
        expect(grouped).toEqual(nodes);
      }),
    );
  });

  it('are named after what they ran', () => {
    const [turn] = turnsOf([
      node({
        role: 'assistant',
        commands: [
          {
            nodeId: 'x',
            index: 0,
            keystrokes: 'make test\nls\n',
            duration: 1,
            startedAt: 0,
            endedAt: 1,
            exitCode: 0,
            settled: 'idle',
            from: 0,
            to: 1,
          },
        ],
      }),
    ]);
    expect(turn && summaryOf(turn)).toBe('make test');
  });
});

it('says where the time of a turn went, once it is over', () => {
  const command = { index: 0, keystrokes: '', duration: 1, exitCode: 0, settled: 'idle', from: 0, to: 1 } as const;
  const response = node({ role: 'assistant', createdAt: 10_000, timings: { totalMs: 3_000 } });
  const asked = { ...response, commands: [{ ...command, nodeId: response.id, startedAt: 10_010, endedAt: 10_410 }] };
  expect(turnsOf([asked]).map(turnTime)).toEqual([null]);
  expect(turnsOf([asked, node({ createdAt: 10_500 })]).map(turnTime)).toEqual([{ model: 3_000, commands: 400, rest: 100 }]);
});

describe("a person's clock", () => {
  it('stands while it is stopped', () => {
    const marks = [
      { at: 10_000, running: false },
      { at: 40_000, running: true },
    ];
    expect(clockTime(0, [], 5_000)).toEqual({ ms: 5_000, running: true });
    expect(clockTime(0, marks.slice(0, 1), 30_000)).toEqual({ ms: 10_000, running: false });
    expect(clockTime(0, marks, 45_000)).toEqual({ ms: 15_000, running: true });
  });
});
