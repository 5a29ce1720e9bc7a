// Reads rollouts.jsonl of the seed's training runs: one answer a row, its rewards apart. Rows that lie or are damaged are told by their line.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { parseAnswer } from '../agent/terminus/parse.ts';
import { conversation, typed } from './conversation.ts';
import { invalid, objectOf } from './json.ts';
import type { Trial } from './trial.ts';

const row = z.object({
  task_id: z.string().min(1),
  training_step: z.int().min(0),
  completion: z.string(),
  format_reward: z.number(),
  script_reward: z.number(),
  verifier_reward: z.number(),
  reward: z.number(),
});
const known = new Set(Object.keys(row.shape));

/** Weights of the total in the seed's trainer. */
const total = (value: z.infer<typeof row>) => 0.05 * value.format_reward + 0.1 * value.script_reward + 0.85 * value.verifier_reward;

export function isSeedRow(value: unknown): boolean {
  const object = objectOf(value);
  return object !== null && 'task_id' in object && 'completion' in object && ('verifier_reward' in object || 'reward' in object);
}

/** What lies beside the rows: steps of the training, instructions of the tasks. */
export interface SeedSurroundings {
  steps: ReadonlySet<number> | null;
  /** Null where there is none for the task. */
  instruction(taskId: string): string | null;
}

export function seedSurroundings(file: string): SeedSurroundings {
  const folder = dirname(file);
  const instructions = new Map<string, string | null>();
  return {
    steps: stepsIn(join(folder, 'steps.jsonl')),
    instruction(taskId) {
      let text = instructions.get(taskId);
      if (text === undefined) {
        const path = join(folder, 'rl_tasks', taskId, 'instruction.md');
        text = /^[\w.-]+$/.test(taskId) && !taskId.startsWith('.') && existsSync(path) ? readFileSync(path, 'utf8') : null;
        instructions.set(taskId, text);
      }
      return text;
    },
  };
}

function stepsIn(path: string): ReadonlySet<number> | null {
  if (!existsSync(path)) return null;
  const steps = readFileSync(path, 'utf8').matchAll(/"step"\s*:\s*(\d+)/g);
  return new Set([...steps].map((match) => Number(match[1])));
}

/** Reads a row; `remarks` gets what is doubtful about it. Throws `request.invalid` for one that has not the shape. */
export function readSeedRow(
  value: unknown,
  file: string,
  line: number,
  { steps, instruction }: SeedSurroundings,
  remarks: string[],
): Trial {
  const checked = row.safeParse(value);
  if (!checked.success) {
    const issue = checked.error.issues[0];
    throw invalid(`is no row of rollouts: ${issue?.path.join('.') || 'row'}: ${issue?.message}`, file, line);
  }
  const data = checked.data;
  const others = Object.keys(objectOf(value) ?? {}).filter((key) => !known.has(key));
  const answer = parseAnswer(data.completion, 'strict');
  if (others.length > 0) remarks.push(`has keys that are not known: ${others.join(', ').slice(0, 200)}`);
  if (steps && !steps.has(data.training_step)) remarks.push(`training_step ${data.training_step} has no row in steps.jsonl`);
  if (data.format_reward === 0 && isStrictFormat(data.completion)) remarks.push('format_reward is 0 although the completion is valid');
  if (Math.abs(total(data) - data.reward) > 1e-3) remarks.push('reward is not 0.05 format + 0.10 script + 0.85 verifier');

  const talk = conversation(0);
  const prompt = instruction(data.task_id);
  if (prompt !== null) talk.say({ role: 'user', author: 'template', content: prompt });
  talk.say({
    role: 'assistant',
    author: 'sampled',
    content: data.completion,
    format: answer.format,
    commands: answer.commands.map((command) => typed(command.keystrokes, command.duration, 0)),
  });
  const { completion: _completion, ...columns } = objectOf(value) ?? {};
  return {
    format: 'seed',
    rollout: {
      taskName: data.task_id,
      taskDigest: '',
      agent: 'single-turn',
      model: null,
      status: 'finished',
      outcome: data.verifier_reward >= 1 ? 'solved' : 'unsolved',
      error: null,
      turns: 1,
      promptTokens: 0,
      completionTokens: 0,
      timings: {},
      queuedAt: 0,
      startedAt: null,
      endedAt: null,
    },
    nodes: talk.nodes,
    verdict: {
      state: 'tests_ran',
      reward: data.verifier_reward,
      rewards: {
        reward: data.reward,
        format_reward: data.format_reward,
        script_reward: data.script_reward,
        verifier_reward: data.verifier_reward,
      },
      partial: data.verifier_reward,
      tests: [],
      box: 'live',
      tampering: [],
      reason: 'As the training run recorded it.',
      seconds: 0,
    },
    verifierOutput: '',
    cast: null,
    notes: [],
    rest: { parts: columns },
  };
}

/** The seed's own rule: JSON with a list of commands, and nothing around it. */
function isStrictFormat(completion: string): boolean {
  try {
    return Array.isArray(objectOf(JSON.parse(completion))?.commands);
  } catch {
    return false;
  }
}
