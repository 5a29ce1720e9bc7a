// What a rollout needs of the lab. app.ts builds one; tests build smaller ones.
import type { Paths } from '../config/paths.ts';
import type { RunConfig, SandboxConfig } from '../contract/schema/config.ts';
import type { Log } from '../lib/log.ts';
import type { SandboxProvider, SandboxSpec } from '../sandbox/sandbox.ts';
import type { Store } from '../store/store.ts';
import type { Task } from '../task/task.ts';
import type { Admission, Need } from './admission.ts';
import type { LiveRollouts } from './live.ts';

export interface Lab {
  store: Store;
  paths: Paths;
  /** The provider for this configuration's image aliases. */
  sandboxes: (config: SandboxConfig) => SandboxProvider;
  live: LiveRollouts;
  admission: Admission;
  log: Log;
}

/** The container that a task asks for, with the run's overrides. `image` is what `prepareImage` answered. */
export function specOf(task: Task, image: string, config: RunConfig, labels: Record<string, string>): SandboxSpec {
  const { environment } = task;
  const { sandbox } = config;
  const resources = {
    cpus: sandbox.cpus ?? environment.cpus,
    memoryMb: sandbox.memoryMb ?? environment.memoryMb,
    storageMb: environment.storageMb,
    pids: sandbox.pids,
    gpus: sandbox.gpus ?? environment.gpus,
  };
  return {
    image,
    resources: Object.fromEntries(Object.entries(resources).filter(([, value]) => value !== null)),
    network: sandbox.network === 'task' ? environment.network : { mode: sandbox.network, allowedHosts: [] },
    profile: sandbox.profile,
    env: environment.env,
    ...(environment.workdir === null ? {} : { workdir: environment.workdir }),
    ...(task.agent.user === null ? {} : { terminalUser: task.agent.user }),
    labels,
  };
}

/** What admission reserves for a task. An undeclared cpu counts as one, undeclared memory as 1 GiB. */
export function needOf(task: Task, config: RunConfig): Need {
  const { environment } = task;
  return {
    containers: 1,
    cpus: config.sandbox.cpus ?? environment.cpus ?? 1,
    memoryMb: config.sandbox.memoryMb ?? environment.memoryMb ?? 1024,
    gpus: config.sandbox.gpus ?? environment.gpus ?? 0,
  };
}
