import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runConfig } from '../contract/schema/config.ts';
import type { ExportFormat, ExportReport } from '../contract/schema/exchange.ts';
import type { RolloutRow } from '../contract/schema/rollout.ts';
import { atifDocument } from './atif-schema.ts';
import { exportRollouts } from './export.ts';
import { type Desk, hasPack, openDesk, pack, packNote } from './pack.testing.ts';

const json = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'));
const lines = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n');
const rowsOf = (desk: Desk): RolloutRow[] => desk.store.runs.read().rows.flatMap((run) => desk.store.rollouts.ofRun(run.id));

function write(desk: Desk, format: ExportFormat, name: string, rollouts = rowsOf(desk), overwrite = false): Promise<ExportReport> {
  const from = { store: desk.store, recordings: desk.recordings, version: '1.2.3' };
  return exportRollouts(rollouts, from, { format, path: join(desk.folder, name), overwrite, signal: new AbortController().signal });
}

describe.skipIf(!hasPack)(`the golden trajectories of Terminus-2${packNote}`, () => {
  it('come out as they went in, sub-agents and token ids included, and pass the strict schema', async () => {
    await using desk = await openDesk();
    const golden = join(pack, 'terminus2_golden');
    const prefix = 'hello-world-context-summarization.';
    const names = readdirSync(golden).filter((name) => name.startsWith(`${prefix}trajectory.`));
    expect(names).toHaveLength(4);
    await desk.import(join(golden, `${prefix}trajectory.json`));
    const [rollout] = rowsOf(desk);
    expect(rollout).toMatchObject({ agent: 'terminus-2', model: 'openai/gpt-4o', turns: 7, promptTokens: 7802 });

    const report = await write(desk, 'atif', 'out');
    expect(report).toMatchObject({ rollouts: 1, files: 4, issues: [] });
    const [folder = ''] = readdirSync(join(desk.folder, 'out'));
    for (const name of names) {
      const written = json(desk.folder, 'out', folder, name.slice(prefix.length));
      expect(written).toEqual(json(golden, name));
      expect(atifDocument.safeParse(written).error).toBeUndefined();
    }
  });

  it('import again, alone or beside what they summarise, as one rollout each', async () => {
    await using desk = await openDesk();
    const summary = 'hello-world-context-summarization.trajectory.summarization-1-summary.json';
    await desk.import(join(pack, 'terminus2_golden', summary));
    const [alone] = rowsOf(desk);
    expect(alone).toMatchObject({ agent: 'terminus-2-summarization-summary', turns: 1 });
    await desk.import(join(pack, 'terminus2_golden', 'hello-world-context-summarization.trajectory.json'));
    expect(rowsOf(desk)).toHaveLength(2);
  });
});

