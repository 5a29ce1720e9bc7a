// Tokens of the fake lab: every answer that has ids is encoded to others at its seventh token, so that there is something to see.
import { implement } from '@orpc/server';
import { contract } from '../../main/contract/index.ts';
import type { FakeState } from './state.ts';

const os = implement(contract);

export function fakeTokens(state: FakeState) {
  return {
    drift: os.tokens.drift.handler(({ input }) => {
      const node = [...state.nodes.values()].map((table) => table.get(input.nodeId)).find((found) => found !== undefined);
      const tokens = node?.tokens ?? null;
      if (tokens === null || tokens.length < 12) {
        return { state: 'unknown', reason: 'No token ids were recorded for this answer.' };
      }
      const text = (from: number, to: number) => tokens.slice(from, to).join('');
      return {
        state: 'differs',
        tokens: tokens.length,
        sampled: 2,
        encoded: 1,
        parting: { at: 6, before: text(0, 6), first: text(6, 12), second: text(6, 12) },
      };
    }),
    parity: os.tokens.parity.handler(() => ({
      equal: true,
      template: true,
      tokens: { first: 812, second: 812 },
      parting: null,
      roles: { first: ['user'], second: ['user'] },
      messages: [],
    })),
  };
}
