// A task as the lab plays it, whatever format it was written in.
import type { ConfigIssue } from '../contract/schema/task.ts';

export interface TaskEnvironment {
  /** Prebuilt image reference (Harbor's docker_image). */
  image: string | null;
  /** Absolute folder of the Docker build context, null where there is no Dockerfile. */
  context: string | null;
  dockerfile: string;
  /** Absolute path of a compose file that one Dockerfile cannot replace; such tasks need the compose program. */
  compose: string | null;
  buildTimeoutSec: number;
  cpus: number | null;
  memoryMb: number | null;
  storageMb: number | null;
  gpus: number | null;
  gpuTypes: string[];
  env: Record<string, string>;
  workdir: string | null;
  network: { mode: 'public' | 'none' | 'allowlist'; allowedHosts: string[] };
  healthcheck: { command: string; intervalSec: number; timeoutSec: number; startPeriodSec: number; retries: number } | null;
}

export interface TaskVerifier {
  /** Absolute folder whose content goes to /tests. */
  folder: string | null;
  /** Script to run, relative to /tests. */
  script: string;
  /** Absolute path of that script where it lies outside `folder` (Terminal-Bench 1's run-tests.sh); uploads.ts puts it in place. */
  scriptFile?: string;
  timeoutSec: number;
  user: string | null;
  env: Record<string, string>;
  /** `separate`: an environment of its own; graded by uploading artifacts, see Harbor's environment_mode. */
  mode: 'shared' | 'separate';
  /** Terminal-Bench 1: how to read the pane text; null means reward files. */
  parser: string | null;
  /** Terminal-Bench 1: run the tests in the agent's own shell. */
  sameShell: boolean;
}

export type TaskSolution =
  | { kind: 'script'; path: string; env: Record<string, string> }
  /** Terminal-Bench 1 solution.yaml. */
  | {
      kind: 'commands';
      commands: { command: string; minTimeoutSec: number; maxTimeoutSec: number; block: boolean; appendEnter: boolean }[];
    }
  /** No solution, or a placeholder that says so itself. */
  | { kind: 'missing'; reason: string };

/** One step of a multi-step task (Harbor `[[steps]]`). */
export interface TaskStep {
  name: string;
  instruction: string;
  agentTimeoutSec: number | null;
  verifier: TaskVerifier;
  solution: TaskSolution;
  /** Absolute folder copied into the working directory before the step, null where there is none. */
  workdirFolder: string | null;
  minReward: number | Record<string, number> | null;
}

export interface Task {
  /** `org/name` or the folder's name. */
  name: string;
  /** Absolute folder. */
  folder: string;
  format: 'harbor' | 'terminal-bench-1';
  schemaVersion: string;
  /** Harbor's content digest (SHA-256 over sorted paths and file hashes), 64 hex digits. */
  digest: string;
  /** What the agent is told: canary lines removed. */
  instruction: string;
  difficulty: string | null;
  category: string | null;
  tags: string[];
  metadata: Record<string, unknown>;
  environment: TaskEnvironment;
  agent: { timeoutSec: number | null; user: string | null };
  verifier: TaskVerifier;
  solution: TaskSolution;
  /** Absolute path of tests of the untouched environment (Endless' test_initial_state.py), null where there are none. */
  initialTests: string | null;
  steps: TaskStep[];
  multiStepReward: 'mean' | 'final';
  /** Unknown keys, legacy spellings, fields that the lab does not honour yet: kept, and reported here with file and line. */
  issues: ConfigIssue[];
  /** Why the lab cannot play it here, null where it can. */
  unsupported: string | null;
}
