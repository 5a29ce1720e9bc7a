// Wall time of whole rollouts against bare dockerode doing the same: container, shell, ten commands, snapshot, fresh container, tests.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { loadTask } from '../main/task/load.ts';
import { answerTest, openTestLab, typing, writeTask } from '../testing/lab.ts';
import { createBare, docker, openBare, runBare } from './lib/bare.ts';
import type { Measured } from './report.ts';

const ROLLOUTS = 20;
const CONCURRENCY = 2;
/** Ten turns: eight commands and the two that confirm the end. */
const COMMANDS = [
  ...Array.from({ length: 7 }, (_, index) => `echo step ${index} >> /app/log.txt; ls -la /app`),
  'echo done > /app/answer.txt',
];

export async function run(report: (measured: Measured) => void): Promise<void> {
  await using lab = await openTestLab();
  const folder = await writeTask(join(lab.folder, 'tasks'), { name: 'bench', test: answerTest });
  const model = await lab.scriptModel('bench', { bench: typing(...COMMANDS) });
  // Bare dockerode makes no list of changed files, so that is measured apart.
  const play = (attempts: number, pool: number, changes: boolean) =>
    lab.play({ tasks: [folder], agents: ['terminus'], model, attempts, concurrency: CONCURRENCY, sandbox: { pool, changes } as never });
  await play(1, 0, true);
  const image = await lab.app.lab
    .sandboxes({ aliases: {} } as never)
    .prepareImage({ context: (await loadTask(folder)).environment.context ?? '' }, {});
  const tests = await readFile(join(folder, 'tests', 'test.sh'));

  // Alternating, so that a slow moment of the machine meets both.
  const own: number[] = [];
  const listing: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < 2; round += 1) {
    bare.push(await timed(() => playBare(image, tests, ROLLOUTS / 2)));
    for (const [times, changes] of [
      [own, false],
      [listing, true],
    ] as const) {
      times.push(
        await timed(async () => {
          const { rollouts } = await play(ROLLOUTS / 2, 2, changes);
          if (rollouts.some((row) => row.outcome !== 'solved' || row.turns !== 10))
            throw new Error('the rollouts did not play as scripted');
        }),
      );
    }
  }
  const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
  report({ bench: 'rollout', metric: `${ROLLOUTS} rollouts of 10 turns, bare dockerode`, value: round(sum(bare)), unit: 's', bar: null });
  report({ bench: 'rollout', metric: `${ROLLOUTS} rollouts of 10 turns, lab`, value: round(sum(own)), unit: 's', bar: null });
  report({ bench: 'rollout', metric: 'lab against bare dockerode', value: round(sum(own) / sum(bare)), unit: 'x', bar: '<= 1.25' });
  report({
    bench: 'rollout',
    metric: 'the same with lists of changed files',
    value: round(sum(listing) / sum(bare)),
    unit: 'x',
    bar: null,
  });
}

async function playBare(image: string, tests: Buffer, count: number): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await playOneBare(image, tests);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

async function playOneBare(image: string, tests: Buffer): Promise<void> {
  const container = await createBare(image);
  const shell = await openBare(container);
  for (const command of COMMANDS) await shell.type(command);
  shell.end();
  const snapshot: { Id: string } = await container.commit({ pause: false });
  const box = await createBare(snapshot.Id);
  await runBare(box, ['sh', '-c', 'rm -rf /tests /logs/verifier; mkdir -p /tests /logs/verifier']);
  const archive = pack();
  archive.entry({ name: 'test.sh', mode: 0o755 }, tests);
  archive.finalize();
  await box.putArchive(await buffer(archive), { path: '/tests' });
  await runBare(box, ['sh', '-c', '/tests/test.sh']);
  await runBare(box, ['cat', '/logs/verifier/reward.txt']);
  await Promise.all([container.remove({ force: true }), box.remove({ force: true })]);
  await docker.getImage(snapshot.Id).remove({ force: true });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

const round = (value: number) => Number(value.toPrecision(3));
