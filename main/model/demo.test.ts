// The demo agent's scripts fit the bundled tasks. What becomes of them in real containers is shown by `termarium demo`.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readScripts } from './script.ts';

const resources = join(import.meta.dirname, '../../resources');
const tasks = readdirSync(join(resources, 'tasks'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const scripts = await readScripts(join(resources, 'demo'), resources);

test('every bundled task has a script, no script is for a task that is not there, and one is for all others', () => {
  expect([...scripts.keys()].sort()).toEqual(['*', ...tasks].sort());
});

test.each([...scripts.keys()])('%s: every turn says what it sees and plans, takes little time, and nearly all can be read', (task) => {
  for (const answers of scripts.get(task)?.attempts ?? []) {
    expect(answers.length).toBeGreaterThanOrEqual(3);
    expect(answers.length).toBeLessThanOrEqual(8);
    const readable = answers.map(({ text }) => text).filter((text) => text.startsWith('{'));
    expect(readable.length).toBeGreaterThanOrEqual(answers.length - 1);
    for (const text of readable) {
      const { analysis, plan, commands } = JSON.parse(text);
      expect(analysis).not.toBe('');
      expect(plan).not.toBe('');
      for (const { keystrokes, duration } of commands) {
        expect(keystrokes).toMatch(/\n$|^C-[a-z]$/);
        expect(duration).toBeLessThanOrEqual(15);
      }
    }
  }
});
