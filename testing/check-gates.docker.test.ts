// What a task's gates say is about the files that were checked, and a check of some gates leaves the results of the others.
import { appendFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { answerTest, openTestLab, writeTask } from './lab.ts';

it('keeps the gates that were not checked again, and credits none to files that changed meanwhile', async () => {
  await using lab = await openTestLab();
  const path = await writeTask(`${lab.folder}/set`, { name: 'one', test: answerTest, solution: 'echo done > /app/answer.txt' });
  const { setId } = await lab.client.tasks.importFolder({ path: `${lab.folder}/set` });
  const task = (await lab.client.tasks.watch({})).rows.find((row) => row.setId === setId);
  const taskId = task?.id ?? '';
  const gates = async () => Object.fromEntries((await lab.client.tasks.get({ taskId })).gates.map(({ gate, state }) => [gate, state]));

  await lab.client.tasks.check({ taskId, gates: ['build', 'nop'], repeats: 1 });
  await lab.client.tasks.check({ taskId, gates: ['oracle'], repeats: 1 });
  expect(await gates()).toMatchObject({ build: 'passed', nop: 'passed', oracle: 'passed' });

  const checking = lab.client.tasks.check({ taskId, gates: ['nop'], repeats: 1 });
  // Saved while its container starts.
  await new Promise((resolve) => setTimeout(resolve, 100));
  await appendFile(`${path}/instruction.md`, '\nAnd once more.\n');
  await lab.client.tasks.importFolder({ path: `${lab.folder}/set` });
  await checking;
  expect(await gates()).toEqual({});
});