describe.skipIf(!hasPack)(`recorded trials of Terminus-2${packNote}`, () => {
  let desk: Desk;
  let source: string;
  beforeAll(async () => {
    desk = await openDesk();
    source = await desk.unpack('endless_playground/solution_sonnet', false);
    await desk.import(source);
  });
  afterAll(() => desk[Symbol.asyncDispose]());

  it('give back every ATIF 1.6 document, with nothing changed but the version', async () => {
    const report = await write(desk, 'atif', 'atif');
    expect(report.rollouts).toBe(63);
    // Nothing was said in the trial that was cancelled before its agent began.
    expect(report.issues.map((issue) => issue.message)).toEqual([expect.stringContaining('has no conversation')]);
    const originals = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('agent/trajectory.json'));
    expect(originals).toHaveLength(63);
    for (const path of originals) {
      const trial = path.split('/').at(-3) ?? '';
      const written = json(desk.folder, 'atif', trial, 'trajectory.json');
      expect(written).toEqual({ ...json(source, path), schema_version: 'ATIF-v1.7' });
      expect(atifDocument.safeParse(written).error).toBeUndefined();
    }
  });

  it('as a Harbor job import again with the same rewards, verdicts and conversations', async () => {
    const run = desk.store.runs.read().rows.find(({ name }) => name === '2026-04-29__04-16-11');
    const rollouts = desk.store.rollouts.ofRun(run?.id ?? '');
    await write(desk, 'harbor', 'job', rollouts);
    const result = json(desk.folder, 'job', 'result.json');
    expect(result).toMatchObject({ n_total_trials: 37, stats: { n_completed_trials: 37, n_cancelled_trials: 2 } });
    const [evaluation] = Object.values<{ metrics: { mean: number }[] }>(result.stats.evals);
    expect(evaluation?.metrics[0]?.mean).toBeCloseTo(13 / 37, 10);

    await using other = await openDesk();
    const report = await other.import(join(desk.folder, 'job'));
    expect(report.progress).toMatchObject({ imported: 37, rejected: 0 });
    const told = (rows: RolloutRow[]) =>
      rows
        .map((row) =>
          [row.taskName, row.reward, row.verdictState, row.outcome, row.turns, row.promptTokens, row.startedAt, row.endedAt].join(),
        )
        .sort();
    expect(told(rowsOf(other))).toEqual(told(rollouts));
    expect(readdirSync(other.recordings)).toHaveLength(34);
  });

  it('are rows of a table and recordings of a terminal', async () => {
    await write(desk, 'csv', 'rollouts.csv');
    expect(lines(join(desk.folder, 'rollouts.csv'))).toHaveLength(65);
    const casts = await write(desk, 'asciicast', 'casts');
    expect(casts).toMatchObject({ files: 61, rollouts: 61 });
    expect(casts.issues).toHaveLength(3);
  });

  it('are one row a conversation, however long it is', async () => {
    await write(desk, 'messages', 'messages.jsonl');
    await write(desk, 'sharegpt', 'sharegpt.jsonl');
    const messages = lines(join(desk.folder, 'messages.jsonl')).map((line) => JSON.parse(line));
    const shared = lines(join(desk.folder, 'sharegpt.jsonl')).map((line) => JSON.parse(line));
    expect(messages).toHaveLength(63);
    expect(messages.flatMap((row) => row.messages).filter((message) => message.role === 'assistant')).toHaveLength(751);
    expect(shared.map((row) => row.conversations.length)).toEqual(messages.map((row) => row.messages.length));
    expect(shared[0].conversations[0]).toEqual({ from: 'human', value: messages[0].messages[0].content });
    expect(messages.filter((row) => row.rewards.reward === 1)).toHaveLength(25);
  });

  it('are never written over what is there, unless that is wanted', async () => {
    writeFileSync(join(desk.folder, 'mine.csv'), 'mine\n');
    await expect(write(desk, 'csv', 'mine.csv')).rejects.toMatchObject({ code: 'request.conflict' });
    expect(readFileSync(join(desk.folder, 'mine.csv'), 'utf8')).toBe('mine\n');
    await write(desk, 'csv', 'mine.csv', rowsOf(desk), true);
    expect(lines(join(desk.folder, 'mine.csv'))).toHaveLength(65);
  });
});

describe.skipIf(!hasPack)(`recorded chats${packNote}`, () => {
  it('give back their messages, tool calls and all', async () => {
    await using desk = await openDesk();
    const source = join(pack, 'tb2_tmax/trajectories/tmax-9b');
    await desk.import(source);
    await write(desk, 'messages', 'rows.jsonl');
    const rows = lines(join(desk.folder, 'rows.jsonl')).map((line) => JSON.parse(line));
    expect(rows).toHaveLength(40);
    const files = readdirSync(source).sort();
    for (const [index, file] of files.entries()) {
      const original: object[] = JSON.parse(gunzipSync(readFileSync(join(source, file))).toString('utf8'));
      const withoutNulls = original.map((message) =>
        Object.fromEntries(Object.entries(message).filter(([key, value]) => key === 'content' || value !== null)),
      );
      expect(rows[index].messages).toEqual(withoutNulls);
    }
  });
});

