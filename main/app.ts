// Puts the parts together. The only place that constructs adapters; whoever starts the lab (desktop host, CLI, test) goes through here.
import { cpus, totalmem } from 'node:os';
import { uuidv7 } from 'uuidv7';
import packageJson from '../package.json' with { type: 'json' };
import { createRouter } from './api/router.ts';
import { readGpus } from './check/gpu.ts';
import { CheckLogs } from './check/log.ts';
import { StatusMonitor } from './check/status.ts';
import type { Paths } from './config/paths.ts';
import { bundledTaskFolder } from './config/tasks.ts';
import { type SandboxConfig, sandboxConfig } from './contract/schema/config.ts';
import { TaskShells } from './edit/shells.ts';
import { ImportJobs } from './exchange/jobs.ts';
import { messageOf } from './lib/errors.ts';
import type { Log } from './lib/log.ts';
import { Admission } from './rollout/admission.ts';
import type { Lab } from './rollout/lab.ts';
import { LiveRollouts } from './rollout/live.ts';
import { Scheduler } from './rollout/scheduler.ts';
import { createDockerProvider } from './sandbox/docker.ts';
import { CHECK_LAB, currentOwner } from './sandbox/labels.ts';
import type { SandboxProvider } from './sandbox/sandbox.ts';
import { acquireLock } from './store/lock.ts';
import { openStore } from './store/open.ts';
import type { Store } from './store/store.ts';
import { loadTasks } from './task/load.ts';
import { taskRowOf } from './task/row.ts';

/** Containers at once, over all runs: more only makes each slower, and engines become unstable. */
const MAX_CONTAINERS = 64;
/** Declared cpus may add up to this many times the machine's: tasks mostly wait for their model. */
const CPU_OVERCOMMIT = 4;
/** Share of the machine's memory that tasks may declare together. */
const MEMORY_SHARE = 0.9;

export interface App {
  router: ReturnType<typeof createRouter>;
  lab: Lab;
  scheduler: Scheduler;
  /** Says where this backend answers, for command-line programs on the same data folder. */
  announce(url: string, token: string): void;
  /** Interrupts what plays, removes its containers, closes the store. */
  close(): Promise<void>;
}

/**
 * Opens the lab on a data folder. Fails with `data.*` where the folder is owned by another backend, cannot be written, or is of a newer
 * version. A Docker Engine that is not there is no failure here: it shows in the status and in what needs it. `reap: false` leaves what an
 * earlier, killed lab left in Docker where it is.
 */
export async function createApp(options: { paths: Paths; log: Log; reap?: boolean }): Promise<App> {
  const { paths, log } = options;
  await using opening = new AsyncDisposableStack();
  const lock = opening.use(acquireLock(paths.data));
  const store = opening.use(openStore(paths.data, { log }));
  const interrupted = store.markInterrupted();
  if (interrupted > 0) log.warn({ interrupted }, 'rollouts were playing when the lab last ended; resume their runs to play them again');

  const sandboxes = providers(store, log);
  opening.defer(() => sandboxes.close());
  const defaultProvider = sandboxes.of(sandboxConfig.parse({}));
  const checks = createDockerProvider({ lab: CHECK_LAB, owner: currentOwner(), aliases: {}, log });
  opening.use(checks);
  if (options.reap !== false) for (const provider of [defaultProvider, checks]) reapLeftovers(provider, log);
  await registerBundledTasks(store, paths, log);

  const lab: Lab = {
    store,
    paths,
    sandboxes: sandboxes.of,
    live: new LiveRollouts(),
    admission: new Admission({
      containers: MAX_CONTAINERS,
      cpus: cpus().length * CPU_OVERCOMMIT,
      memoryMb: Math.floor((totalmem() / 2 ** 20) * MEMORY_SHARE),
      gpus: (await readGpus()).length,
    }),
    log,
  };
  const scheduler = new Scheduler(lab);
  opening.defer(() => scheduler.close());
  const imports = opening.use(new ImportJobs({ store, recordings: paths.recordings }));
  const shells = opening.use(new TaskShells(lab));
  const status = new StatusMonitor({
    version: packageJson.version,
    dataFolder: paths.data,
    provider: defaultProvider,
    running: () => lab.live.size,
    queued: () => scheduler.queued,
  });
  const router = createRouter({
    lab,
    scheduler,
    checkLogs: new CheckLogs(),
    imports,
    shells,
    checks,
    status,
    paths,
    version: packageJson.version,
    instance: uuidv7(),
  });
  const closing = opening.move();
  return { router, lab, scheduler, announce: (url, token) => lock.update({ url, token }), close: () => closing.disposeAsync() };
}

/** One Docker provider per set of image aliases: they change what a Dockerfile builds to. */
function providers(store: Store, log: Log) {
  const byAliases = new Map<string, SandboxProvider>();
  const lab = labId(store);
  return {
    of: (config: SandboxConfig): SandboxProvider => {
      const key = JSON.stringify(Object.entries(config.aliases).sort());
      let provider = byAliases.get(key);
      if (!provider) {
        provider = createDockerProvider({ lab, owner: currentOwner(), aliases: config.aliases, log });
        byAliases.set(key, provider);
      }
      return provider;
    },
    close: async () => {
      await Promise.all([...byAliases.values()].map((provider) => provider[Symbol.asyncDispose]()));
    },
  };
}

/** Names this data folder in container labels, so that two labs on one machine never touch each other's containers. */
function labId(store: Store): string {
  const known = store.settings.get('lab.id');
  if (typeof known === 'string') return known;
  const id = uuidv7();
  store.settings.put('lab.id', id);
  return id;
}

function reapLeftovers(provider: SandboxProvider, log: Log): void {
  provider.reap().then(
    (removed) => {
      if (removed.length > 0) log.warn({ removed: removed.length }, 'removed what an earlier, killed lab left in Docker');
    },
    // Not a warning: an engine that is down shows in the status, and in whatever needs it.
    (error: unknown) => log.info({ error: messageOf(error) }, 'could not look for leftovers in Docker'),
  );
}

/** A broken installation must not keep the researcher from the data that is already there. */
async function registerBundledTasks(store: Store, paths: Paths, log: Log): Promise<void> {
  const folder = bundledTaskFolder(paths);
  try {
    const { tasks, rejected } = await loadTasks(folder);
    for (const issue of rejected) log.error({ issue }, 'a bundled task cannot be read');
    store.tasks.putSet({ name: 'bundled', path: folder, origin: 'bundled' }, tasks.map(taskRowOf));
  } catch (error) {
    log.error({ error: messageOf(error) }, 'the bundled tasks cannot be read');
  }
}
