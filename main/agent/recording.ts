// Reads recorded trials for playing them back: a trial folder of Harbor with its ATIF trajectory, or with the answers of each episode.
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { AppError, messageOf } from '../lib/errors.ts';
import type { Command } from './agent.ts';
import { parseAnswer } from './terminus/parse.ts';

export interface RecordedTurn {
  /** The answer as sampled, or as the trajectory renders it. */
  text: string;
  commands: Command[];
  /** The model said that the task is done. */
  complete: boolean;
  /** What the model was shown afterwards, with whatever headings it had; null where that was not recorded. */
  observation: string | null;
}

export interface Recording {
  path: string;
  source: 'atif' | 'episodes';
  /** First user message, null where it was not recorded. */
  prompt: string | null;
  turns: RecordedTurn[];
}

/** Folders below the given one in which trials are looked for: a folder of jobs, a job, a trial. */
const DEEPEST = 3;

const part = z.object({ type: z.string(), text: z.string().optional() });
const content = z.union([z.string(), z.array(part)]).nullish();
/** ATIF 1.0 to 1.7, as far as playing back needs it. Written by many programs, so read with patience. */
const atif = z.object({
  schema_version: z.string().regex(/^ATIF/),
  steps: z.array(
    z.object({
      source: z.string(),
      message: content,
      tool_calls: z.array(z.object({ function_name: z.string(), arguments: z.record(z.string(), z.unknown()).nullish() })).nullish(),
      observation: z.object({ results: z.array(z.object({ content })).nullish() }).nullish(),
    }),
  ),
});
const bashCommand = z.object({ keystrokes: z.string(), duration: z.number().nullish() });

/**
 * Reads the trial at `path`: its folder, its `agent` folder, or the trajectory file itself. Fails with `request.not_found` where
 * there is none and with `request.invalid` where it is of a kind that cannot be played back.
 */
export async function readRecording(path: string): Promise<Recording> {
  const found = await kindOf(path);
  if (found === 'file') return readAtif(path);
  for (const folder of [join(path, 'agent'), path]) {
    const file = join(folder, 'trajectory.json');
    if ((await kindOf(file)) === 'file') return readAtif(file);
    const episodes = await episodesIn(folder);
    if (episodes.length > 0) return readEpisodes(folder, episodes);
  }
  throw new AppError('request.not_found', `no recorded trajectory in ${path}`, {
    hint: 'A trial folder holds agent/trajectory.json (ATIF) or agent/episode-0/response.txt.',
  });
}

/**
 * The recording of a task: `path` itself where it is one, else among the trials below it those of this task, passed ones first, then
 * by name. Further attempts take further trials and begin again when there are no more.
 */
export async function findTrial(path: string, taskName: string, attempt: number): Promise<string> {
  if (await isTrial(path)) return path;
  const name = taskName.slice(taskName.lastIndexOf('/') + 1);
  const trials: { folder: string; passed: boolean }[] = [];
  for (const folder of await trialsBelow(path, DEEPEST)) {
    if ((await taskOf(folder)) === name) trials.push({ folder, passed: await hasPassed(folder) });
  }
  trials.sort((a, b) => Number(b.passed) - Number(a.passed) || (a.folder < b.folder ? -1 : 1));
  const trial = trials[attempt % Math.max(1, trials.length)];
  if (trial) return trial.folder;
  throw new AppError('request.not_found', `no recorded trial of the task ${name} in ${path}`, {
    hint: 'Trials are matched by the task name in their result.json, or by the part of their folder name before "__".',
  });
}