describe('a rollout that was played here', () => {
  /** Two turns, a compaction, and one more turn, as the recorder of a run stores them. */
  function play(desk: Desk): RolloutRow {
    const { store } = desk;
    const runId = store.runs.create(runConfig.parse({ tasks: ['x'] }), 'mine', [
      { taskId: 't', taskName: 'org/fix-it', taskDigest: 'd', attempt: 0, agent: 'terminus', model: 'small' },
    ]);
    const rollout = store.rollouts.ofRun(runId)[0];
    if (!rollout) throw new Error('no rollout');
    const blank = {
      rolloutId: rollout.id,
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
    } as const;
    const answer = (turn: number, parentId: string, complete: boolean) => {
      const content = JSON.stringify({
        analysis: 'a',
        plan: 'p',
        commands: complete ? [] : [{ keystrokes: 'ls\n', duration: 1 }],
        task_complete: complete,
      });
      const id = store.nodes.append({
        ...blank,
        parentId,
        turn,
        role: 'assistant',
        author: 'sampled',
        content,
        reasoning: 'hm',
        promptTokens: 10,
        completionTokens: 2,
        tokenIds: [1, 2],
        logprobs: [-0.5, -1],
        sampled: true,
      });
      if (!complete) {
        store.nodes.beginCommand({ nodeId: id, index: 0, keystrokes: 'ls\n', duration: 1, startedAt: 1000, from: 0 });
        store.nodes.endCommand(id, 0, { endedAt: 1500, exitCode: 0, settled: 'idle', to: 9 });
      }
      return store.nodes.append({ ...blank, parentId: id, turn, role: 'user', author: 'environment', content: `seen ${turn}` });
    };
    const prompt = (turn: number, content: string) =>
      store.nodes.append({ ...blank, parentId: null, turn, role: 'user', author: 'template', content });
    const first = prompt(0, 'Do it.');
    answer(1, answer(0, first, false), false);
    answer(2, prompt(2, 'Go on.'), true);
    store.rollouts.update(rollout.id, 'finished', { status: 'finished', outcome: 'solved', turns: 3, startedAt: 1, endedAt: 2 });
    return rollout;
  }

  it('is strict ATIF: what was typed, what it gave, what was sampled, where the conversation was replaced', async () => {
    await using desk = await openDesk();
    const rollout = play(desk);
    await write(desk, 'atif', 'out');
    const [folder = ''] = readdirSync(join(desk.folder, 'out'));
    expect(folder).toBe(`fix-it__${rollout.id.slice(-7)}`);
    const document = json(desk.folder, 'out', folder, 'trajectory.json');
    expect(atifDocument.safeParse(document).error).toBeUndefined();
    expect(document.steps.map((step: { source: string }) => step.source)).toEqual(['user', 'agent', 'agent', 'system', 'user', 'agent']);
    expect(document.steps[1]).toMatchObject({
      reasoning_content: 'hm',
      tool_calls: [
        {
          tool_call_id: 'call_0_1',
          function_name: 'bash_command',
          arguments: { keystrokes: 'ls\n', duration: 1 },
          extra: { exit_code: 0, seconds: 0.5 },
        },
      ],
      observation: { results: [{ source_call_id: 'call_0_1', content: 'seen 0' }] },
      metrics: { prompt_tokens: 10, completion_tokens: 2, completion_token_ids: [1, 2], logprobs: [-0.5, -1] },
    });
    expect(document.steps[3].extra).toEqual({ context_management: { type: 'compaction', boundary: 'replace' } });
    expect(document.steps[5].tool_calls.map((call: { function_name: string }) => call.function_name)).toEqual(['mark_task_complete']);

    await using other = await openDesk();
    await other.import(join(desk.folder, 'out'));
    expect(rowsOf(other)[0]).toMatchObject({ taskName: 'org/fix-it', agent: 'terminus', model: 'small', turns: 3 });
  });

  it('is a trial that Harbor and we ourselves can read, and two rows: one before the compaction, one after', async () => {
    await using desk = await openDesk();
    play(desk);
    await write(desk, 'harbor', 'job');
    await using other = await openDesk();
    expect((await other.import(join(desk.folder, 'job'))).progress).toMatchObject({ imported: 1, rejected: 0 });
    await write(desk, 'messages', 'rows.jsonl');
    const rows = lines(join(desk.folder, 'rows.jsonl')).map((line) => JSON.parse(line));
    expect(rows.map((row) => row.messages.length)).toEqual([5, 3]);
    expect(statSync(join(desk.folder, 'rows.jsonl')).size).toBeGreaterThan(0);
  });
});

describe('the strict schema', () => {
  it('refuses keys that ATIF 1.7 does not know, anywhere but in extra, and what of an agent stands elsewhere', () => {
    const agent = { name: 'a', version: '1' };
    const step = { step_id: 1, source: 'user', message: 'hi' };
    const good = { schema_version: 'ATIF-v1.7', agent, steps: [step] };
    expect(atifDocument.safeParse(good).success).toBe(true);
    for (const bad of [
      { ...good, colour: 'red' },
      { ...good, agent: { ...agent, colour: 'red' } },
      { ...good, steps: [{ ...step, reasoning_content: 'hm' }] },
      { ...good, steps: [{ ...step, step_id: 2 }] },
      { ...good, steps: [] },
      { ...good, subagent_trajectories: [good] },
      { ...good, steps: [{ ...step, source: 'agent', llm_call_count: 0, metrics: { prompt_tokens: 1 } }] },
    ]) {
      expect(atifDocument.safeParse(bad).success).toBe(false);
    }
  });
});
