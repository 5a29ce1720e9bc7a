// What a reader makes of one recorded trial, whatever format it had: a rollout that has ended, its conversation, its verdict, and the rest
// that the lab has no place for but an export must give back.
import type { ErrorData } from '../contract/errors.ts';
import type { ImportFormat } from '../contract/schema/exchange.ts';
import type { Verdict } from '../contract/schema/rollout.ts';
import type { ImportedNode, ImportedRollout } from '../store/imports.ts';
import type { JsonObject } from './json.ts';

/** A trial as it was read. `cast`: asciicast v2 recording, by its path. `notes`: what the reader of the trajectory should know. */
export interface Trial {
  format: ImportFormat;
  rollout: TrialFacts;
  nodes: ImportedNode[];
  verdict: Verdict;
  verifierOutput: string;
  cast: string | null;
  notes: string[];
  rest: Rest;
}

/** The columns of its rollout; which run, task row and attempt it is, the importer says. */
export type TrialFacts = Omit<ImportedRollout, 'runId' | 'taskId' | 'attempt'>;

/** A step or message without the texts and numbers that its nodes hold. */
export interface Skeleton {
  /** Node of the message. */
  node: string;
  /** Nodes of the observation's texts, in their order. */
  replies: string[];
  left: JsonObject;
}

/** One ATIF document of a trial. The first is the trial's own; the others are continuations and sub-agents. */
export interface RestDocument {
  /** File name as ATIF references give it. */
  path: string;
  /** Position in `documents` of the one that this was embedded in; null for a file of its own. */
  within: number | null;
  /** Root keys except the steps and the embedded sub-agents. */
  root: JsonObject;
  steps: Skeleton[];
}

/** Everything of the record that nodes, verdict and rollout do not hold. Stored as JSON beside the rollout, read by the exporters only. */
export interface Rest {
  documents?: RestDocument[];
  /** Chat messages, where the record was a list of those. */
  messages?: Skeleton[];
  /** Other parts of the record by the name they had: `result.json`, `config.json`, columns of a row. */
  parts?: JsonObject;
}

/** A failure of the recorded trial's own infrastructure, as a rollout row tells it. */
export function recordedFailure(kind: string, message: string): ErrorData {
  return { code: 'sandbox.start_failed', message: `${kind}: ${message}`.slice(0, 2000), retryable: false };
}