async function readAtif(file: string): Promise<Recording> {
  const data = parseJson(await readFile(file, 'utf8'), file);
  if (Array.isArray(data)) {
    throw new AppError('request.invalid', `${file} is a list of chat messages, not an ATIF trajectory`, {
      hint: 'Its keystrokes cannot be told apart from tool calls of another agent; only ATIF trajectories are played back.',
      where: `${file}:1`,
    });
  }
  const parsed = atif.safeParse(data);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new AppError('request.invalid', `${file} is no ATIF trajectory: ${issue?.path.join('.')}: ${issue?.message}`, {
      where: `${file}:1`,
    });
  }
  const turns: RecordedTurn[] = [];
  let prompt: string | null = null;
  for (const step of parsed.data.steps) {
    if (step.source === 'user' && turns.length === 0) prompt ??= textOf(step.message);
    if (step.source !== 'agent') continue;
    const calls = step.tool_calls ?? [];
    const results = step.observation?.results;
    turns.push({
      text: textOf(step.message),
      commands: calls.filter((call) => call.function_name === 'bash_command').map((call) => commandOf(call.arguments, file)),
      complete: calls.some((call) => call.function_name === 'mark_task_complete'),
      observation: results ? results.map((result) => textOf(result.content)).join('\n') : null,
    });
  }
  return { path: file, source: 'atif', prompt, turns };
}

/** Old trials and cancelled ones: each answer is parsed again, and the next prompt is what it led to. */
async function readEpisodes(folder: string, episodes: number[]): Promise<Recording> {
  const read = (episode: number, name: string) => readFile(join(folder, `episode-${episode}`, name), 'utf8').catch(() => null);
  const turns: RecordedTurn[] = [];
  for (const episode of episodes) {
    const text = await read(episode, 'response.txt');
    // An episode without an answer is one that was cut off while the model was sampling.
    if (text === null) break;
    const { commands, complete } = parseAnswer(text, 'strict');
    turns.push({ text, commands, complete, observation: await read(episode + 1, 'prompt.txt') });
  }
  return { path: folder, source: 'episodes', prompt: await read(episodes[0] ?? 0, 'prompt.txt'), turns };
}

async function episodesIn(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .flatMap((name) => /^episode-(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
}

function commandOf(argument: unknown, file: string): Command {
  const parsed = bashCommand.safeParse(argument);
  if (parsed.success) return { keystrokes: parsed.data.keystrokes, duration: parsed.data.duration ?? 1 };
  throw new AppError('request.invalid', `${file} has a bash_command without keystrokes`, { where: `${file}:1` });
}

function textOf(value: z.infer<typeof content>): string {
  if (Array.isArray(value)) return value.map((item) => item.text ?? '').join('\n');
  return value ?? '';
}

async function isTrial(path: string): Promise<boolean> {
  if ((await kindOf(path)) === 'file') return true;
  for (const folder of [join(path, 'agent'), path]) {
    if ((await kindOf(join(folder, 'trajectory.json'))) === 'file' || (await episodesIn(folder)).length > 0) return true;
  }
  return false;
}

async function trialsBelow(folder: string, depth: number): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries) {
    if (!entry.isDirectory()) continue;
    const path = join(folder, entry.name);
    if (await isTrial(path)) found.push(path);
    else if (depth > 1) found.push(...(await trialsBelow(path, depth - 1)));
  }
  return found;
}

/** Task of a trial, from its result or its folder's name (which Harbor cuts at 32 characters). */
async function taskOf(trial: string): Promise<string> {
  const result = await readFile(join(trial, 'result.json'), 'utf8').catch(() => '{}');
  const parsed = z.object({ task_name: z.string() }).safeParse(parseJson(result, join(trial, 'result.json')));
  const name = parsed.success ? parsed.data.task_name : (basename(trial).split('__')[0] ?? '');
  return name.slice(name.lastIndexOf('/') + 1);
}

async function hasPassed(trial: string): Promise<boolean> {
  const reward = await readFile(join(trial, 'verifier', 'reward.txt'), 'utf8').catch(() => '');
  return Number.parseFloat(reward) >= 1;
}

async function kindOf(path: string): Promise<'file' | 'folder' | null> {
  const found = await stat(path).catch(() => null);
  if (found === null) return null;
  return found.isDirectory() ? 'folder' : 'file';
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError('request.invalid', `${file} is not JSON: ${messageOf(error)}`, { where: `${file}:1`, cause: error });
  }
}
