// Reads the solution summaries of Endless Terminals: `solutions/<model>_summary.json` beside a native task, with every sample's messages.
import { basename, dirname } from 'node:path';
import { conversation, typed } from './conversation.ts';
import { invalid, type JsonObject, listOf, numberOf, objectOf, textOf } from './json.ts';
import { endOf, verdictOf } from './recorded-verdict.ts';
import type { Skeleton, Trial } from './trial.ts';

export function isEndlessSummary(value: unknown): boolean {
  const summary = objectOf(value);
  return summary !== null && numberOf(summary.num_runs) !== null && listOf(summary.results) !== null && 'num_success' in summary;
}

/** Reads one sample. Its answers hold a command between tags, or say that they are done. */
export function readEndlessSample(sample: unknown, file: string): Trial {
  const result = objectOf(sample);
  const messages = listOf(result?.messages);
  if (!result || !messages || messages.length === 0) throw invalid('has a result without messages', file);
  const talk = conversation(0);
  const skeletons = messages.map((message) => read(objectOf(message) ?? {}, talk, file));
  const reward = numberOf(result.reward) ?? (result.success === true ? 1 : 0);
  const grading = {
    output: textOf(result.output) ?? '',
    rewardText: null,
    rewardJson: null,
    ctrf: null,
    rewards: { reward },
    separate: false,
    seconds: 0,
  };
  const verdict = withoutEvidence(grading.output)
    ? { ...verdictOf(grading, null, true), state: 'no_verdict' as const }
    : verdictOf(grading, null, true);
  const { messages: _messages, output: _output, ...columns } = result;
  return {
    format: 'endless',
    rollout: {
      taskName: taskOf(file),
      taskDigest: '',
      agent: 'endless',
      model: basename(file).replace(/_summary\.json(\.gz)?$/, ''),
      ...endOf(verdict, null, false),
      turns: talk.turns,
      promptTokens: 0,
      completionTokens: 0,
      timings: {},
      queuedAt: 0,
      startedAt: null,
      endedAt: null,
    },
    nodes: talk.nodes,
    verdict,
    verifierOutput: grading.output,
    cast: null,
    notes: [],
    rest: { messages: skeletons, parts: columns },
  };
}

/** The folder of the task: `<task>/solutions/<model>_summary.json`. */
function taskOf(file: string): string {
  const folder = dirname(file);
  return basename(basename(folder) === 'solutions' ? dirname(folder) : folder);
}

/** The final tests are typed into the agent's own shell; where that hung, they never ran. */
function withoutEvidence(output: string): boolean {
  return !/\b\d+ (passed|failed|errors?)\b.* in [\d.]+s/.test(output);
}

function read(message: JsonObject, talk: ReturnType<typeof conversation>, file: string): Skeleton {
  const { content, ...left } = message;
  const text = textOf(content);
  if (text === null) throw invalid('has a message without content', file);
  const command = /<command>([\s\S]*?)<\/command>/.exec(text)?.[1];
  const node =
    message.role === 'assistant'
      ? talk.say({ role: 'assistant', author: 'sampled', content: text, commands: command === undefined ? [] : [typed(command, 1, 0)] })
      : talk.say({
          role: message.role === 'system' ? 'system' : 'user',
          author: talk.turns === 0 ? 'template' : 'environment',
          content: text,
        });
  return { node: node.id, replies: [], left };
}
