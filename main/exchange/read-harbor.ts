// Reads trial folders of Harbor 0.6 to 0.25: result and configuration, trajectory (ATIF, or the chat messages that some agents write
// under the same name), answers of the episodes, what the verifier left.
import { basename, join } from 'node:path';
import type { NodeRow, RolloutRow } from '../contract/schema/rollout.ts';
import { type RecordedFormat, readAnswer, recordedFormat } from './answers.ts';
import { type Conversation, conversation } from './conversation.ts';
import { invalid, type JsonObject, listOf, numberOf, objectOf, parseJson, textOf, timeOf } from './json.ts';
import { isAtif, readAtif } from './read-atif.ts';
import { isChat, readChat, type TurnTiming } from './read-chat.ts';
import { endOf, exceptionOf, type Grading, verdictOf } from './recorded-verdict.ts';
import type { Rest, Trial } from './trial.ts';
import type { TrialFiles } from './trial-files.ts';

/** Printed by the last command of agents that hand in that way. */
const SUBMITTED = 'COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT';

/** Reads a trial. Throws `request.invalid` with file and line where one of its files is broken, or where it holds nothing to read. */
export function readHarborTrial(files: TrialFiles): Trial {
  const result = objectOf(json(files, 'result.json')) ?? {};
  const config = objectOf(result.config) ?? objectOf(json(files, 'config.json')) ?? {};
  const startedAt = timeOf(result.started_at);
  const talk = conversation(phase(result.agent_execution).from ?? startedAt ?? 0);
  const rest: Rest = { parts: { 'result.json': result, ...('config' in result ? {} : { 'config.json': config }) } };
  const facts = readConversations(files, talk, rest, config);
  if (Object.keys(result).length === 0 && talk.nodes.length === 0) {
    throw invalid('holds neither a result.json nor a trajectory', files.folder);
  }

  const exception = exceptionOf(result.exception_info);
  const played = result.agent_execution != null || talk.turns > 0;
  const verdict = verdictOf(gradingOf(files, result), exception, played);
  const usage = objectOf(json(files, 'agent/usage.json')) ?? {};
  const most = numberOf(usage.max_steps);
  const capped =
    most !== null && talk.turns >= most && !talk.nodes.some((node) => node.author === 'environment' && node.content.startsWith(SUBMITTED));
  const agentResult = objectOf(result.agent_result) ?? {};
  const totals = objectOf(facts.root.final_metrics) ?? {};
  const agentInfo = objectOf(result.agent_info) ?? objectOf(facts.root.agent) ?? {};
  return {
    format: 'harbor',
    rollout: {
      taskName: taskNameOf(files, result, config),
      taskDigest: textOf(result.task_checksum) ?? '',
      agent: textOf(agentInfo.name) ?? textOf(objectOf(config.agent)?.name) ?? textOf(objectOf(config.agent)?.import_path) ?? 'unknown',
      model: modelOf(agentInfo, config),
      // A trial without a result was still being played when its job was killed.
      ...(Object.keys(result).length === 0 && verdict.box === 'none'
        ? { status: 'interrupted', outcome: null, error: null }
        : endOf(verdict, exception, capped)),
      turns: talk.turns,
      promptTokens: firstNumber(agentResult.n_input_tokens, totals.total_prompt_tokens, usage.prompt_tokens),
      completionTokens: firstNumber(agentResult.n_output_tokens, totals.total_completion_tokens, usage.completion_tokens),
      timings: timingsOf(result, facts),
      queuedAt: startedAt ?? talk.nodes[0]?.createdAt ?? 0,
      startedAt: startedAt ?? talk.nodes[0]?.createdAt ?? null,
      endedAt: timeOf(result.finished_at) ?? talk.nodes.at(-1)?.createdAt ?? null,
    },
    nodes: talk.nodes,
    verdict,
    verifierOutput: verifierParts(files, 'test-stdout.txt').join('\n'),
    cast: files.cast,
    notes: exception ? [`${exception.type}: ${exception.message}`] : [],
    rest,
  };
}

interface Read {
  /** Root of the trial's own ATIF document. */
  root: JsonObject;
  timings: TurnTiming[];
}

