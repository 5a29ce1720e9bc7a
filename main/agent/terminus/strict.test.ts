// Plays recorded trials of the real Terminus-2 through our agent in strict mode: same prompt text, same answers, same terminal contents.
// What the agent then says must be what Terminus-2 said.
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tail } from '../../lib/tail.ts';
import { createReplayModel } from '../../model/replay.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { agents } from '../index.ts';
import { openPlayground, playToEnd, stepsAt, taskNamed } from '../playing.ts';
import { recoverTemplate } from '../profile-recovery.ts';
import { limited, strictObserver } from './strict.ts';

const pack = resolve(import.meta.dirname, '../../../../shared/data/endless_playground/solution_sonnet');
const missing = existsSync(pack) ? '' : 'fixture pack not found at ../shared/data, skipping the recorded trials in strict mode';
if (missing) console.warn(missing);

interface Trial {
  name: string;
  prompts: string[];
  answers: string[];
}

/** The terminal's text in a prompt, with its heading. */
function terminalIn(prompt: string): { kind: 'new' | 'screen'; text: string } | null {
  const found = /(New Terminal Output|Current Terminal Screen):\n([\s\S]*?)(?:\n\nAre you sure you want to mark [^\n]*)?$/.exec(prompt);
  return found?.[2] === undefined ? null : { kind: found[1]?.startsWith('New') ? 'new' : 'screen', text: found[2] };
}

/** A terminal that holds, capture by capture, what Terminus-2 must have read to show what it showed. */
function recordedTerminal(shown: { kind: 'new' | 'screen'; text: string }[]): Terminal {
  const idle = { reason: 'elapsed', exitCode: null, elapsedMs: 0 } as const;
  const captures = shown.values();
  let before = '';
  return {
    cols: 160,
    rows: 40,
    bytes: new Tail(),
    marks: false,
    applicationCursor: false,
    exited: false,
    ready: async () => {},
    send: async () => {},
    settle: async () => idle,
    observe: async () => ({ kind: 'screen', text: '', omittedBytes: 0 }),
    screen: async () => '',
    async capture() {
      const next = captures.next().value ?? { kind: 'screen', text: '' };
      const lastLine = Math.max(0, before.lastIndexOf('\n'));
      const all = next.kind === 'new' ? before.slice(0, lastLine) + next.text : `(cleared)\n${next.text}`;
      before = all.trim();
      return { all, screen: next.text };
    },
    keyframe: async () => ({ screen: '', cols: 160, rows: 40, cursor: 0 }),
    resize: async () => {},
    async [Symbol.asyncDispose]() {},
  };
}

describe.skipIf(missing !== '')('64 recorded trials in strict mode', () => {
  let folder = '';
  const trials: Trial[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'termarium-strict-'));
    for (const archive of (await readdir(pack)).filter((name) => name.endsWith('.tar.gz'))) {
      await execa('tar', ['-xzf', join(pack, archive), '-C', folder]);
    }
    const firsts = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('episode-0/response.txt'));
    for (const path of firsts.sort()) {
      const read = (episode: number, file: string) =>
        readFile(join(folder, path, '..', '..', `episode-${episode}`, file), 'utf8').catch(() => null);
      const trial: Trial = { name: path, prompts: [], answers: [] };
      for (let episode = 0; ; episode += 1) {
        const [prompt, answer] = [await read(episode, 'prompt.txt'), await read(episode, 'response.txt')];
        if (prompt === null) break;
        trial.prompts.push(prompt);
        if (answer === null) break;
        trial.answers.push(answer);
      }
      trials.push(trial);
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('say at every turn, byte for byte, what Terminus-2 said', async () => {
    await using ground = await openPlayground();
    const template = recoverTemplate(trials[0]?.prompts[0] ?? '', null, 40, 'prompt.txt');
    const profiles = await profileOf(folder, template);
    const differing: string[] = [];
    let turns = 0;
    for (const { name, prompts, answers } of trials) {
      const shown = prompts.flatMap((prompt) => terminalIn(prompt) ?? []);
      // The template's own last line break is no part of the first screen.
      if (shown[0]) shown[0].text = shown[0].text.slice(0, -1);
      const instruction = instructionIn(prompts[0] ?? '', template);
      const { steps } = await playToEnd(agents.terminus.play, {
        ...ground.context,
        task: taskNamed('recorded', instruction),
        terminal: recordedTerminal(shown),
        model: createReplayModel(answers),
        limits: { ...ground.context.limits, turns: answers.length },
        settings: { ...ground.context.settings, mode: 'strict', profile: 'recovered' },
        profiles,
      });
      const said = [
        ...stepsAt(steps, 'prompt').map((step) => step.messages[0]?.content),
        ...stepsAt(steps, 'observation').map((step) => step.text),
      ];
      for (const [turn, prompt] of prompts.entries()) {
        turns += 1;
        if (said[turn] !== prompt) differing.push(`${name} turn ${turn}`);
      }
    }
    expect(turns).toBeGreaterThan(700);
    expect(differing).toEqual([]);
  });
});

