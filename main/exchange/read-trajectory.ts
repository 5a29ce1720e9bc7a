// Trajectories that lie alone: one ATIF document with the files of its sub-agents beside it, or one list of chat messages.
import { basename } from 'node:path';
import { conversation } from './conversation.ts';
import { type JsonObject, numberOf, objectOf, textOf, timeOf } from './json.ts';
import { type AtifFile, readAtif } from './read-atif.ts';
import { readChat } from './read-chat.ts';
import { taskOfTrialName } from './read-harbor.ts';
import { ungraded } from './recorded-verdict.ts';
import type { Rest, Trial, TrialFacts } from './trial.ts';

const reason = 'A trajectory alone tells of no grading.';

/** Reads a document and those that belong to it. */
export function readAtifTrial(main: AtifFile, companions: AtifFile[]): Trial {
  const root = objectOf(main.document) ?? {};
  const first = objectOf(Array.isArray(root.steps) ? root.steps[0] : null);
  const talk = conversation(timeOf(first?.timestamp) ?? 0);
  const documents: NonNullable<Rest['documents']> = [];
  readAtif(main, talk, documents);
  for (const companion of companions) readAtif(companion, talk, documents);
  const agent = objectOf(root.agent) ?? {};
  const totals = objectOf(root.final_metrics) ?? {};
  return trial(
    'atif',
    talk,
    { documents },
    {
      taskName: taskNameOf(main.file, root),
      agent: textOf(agent.name) ?? 'unknown',
      model: textOf(agent.model_name),
      promptTokens: numberOf(totals.total_prompt_tokens) ?? sum(talk.nodes, 'promptTokens'),
      completionTokens: numberOf(totals.total_completion_tokens) ?? sum(talk.nodes, 'completionTokens'),
    },
  );
}

/** Reads a list of chat messages. Its file is named after the trial where it lies alone. */
export function readChatTrial(file: string, messages: unknown): Trial {
  const talk = conversation(0);
  const rest: Rest = { messages: readChat(messages, file, talk, 0) };
  return trial('chat', talk, rest, {
    taskName: taskOfTrialName(stem(file)),
    agent: 'unknown',
    model: null,
    promptTokens: 0,
    completionTokens: 0,
  });
}

function trial(
  format: Trial['format'],
  talk: ReturnType<typeof conversation>,
  rest: Rest,
  facts: Pick<TrialFacts, 'taskName' | 'agent' | 'model' | 'promptTokens' | 'completionTokens'>,
): Trial {
  const startedAt = talk.nodes[0]?.createdAt ?? 0;
  return {
    format,
    rollout: {
      ...facts,
      taskDigest: '',
      status: 'finished',
      outcome: null,
      error: null,
      turns: talk.turns,
      timings: {},
      queuedAt: startedAt,
      // A record without times says nothing about when it was played.
      startedAt: startedAt === 0 ? null : startedAt,
      endedAt: startedAt === 0 ? null : talk.now,
    },
    nodes: talk.nodes,
    verdict: ungraded(reason),
    verifierOutput: '',
    cast: null,
    notes: [],
    rest,
  };
}

/** ATIF has no field for it: what others put into `extra`, else the name of the file. */
function taskNameOf(file: string, root: JsonObject): string {
  const extra = objectOf(root.extra) ?? {};
  const name = stem(file).replace(/\.?trajectory$/, '');
  return textOf(extra.task_name) ?? textOf(extra.task) ?? (name === '' ? 'trajectory' : taskOfTrialName(name));
}

function stem(file: string): string {
  return basename(file).replace(/(\.json)?(\.gz)?$/, '');
}

function sum(nodes: Trial['nodes'], key: 'promptTokens' | 'completionTokens'): number {
  return nodes.reduce((total, node) => total + (node[key] ?? 0), 0);
}
