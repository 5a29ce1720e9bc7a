import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findTrial, readRecording } from './recording.ts';

const pack = resolve(import.meta.dirname, '../../../shared/data/endless_playground/solution_sonnet');
const missing = existsSync(pack) ? '' : 'fixture pack not found at ../shared/data, skipping 4 tests';
if (missing) console.warn(missing);

describe.skipIf(missing !== '')('64 recorded trials of a real agent', () => {
  let folder = '';
  const trials: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'termarium-recording-'));
    for (const archive of readdirSync(pack).filter((name) => name.endsWith('.tar.gz'))) {
      await execa('tar', ['-xzf', join(pack, archive), '-C', folder]);
    }
    for (const job of await readdir(folder)) {
      for (const name of await readdir(join(folder, job))) {
        if ((await stat(join(folder, job, name))).isDirectory()) trials.push(join(folder, job, name));
      }
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('are read whole: every command of 63 trajectories; the one that was cancelled before it had any is refused', async () => {
    const read = await Promise.allSettled(trials.map((trial) => readRecording(trial)));
    const refused = read.flatMap((result, index) => (result.status === 'rejected' ? [trials[index] ?? ''] : []));
    const all = read.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(refused).toEqual([expect.stringContaining('task_000000_adf53ad2__JMPsD4C')]);
    const recordings = all.filter((recording) => recording.source === 'atif');
    const commands = recordings.flatMap((recording) => recording.turns.flatMap((turn) => turn.commands));
    expect(recordings).toHaveLength(63);
    expect(commands).toHaveLength(1758);
    expect(commands.filter((command) => command.keystrokes.trim() === '')).toHaveLength(13);
    expect(recordings.every((recording) => recording.prompt?.includes('Task Description'))).toBe(true);
  });

  it('hold the same commands in their answers as in their trajectories', async () => {
    let compared = 0;
    for (const trial of trials.filter((path) => !path.includes('adf53ad2__JMPsD4C'))) {
      const recorded = await readRecording(trial);
      const copy = await mkdtemp(join(folder, 'answers-'));
      await mkdir(join(copy, 'agent'));
      const episodes = (await readdir(join(trial, 'agent'))).filter((name) => name.startsWith('episode-'));
      await execa('cp', ['-r', ...episodes.map((name) => join(trial, 'agent', name)), join(copy, 'agent')]);
      const answered = await readRecording(copy);
      await rm(copy, { recursive: true });
      const keys = (turns: typeof recorded.turns) => turns.flatMap((turn) => turn.commands.map((command) => command.keystrokes));
      // A trial that was stopped has an answer more than it has steps.
      expect(keys(answered.turns).slice(0, keys(recorded.turns).length)).toEqual(keys(recorded.turns));
      compared += 1;
    }
    expect(compared).toBe(63);
  });

  it('are found by the name of their task, passed ones first', async () => {
    const found = await Promise.all(Array.from({ length: 10 }, (_, attempt) => findTrial(folder, 'org/task_000000_9b79473f', attempt)));
    // Eight attempts in a job of their own, one in the whole job; the tenth attempt begins again.
    expect(new Set(found).size).toBe(9);
    expect(found[9]).toBe(found[0]);
    const rewards = found.slice(0, 9).map((trial) => readFileSync(join(trial, 'verifier', 'reward.txt'), 'utf8').trim());
    expect(rewards).toEqual(rewards.toSorted().reverse());
    expect(rewards.slice(0, 4)).toEqual(['1', '1', '1', '1']);
    await expect(findTrial(folder, 'another-task', 0)).rejects.toMatchObject({ code: 'request.not_found' });
  });

  it('are taken as they are where one is named', async () => {
    const [trial = ''] = trials;
    expect(await findTrial(trial, 'whatever', 3)).toBe(trial);
  });
});

describe('a recording that cannot be played back', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'termarium-recording-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    ['a list of chat messages', '[{"role":"user","content":"hi"}]', /list of chat messages, not an ATIF trajectory/],
    ['another schema', '{"schema_version":"x","steps":[]}', /is no ATIF trajectory: schema_version/],
    ['no JSON', '{', /is not JSON/],
    [
      'a command without keystrokes',
      '{"schema_version":"ATIF-v1.6","steps":[{"source":"agent","message":"","tool_calls":[{"function_name":"bash_command","arguments":{}}]}]}',
      /bash_command without keystrokes/,
    ],
  ])('is refused with its file: %s', async (_, text, message) => {
    const file = join(folder, 'trajectory.json');
    await writeFile(file, text);
    await expect(readRecording(file)).rejects.toMatchObject({
      code: 'request.invalid',
      where: `${file}:1`,
      message: expect.stringMatching(message),
    });
  });

  it('is missed where there is none', async () => {
    await expect(readRecording(join(folder, 'nothing'))).rejects.toMatchObject({ code: 'request.not_found' });
  });
});
