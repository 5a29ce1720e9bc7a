// Looks at everything the lab needs of this machine and says what to do about what is missing.
import { access, constants, statfs } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { listModels } from '../config/models.ts';
import type { Paths } from '../config/paths.ts';
import type { DoctorFinding } from '../contract/system.ts';
import { AppError, messageOf } from '../lib/errors.ts';
import { makeFolder } from '../lib/folder.ts';
import type { SandboxProvider } from '../sandbox/sandbox.ts';
import { readGpus } from './gpu.ts';

const GB = 1e9;
export const BASE_IMAGE = 'termarium/base:1';

/** Runs all examinations; none of them throws. */
export async function examine(paths: Paths, provider: SandboxProvider): Promise<DoctorFinding[]> {
  return await Promise.all([
    nodeFinding(),
    dockerFinding(provider),
    imageFinding(provider),
    dataFinding(paths),
    machineFinding(),
    gpuFinding(),
    modelFinding(paths),
  ]);
}

async function nodeFinding(): Promise<DoctorFinding> {
  const major = Number(process.versions.node.split('.')[0]);
  return major >= 24
    ? { id: 'node', title: 'Node', state: 'ok', detail: `Node ${process.versions.node}` }
    : {
        id: 'node',
        title: 'Node',
        state: 'problem',
        detail: `Node ${process.versions.node} is too old: the lab needs 24`,
        fix: 'Start it with bin/termarium.cjs or `npm run`, which use the Node that is installed with the lab.',
      };
}

async function dockerFinding(provider: SandboxProvider): Promise<DoctorFinding> {
  try {
    const info = await provider.info();
    const quota = info.storageQuota ? '' : '; its storage driver has no disk quota, so disk limits are watched instead of enforced';
    return {
      id: 'docker',
      title: 'Docker',
      state: 'ok',
      detail: `Docker ${info.version} (API ${info.apiVersion}) at ${info.endpoint}, ${info.cpus} cpus, ${(info.memoryBytes / GB).toFixed(1)} GB${quota}`,
    };
  } catch (error) {
    return {
      id: 'docker',
      title: 'Docker',
      state: 'problem',
      detail: messageOf(error),
      ...(error instanceof AppError && error.hint ? { fix: error.hint } : {}),
    };
  }
}

async function imageFinding(provider: SandboxProvider): Promise<DoctorFinding> {
  const title = 'Base image';
  try {
    await provider.prepareImage({ reference: BASE_IMAGE }, {});
    return { id: 'base-image', title, state: 'ok', detail: `${BASE_IMAGE} is there` };
  } catch (error) {
    return {
      id: 'base-image',
      title,
      state: 'warning',
      detail: `${BASE_IMAGE}, which the bundled tasks are built from, is not there (${messageOf(error)})`,
      fix: 'Run `bash scripts/base-image` (about a minute).',
    };
  }
}

async function dataFinding(paths: Paths): Promise<DoctorFinding> {
  const title = 'Data folder';
  try {
    makeFolder(paths.data);
    await access(paths.data, constants.W_OK);
    const disk = await statfs(paths.data);
    const free = disk.bavail * disk.bsize;
    const detail = `${paths.data}, ${(free / GB).toFixed(1)} GB free`;
    return free < 5 * GB
      ? {
          id: 'data',
          title,
          state: 'warning',
          detail,
          fix: 'Free some disk space, or set TERMARIUM_HOME to a folder on a larger disk. `termarium clean --images` removes images that the lab built.',
        }
      : { id: 'data', title, state: 'ok', detail };
  } catch (error) {
    return {
      id: 'data',
      title,
      state: 'problem',
      detail: `${paths.data} cannot be written: ${messageOf(error)}`,
      fix: 'Make it writable, or set TERMARIUM_HOME to a folder that is.',
    };
  }
}

async function machineFinding(): Promise<DoctorFinding> {
  const memory = totalmem();
  const detail = `${cpus().length} cpus, ${(memory / GB).toFixed(1)} GB memory`;
  return memory < 4 * GB
    ? {
        id: 'machine',
        title: 'Machine',
        state: 'warning',
        detail,
        fix: 'Tasks often declare 2 GB each: run few at a time (--concurrency 1).',
      }
    : { id: 'machine', title: 'Machine', state: 'ok', detail };
}

async function gpuFinding(): Promise<DoctorFinding> {
  const gpus = await readGpus();
  return {
    id: 'gpu',
    title: 'GPU',
    state: 'ok',
    detail:
      gpus.length === 0
        ? 'none found; only tasks and models that need one are affected'
        : gpus.map((gpu) => `${gpu.name} (${gpu.memoryMb} MB)`).join(', '),
  };
}

async function modelFinding(paths: Paths): Promise<DoctorFinding> {
  const title = 'Models';
  const models = await listModels(paths);
  const broken = models.filter((model) => model.error !== null);
  if (broken.length > 0)
    return {
      id: 'models',
      title,
      state: 'warning',
      detail: broken.map((model) => `${model.file}: ${model.error}`).join('; '),
      fix: 'Correct these files.',
    };
  return { id: 'models', title, state: 'ok', detail: `${models.map((model) => model.name).join(', ') || 'none'}` };
}