describe('what Terminus-2 shows', () => {
  const terminal = (captures: { all: string; screen: string }[]) => {
    const given = captures.values();
    return { ...recordedTerminal([]), capture: async () => given.next().value ?? { all: '', screen: '' } };
  };

  it('is the screen first, then what follows the last line of the capture before, then the screen where that is gone', async () => {
    const observe = strictObserver(
      terminal([
        { all: '$\n\n', screen: '$\n\n' },
        { all: 'old\n$ ls\na\n$\n', screen: 's1\n' },
        { all: 'old\n$ ls\na\n$ pwd\n/\n$\n', screen: 's2\n' },
        { all: '$\n\n\n', screen: '$\n\n\n' },
      ]),
    );
    expect(await observe()).toBe('Current Terminal Screen:\n$\n\n');
    expect(await observe()).toBe('New Terminal Output:\n$ ls\na\n$\n');
    expect(await observe()).toBe('New Terminal Output:\n\n$ pwd\n/\n$\n');
    expect(await observe()).toBe('Current Terminal Screen:\n$\n\n\n');
  });

  it('is cut twice, and then says of 490,000 bytes that 72 are missing', () => {
    const once = limited('x'.repeat(500_000));
    expect(once).toContain('\n[... output limited to 10000 bytes; 490000 interior bytes omitted ...]\n');
    const twice = limited(once);
    expect(twice).toContain('\n[... output limited to 10000 bytes; 72 interior bytes omitted ...]\n');
    expect(Buffer.byteLength(twice)).toBeLessThan(10_100);
    expect(limited('é'.repeat(5000))).toBe('é'.repeat(5000));
    expect(limited(`x${'é'.repeat(5001)}`)).toMatch(/^xé+\n\[\.\.\. output limited to 10000 bytes; 4 interior bytes omitted \.\.\.\]\né+$/);
  });

  it('is waited for in full, in a shell that tells nothing, and an answer without commands waits for nothing', async () => {
    await using ground = await openPlayground({ marks: false, everyRow: true });
    const sends = (keystrokes: string[]) =>
      JSON.stringify({ analysis: '', plan: '', commands: keystrokes.map((keys) => ({ keystrokes: keys, duration: 0.4 })) });
    const began = performance.now();
    const { steps } = await playToEnd(agents.terminus.play, {
      ...ground.context,
      model: createReplayModel([sends(['echo $((6*7))\n']), sends([]), sends(['cat\n', 'C-c\n', 'C-c'])]),
      limits: { ...ground.context.limits, turns: 3 },
      settings: { ...ground.context.settings, mode: 'strict' },
    });
    expect(performance.now() - began).toBeGreaterThan(1_590);
    expect(stepsAt(steps, 'executed').map((step) => step.result.settled)).toEqual(Array(4).fill('elapsed'));
    const [first, second, third] = stepsAt(steps, 'observation').map((step) => step.text);
    expect(first).toMatch(/^New Terminal Output:\n[\s\S]*\n42\n/);
    expect(second).toMatch(/^New Terminal Output:\n/);
    // Typed as four letters, since tmux takes only a text that is a key's name as that key.
    expect(third).toMatch(/\nC-c\nC-c\n\^C/);
  });
});

async function profileOf(folder: string, template: string): Promise<string> {
  const { stringify } = await import('yaml');
  const { writeFile } = await import('node:fs/promises');
  await writeFile(join(folder, 'recovered.yaml'), stringify({ parser: 'json', user: template }));
  return folder;
}

/** What stands in a prompt where the template has the task. */
function instructionIn(prompt: string, template: string): string {
  const [before = '', after = ''] = template.split('{instruction}');
  const [between = ''] = after.split('{terminal_state}');
  return prompt.slice(before.length, prompt.lastIndexOf(`${between}Current Terminal Screen:`));
}
