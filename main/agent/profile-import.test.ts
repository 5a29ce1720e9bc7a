// Prompt profiles of one's own: out of template files and out of recordings.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agents } from './index.ts';
import { answering, openPlayground, playToEnd } from './playing.ts';
import { loadProfile, openingMessages } from './profile.ts';
import { importProfile, type ProfileImport } from './profile-import.ts';

const pack = resolve(import.meta.dirname, '../../../shared/data/endless_playground');
const missing = existsSync(pack) ? '' : 'fixture pack not found at ../shared/data, skipping profiles out of recorded trials';
if (missing) console.warn(missing);

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'termarium-profile-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function put(path: string, text: string): Promise<string> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

const profiles = () => join(folder, 'profiles');
const add = (source: string, more: Partial<ProfileImport> = {}) => importProfile({ source, rows: 4, replace: false, ...more }, profiles());

describe('a template file', () => {
  it('is taken byte for byte; one written for Python has its doubled braces put right', async () => {
    const own = await put('own.txt', 'Do {instruction}\n\n{terminal_state}\n{"as": "it stands"}\n');
    expect(await add(own)).toMatchObject({ name: 'own', kind: 'template', parser: 'json' });
    expect((await loadProfile('own', profiles())).user).toBe('Do {instruction}\n\n{terminal_state}\n{"as": "it stands"}\n');
    await add(await put('python.txt', 'Answer {{"a": {{}}}} {instruction}'));
    expect((await loadProfile('python', profiles())).user).toBe('Answer {"a": {}} {instruction}');
    expect(await add(await put('marked.txt', '<response> {instruction}'))).toMatchObject({ parser: 'xml' });
  });

  it('is what a run that names it opens with, and decides on the parser', async () => {
    await add(await put('mine.txt', '<response> in mine: {instruction}|{terminal_state}'));
    await using ground = await openPlayground();
    const done = { text: '<response><task_complete>true</task_complete></response>' };
    const model = answering([done, done]);
    const settings = { ...ground.context.settings, profile: 'mine' };
    const { end } = await playToEnd(agents.terminus.play, { ...ground.context, model, settings, profiles: profiles() });
    expect(end.outcome).toBe('done');
    expect(model.asked[0]?.messages[0]?.content).toMatch(/^<response> in mine: Do the thing\.\|Current Terminal Screen:\n/);
  });

  it('is refused without a place for the task, under a name that is taken, and under no name at all', async () => {
    await expect(add(await put('x.txt', 'no task here'))).rejects.toMatchObject({ code: 'config.invalid' });
    const file = await put('y.txt', '{instruction}');
    await add(file);
    await expect(add(file)).rejects.toMatchObject({ code: 'request.conflict' });
    expect(await add(file, { replace: true })).toMatchObject({ name: 'y' });
    await expect(add(file, { name: 'terminus-json' })).rejects.toMatchObject({ code: 'request.conflict' });
    await expect(add(file, { name: '../out' })).rejects.toMatchObject({ code: 'request.invalid' });
    await expect(add(join(folder, 'absent'))).rejects.toMatchObject({ code: 'request.not_found' });
    await expect(loadProfile('../y', profiles())).rejects.toMatchObject({ code: 'config.not_found' });
    await put('profiles/bad.yaml', 'parser: json\nuser: nothing\n');
    await expect(loadProfile('bad', profiles())).rejects.toMatchObject({
      code: 'config.invalid',
      where: expect.stringMatching(/bad\.yaml:2$/),
    });
    await put('profiles/odd.yaml', 'parser: yaml\nuser: "{instruction}"\n');
    await expect(loadProfile('odd', profiles())).rejects.toMatchObject({
      code: 'config.invalid',
      where: expect.stringMatching(/odd\.yaml:1$/),
    });
  });
});

describe('a recording', () => {
  it('gives its template back: task and terminal become places, and the same values make the same message', async () => {
    const values = { instruction: 'Fix {it}.\n', terminalState: 'Current Terminal Screen:\n$ \n\n\n\n' };
    const template = 'You see {braces}.\n\nTask Description:\n{instruction}\n\nCurrent terminal state:\n{terminal_state}\n';
    const prompt = template.replace('{instruction}', values.instruction).replace('{terminal_state}', values.terminalState);
    await add(await put('prompt.txt', prompt), { name: 'found' });
    const profile = await loadProfile('found', profiles());
    expect(profile.user).toBe(template);
    expect(openingMessages(profile, values)).toEqual([{ role: 'user', content: prompt }]);
  });

  it('without headings needs its task to be named', async () => {
    await put('task/instruction.md', 'Sort the words.\n');
    const prompt = await put('prompt.txt', 'Please: Sort the words.\nHere:\nCurrent Terminal Screen:\n$');
    await expect(add(prompt)).rejects.toMatchObject({ code: 'config.invalid', hint: expect.stringContaining('--task') });
    expect((await add(prompt, { task: join(folder, 'task') })).user).toBe('Please: {instruction}Here:\n{terminal_state}');
  });

  it.skipIf(missing !== '')('of the real Terminus-2 opens the trial of another task with the very bytes it got', async () => {
    const archive = join(pack, 'solution_sonnet/2026-04-29__04-16-11.tar.gz');
    await execa('tar', ['-xzf', archive, '-C', folder]);
    const { stdout } = await execa('find', [folder, '-name', 'prompt.txt', '-path', '*episode-0*']);
    const prompts = stdout.split('\n').sort();
    await add(resolve(prompts[0] ?? '', '../../..'), { name: 'terminus-2', rows: 40 });
    const profile = await loadProfile('terminus-2', profiles());
    let equal = 0;
    for (const file of prompts) {
      const task = /(task_\d+_[0-9a-f]+)__/.exec(file)?.[1] ?? '';
      const instruction = await readFile(join(pack, 'harbor_tasks', task, 'instruction.md'), 'utf8').catch(() => null);
      if (instruction === null) continue;
      const prompt = await readFile(file, 'utf8');
      const terminalState = prompt.slice(prompt.lastIndexOf('Current Terminal Screen:'), -1);
      expect(openingMessages(profile, { instruction, terminalState })[0]?.content).toBe(prompt);
      equal += 1;
    }
    expect(equal).toBeGreaterThan(10);
  });
});
