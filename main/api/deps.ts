// What the handlers act on.

import type { CheckLogs } from '../check/log.ts';
import type { StatusMonitor } from '../check/status.ts';
import type { Paths } from '../config/paths.ts';
import type { TaskShells } from '../edit/shells.ts';
import type { ImportJobs } from '../exchange/jobs.ts';
import type { Lab } from '../rollout/lab.ts';
import type { Scheduler } from '../rollout/scheduler.ts';
import type { SandboxProvider } from '../sandbox/sandbox.ts';

export interface ApiDeps {
  lab: Lab;
  scheduler: Scheduler;
  checkLogs: CheckLogs;
  imports: ImportJobs;
  shells: TaskShells;
  /** Sees what `termarium check` left in Docker. */
  checks: SandboxProvider;
  status: StatusMonitor;
  paths: Paths;
  version: string;
  /** Distinguishes one life of the backend from the next: cursors of byte tails are not valid across it. */
  instance: string;
}
