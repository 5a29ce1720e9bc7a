// What the launch form and the export ask of a real lab, without playing anything.
import { expect, it } from 'vitest';
import { runConfig } from '../main/contract/schema/config.ts';
import { openTestLab } from './lab.ts';

it('writes a configuration as YAML and reads the same one back', async () => {
  await using lab = await openTestLab();
  const config = runConfig.parse({ tasks: ['bundled'], agents: ['nop'], limits: { turns: 12 } });
  const { text } = await lab.client.runs.toYaml({ config });
  expect(text).toBe('tasks:\n  - bundled\nagents:\n  - nop\nlimits:\n  turns: 12\n');
  const resolved = await lab.client.runs.resolve({ text });
  expect(resolved).toMatchObject({ config, issues: [] });
  expect(resolved.rollouts).toBe(resolved.tasks.length);
});

it('names the line of what is wrong in a text', async () => {
  await using lab = await openTestLab();
  const { config, issues } = await lab.client.runs.resolve({ text: 'tasks: [bundled]\nagents: [nop]\nattempts: many\n' });
  expect(config).toBeNull();
  expect(issues).toMatchObject([{ level: 'error', file: 'run.yaml', line: 3 }]);
});

it('exports every rollout of a run once, over as many pages as it takes', async () => {
  await using lab = await openTestLab();
  const task = { taskId: 'task', taskName: 'a, b', taskDigest: '0'.repeat(64), agent: 'nop', model: null };
  const runId = lab.app.lab.store.runs.create(
    runConfig.parse({ tasks: ['bundled'], agents: ['nop'] }),
    'large',
    Array.from({ length: 4_500 }, (_, attempt) => ({ ...task, attempt })),
  );
  const ids = new Set<string>();
  let pages = 0;
  let after: number | undefined;
  do {
    const page = await lab.client.runs.exportRollouts({ runId, format: 'csv', after });
    expect(page.header?.split(',').slice(0, 2)).toEqual(['rollout', 'task']);
    for (const { id, text } of page.lines) {
      expect(text.startsWith(`${id},"a, b",`)).toBe(true);
      ids.add(id);
    }
    pages += 1;
    after = page.next ?? undefined;
  } while (after !== undefined);
  expect(ids.size).toBe(4_500);
  expect(pages).toBe(3);
});
