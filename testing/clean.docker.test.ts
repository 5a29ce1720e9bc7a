// What `termarium clean` takes away and what it leaves: never what plays, nothing on a dry run, everything that a killed process left.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readLock } from '../main/store/lock.ts';
import { connect } from '../main/transport/connect.ts';
import { startCli, termarium } from './cli.ts';
import { answerTest, untilRun, writeTask } from './lab.ts';

let folder: string;
let data: string;
let slow: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'termarium-clean-'));
  data = join(folder, 'data');
  slow = await writeTask(folder, { name: 'slow', test: answerTest, solution: 'sleep 15; echo done > /app/answer.txt' });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Cleaned {
  found: { kind: string; id: string }[];
  removed: number;
}

async function clean(...options: string[]): Promise<Cleaned> {
  const { stdout } = await termarium(['--data', data, '--json', 'clean', ...options]);
  return JSON.parse(stdout);
}

const containers = ({ found }: Cleaned) => found.filter(({ kind }) => kind === 'container').map(({ id }) => id);

it('a dry run removes nothing of what a killed run left; the next one does', async () => {
  const run = startCli(['--data', data, 'run', '-t', slow, '-a', 'oracle', '-o', 'sandbox.pool=0']);
  await run.said('run ');
  for (let found: string[] = []; found.length === 0; ) found = await startedBy(run.pid);
  run.kill('SIGKILL');
  await run.ended;
  const left = containers(await clean('--dry-run'));
  expect(left).toHaveLength(1);
  expect(containers(await clean('--dry-run'))).toEqual(left);
  expect(containers(await clean())).toEqual(left);
  expect(containers(await clean('--dry-run'))).toEqual([]);
});

it('what a killed check left goes too', async () => {
  const check = startCli(['check', slow, '--gates', 'build,oracle']);
  for (let found: string[] = []; found.length === 0; ) found = await startedBy(check.pid);
  const [left] = await startedBy(check.pid);
  expect(containers(await clean('--dry-run'))).not.toContain(left);
  check.kill('SIGKILL');
  await check.ended;
  expect(containers(await clean('--dry-run'))).toContain(left);
  expect(containers(await clean())).toContain(left);
});

it('a run that plays in a lab is not touched, not even by --images, and goes on when the command that started it is killed', async () => {
  const lab = startCli(['--data', data, '--json', 'serve', '--port', '0']);
  await lab.said('"port"');
  const run = startCli(['--data', data, '--json', 'run', '-t', slow, '-a', 'oracle', '-o', 'sandbox.pool=0']);
  for (let found: string[] = []; found.length === 0; ) found = await startedBy(lab.pid);
  const playing = await startedBy(lab.pid);
  run.kill('SIGKILL');
  expect(containers(await clean('--images'))).toEqual([]);
  expect(await startedBy(lab.pid)).toEqual(playing);

  const owner = readLock(data);
  if (!owner?.url || !owner.token) throw new Error('the lab did not announce itself');
  await using connection = await connect(owner.url, owner.token);
  const latest = (await connection.client.runs.watch({})).rows.at(-1);
  const ended = await untilRun(connection.client, latest?.id ?? '', ({ status }) => status !== 'running');
  expect(ended).toMatchObject({ status: 'finished', overAll: { passed: 1, total: 1 } });
  await connection.close();
  lab.kill('SIGTERM');
  expect((await lab.ended).code).toBe(0);
  expect(containers(await clean('--dry-run'))).toEqual([]);
});

/** Containers that the process of this id has on the engine, by their owner label. */
async function startedBy(pid: number): Promise<string[]> {
  const found = await new Docker().listContainers({ filters: { label: ['termarium.kind=box'] } });
  return found.filter(({ Labels }) => Labels['termarium.owner']?.split('/')[2] === String(pid)).map(({ Id }) => Id);
}
