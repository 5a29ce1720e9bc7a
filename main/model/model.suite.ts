// What every model must do, whatever is behind it. testing/model.test.ts runs it over http (each kind of server), scripted and replay.
import { describe, expect, test } from 'vitest';
import { AppError } from '../lib/errors.ts';
import type { Model, SampleRequest } from './model.ts';

/** A model that answers turn n (from 0) with `turns[n]`, and is slow where `slow` is asked for. */
export interface ModelUnderTest {
  open: (turns: string[], how: { slow: boolean }) => Promise<Model>;
  /** Whether the model knows how many tokens it read and wrote. */
  counts: boolean;
}

/** A request as an agent makes it; its last message names the turn, so that a test server can tell turns apart. */
export function request(turn: number, more: Partial<SampleRequest> = {}): SampleRequest {
  return {
    messages: [
      { role: 'system', content: 'You work in a terminal.' },
      { role: 'user', content: `How many files are in /srv? Größe zählt nicht. 🦀 (turn ${turn})` },
    ],
    sampling: {},
    session: { task: 'count-files', attempt: 0, turn },
    ...more,
  };
}

/** The error that a call fails with, which must be one that says what failed. */
export async function failureOf(call: Promise<unknown>): Promise<AppError> {
  const error = await call.then(
    () => new Error('the call did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw error;
  return error;
}

export function modelSuite(name: string, { open, counts }: ModelUnderTest): void {
  const turns = ['{"commands": [{"keystrokes": "ls /srv | wc -l\\n"}]}', 'Es sind 12 — zwölf.\n\n🦀🦀 Fertig.', 'one word'];
  const never = new AbortController().signal;

  describe(`a model behind ${name}`, () => {
    test('gives the answer of the turn, whole and as it streams', async () => {
      await using model = await open(turns, { slow: false });
      for (const [turn, expected] of turns.entries()) {
        const pieces: string[] = [];
        const answer = await model.sample(request(turn, { onDelta: (piece) => pieces.push(piece) }), never);
        expect(answer).toMatchObject({ text: expected, finish: 'stop' });
        expect(pieces.join('')).toBe(expected);
      }
    });

    test('says how long it took and how many tokens it was, and whether it counted or guessed', async () => {
      await using model = await open(turns, { slow: false });
      const answer = await model.sample(request(0), never);
      expect(answer.usageExact).toBe(counts);
      expect(answer.promptTokens).toBeGreaterThan(5);
      expect(answer.completionTokens).toBeGreaterThan(5);
      expect(answer.firstTokenMs).toBeGreaterThanOrEqual(0);
      expect(answer.totalMs).toBeGreaterThanOrEqual(answer.firstTokenMs ?? Number.POSITIVE_INFINITY);
    });

    test('keeps conversations that are asked at once apart', async () => {
      await using model = await open(turns, { slow: false });
      const many = await Promise.all(Array.from({ length: 21 }, (_, n) => model.sample(request(n % 3), never)));
      expect(many.map(({ text }) => text)).toEqual(Array.from({ length: 21 }, (_, n) => turns[n % 3]));
    });

    test('does not begin when the call is aborted already', async () => {
      await using model = await open(turns, { slow: false });
      const reason = new Error('the run was cancelled');
      await expect(model.sample(request(0), AbortSignal.abort(reason))).rejects.toBe(reason);
    });

    test('stops at once when aborted, with the reason that was given', async () => {
      await using model = await open(turns, { slow: true });
      const stop = new AbortController();
      const reason = new Error('the time limit is over');
      const answer = model.sample(request(1, { onDelta: () => stop.abort(reason) }), stop.signal);
      await expect(answer).rejects.toBe(reason);
    });

    test('knows its context limit or says that it does not', async () => {
      await using model = await open(turns, { slow: false });
      const limit = await model.contextLimit(never);
      expect(limit === null || limit > 0).toBe(true);
    });
  });
}