/** The conversations of the trial, or of each of its steps where it has several. */
function readConversations(files: TrialFiles, talk: Conversation, rest: Rest, config: JsonObject): Read {
  const steps = [...new Set([...files.content.keys()].flatMap((path) => /^steps\/[^/]+\//.exec(path)?.[0] ?? []))];
  const read: Read = { root: {}, timings: [] };
  for (const below of ['', ...steps]) {
    const main = `${below}agent/trajectory.json`;
    const document = json(files, main);
    if (document === undefined) {
      if (!readEpisodes(files, `${below}agent/`, talk, recordedFormat({}, config))) continue;
    } else if (isAtif(document)) {
      rest.documents ??= [];
      readAtif(
        { path: `${below}trajectory.json`, file: join(files.folder, main), document },
        talk,
        rest.documents,
        null,
        rawAnswers(files, `${below}agent/`, recordedFormat(objectOf(document) ?? {}, config)),
      );
      read.root = rest.documents[0]?.root ?? {};
      for (const path of companions(files, `${below}agent/`)) {
        const file = join(files.folder, path);
        readAtif({ path: `${below}${basename(path)}`, file, document: json(files, path) }, talk, rest.documents);
      }
    } else if (isChat(document)) {
      const timings = timingsIn(json(files, `${below}agent/timing.json`));
      read.timings.push(...timings);
      talk.restart();
      rest.messages = [...(rest.messages ?? []), ...readChat(document, join(files.folder, main), talk, talk.now, timings)];
    } else {
      throw invalid('is neither an ATIF trajectory nor a list of chat messages', join(files.folder, main));
    }
  }
  return read;
}

function companions(files: TrialFiles, below: string): string[] {
  return [...files.content.keys()].filter((path) => path.startsWith(below) && /\/trajectory\..+\.json$/.test(path)).sort();
}

/** The answers as sampled: the trajectory only has a rendering of them. */
function rawAnswers(files: TrialFiles, below: string, asked: RecordedFormat | null) {
  return (index: number): { text: string; format: NodeRow['format'] } | null => {
    const text = files.content.get(`${below}episode-${index}/response.txt`)?.toString('utf8');
    if (text === undefined) return null;
    return { text, format: readAnswer(text, asked).format };
  };
}

/** A trial that was cut off before it wrote its trajectory has its prompts and answers. Each prompt is the observation of the turn before. */
function readEpisodes(files: TrialFiles, below: string, talk: Conversation, asked: RecordedFormat | null): boolean {
  talk.restart();
  let index = 0;
  for (; ; index += 1) {
    const prompt = files.content.get(`${below}episode-${index}/prompt.txt`)?.toString('utf8');
    if (prompt === undefined) return index > 0;
    talk.say({ role: 'user', author: index === 0 ? 'template' : 'environment', content: prompt });
    const answer = files.content.get(`${below}episode-${index}/response.txt`)?.toString('utf8');
    if (answer === undefined) return true;
    const { format, commands } = readAnswer(answer, asked);
    const at = talk.now;
    talk.say({
      role: 'assistant',
      author: 'sampled',
      content: answer,
      format,
      commands: commands.map((command) => ({ ...command, startedAt: at, endedAt: null, exitCode: null, settled: null, from: 0, to: null })),
    });
  }
}

function gradingOf(files: TrialFiles, result: JsonObject): Grading | null {
  const reported = objectOf(objectOf(result.verifier_result)?.rewards);
  const text = (name: string) => verifierParts(files, name).at(-1) ?? null;
  const graded = { rewardText: text('reward.txt'), rewardJson: text('reward.json'), ctrf: text('ctrf.json') };
  const output = verifierParts(files, 'test-stdout.txt');
  if (!reported && output.length === 0 && Object.values(graded).every((part) => part === null)) return null;
  const { from, to } = phase(result.verifier);
  return {
    ...graded,
    // The verdict over several steps is what Harbor made of theirs; no single step's files say it.
    ...(files.content.has('verifier/reward.txt') || files.content.has('verifier/reward.json') || !reported
      ? {}
      : { rewardText: null, rewardJson: null }),
    output: output.join('\n'),
    rewards: reported,
    separate: result.verifier_environment_mode === 'separate',
    seconds: from !== null && to !== null ? (to - from) / 1000 : 0,
  };
}

function verifierParts(files: TrialFiles, name: string): string[] {
  return [...files.content.keys()]
    .filter((path) => path === `verifier/${name}` || (path.startsWith('steps/') && path.endsWith(`/verifier/${name}`)))
    .sort()
    .map((path) => files.content.get(path)?.toString('utf8') ?? '');
}

function timingsOf(result: JsonObject, { timings }: Read): RolloutRow['timings'] {
  const span = (value: unknown) => {
    const { from, to } = phase(value);
    return from !== null && to !== null ? Math.max(0, to - from) : undefined;
  };
  const requests = listOf(objectOf(objectOf(result.agent_result)?.metadata)?.api_request_times_msec);
  const modelMs =
    timings.length > 0
      ? timings.reduce((sum, turn) => sum + turn.modelMs, 0)
      : requests?.reduce<number>((sum, ms) => sum + (numberOf(ms) ?? 0), 0);
  const parts = {
    startMs: span(result.environment_setup),
    agentMs: span(result.agent_execution),
    modelMs: modelMs === undefined ? undefined : Math.round(modelMs),
    commandMs: timings.length > 0 ? Math.round(timings.reduce((sum, turn) => sum + (turn.commandMs ?? 0), 0)) : undefined,
    verifyMs: span(result.verifier),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, ms]) => ms !== undefined));
}

function timingsIn(value: unknown): TurnTiming[] {
  return (listOf(value) ?? []).map((item) => {
    const turn = objectOf(item) ?? {};
    const seconds = numberOf(turn.bash_s);
    return {
      modelMs: Math.round((numberOf(turn.llm_s) ?? 0) * 1000),
      commandMs: seconds === null ? null : Math.round(seconds * 1000),
      exitCode: numberOf(turn.return_code),
    };
  });
}

function phase(value: unknown): { from: number | null; to: number | null } {
  const span = objectOf(value);
  return { from: timeOf(span?.started_at), to: timeOf(span?.finished_at) };
}

function taskNameOf(files: TrialFiles, result: JsonObject, config: JsonObject): string {
  const task = objectOf(config.task);
  const path = textOf(task?.path);
  return textOf(result.task_name) ?? textOf(task?.name) ?? (path ? basename(path) : null) ?? taskOfTrialName(basename(files.folder));
}

/** `<task>__<7 characters>`, as trials are named. */
export function taskOfTrialName(name: string): string {
  return name.split('__').slice(0, -1).join('__') || name;
}

function modelOf(agent: JsonObject, config: JsonObject): string | null {
  const info = objectOf(agent.model_info);
  return textOf(info?.name) ?? textOf(agent.model_name) ?? textOf(objectOf(config.agent)?.model_name);
}

function firstNumber(...values: unknown[]): number {
  for (const value of values) {
    const number = numberOf(value);
    if (number !== null) return Math.round(number);
  }
  return 0;
}

/** A JSON file of the trial; undefined where it has none. */
function json(files: TrialFiles, path: string): unknown {
  const data = files.content.get(path);
  return data === undefined ? undefined : parseJson(data.toString('utf8'), join(files.folder, path));
}
