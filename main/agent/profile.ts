// What an agent says to a model before anything has happened: prompt texts with placeholders, and how they are laid out. Data, so that
// another text (one imported from elsewhere, say) needs no other code.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { resolvePaths } from '../config/paths.ts';
import { readYaml } from '../config/yaml.ts';
import { agentSettings } from '../contract/schema/config.ts';
import { AppError, boundary } from '../lib/errors.ts';
import { nearest } from '../lib/nearest.ts';
import type { ChatMessage } from '../model/model.ts';

export interface PromptProfile {
  name: string;
  /** Format of the answers that it asks for; null where it is the agent's own. */
  parser: 'json' | 'xml' | null;
  /** Left out where the model gets no system message. */
  system: string | null;
  /** First user message; {instruction} and {terminal_state} stand for the task and for what the terminal shows. */
  user: string;
  /** Bytes of output that one observation may hold. */
  observationBytes: number;
  /** Limits that replace the run's where those are left at their defaults. */
  limits: { turns?: number; seconds?: number };
}

export type ProfileName = 'terminus-json' | 'terminus-xml' | 'minimal' | 'batch';

type BuiltIn = Omit<PromptProfile, 'name' | 'system' | 'user'> & { system?: string; user?: string };

/** The text of a profile lies in resources/prompts; what is left out here is the run's to decide. */
const BUILT_IN: Record<ProfileName, BuiltIn> = {
  batch: { parser: 'json', system: 'batch.md', observationBytes: 10_000, limits: {} },
  'terminus-json': { parser: 'json', user: 'terminus-json.md', observationBytes: 10_000, limits: {} },
  'terminus-xml': { parser: 'xml', user: 'terminus-xml.md', observationBytes: 10_000, limits: {} },
  minimal: { parser: null, system: 'minimal.md', observationBytes: 50_000, limits: { turns: 16, seconds: 300 } },
};

/** A profile of the user's own, as it stands in its file. */
export const storedProfile = z.strictObject({
  parser: agentSettings.shape.parser,
  system: z.string().nullable().default(null),
  user: z.string(),
  observationBytes: z.int().min(500).default(10_000),
  /** Where it comes from, for the reader. */
  source: z.string().optional(),
});
export type StoredProfile = z.infer<typeof storedProfile>;

/** Folder of the user's own profiles. */
export function profileFolder(userConfigs: string): string {
  return join(userConfigs, 'profiles');
}

/**
 * The profile by this name: a built-in one, or `NAME.yaml` of the user's folder. Fails with `config.not_found` where there is none and
 * with `config.invalid` where its text is unreadable or has no place for the task.
 */
export async function loadProfile(name: string, folder: string | null): Promise<PromptProfile> {
  if (isBuiltIn(name)) return loadBuiltIn(name);
  const file = folder === null || /[\\/]/.test(name) ? null : join(folder, `${name}.yaml`);
  const text = file === null ? null : await readFile(file, 'utf8').catch(() => null);
  if (file === null || text === null) {
    const near = nearest(name, Object.keys(BUILT_IN));
    throw new AppError('config.not_found', `there is no prompt profile ${name}${near === null ? '' : `; did you mean ${near}?`}`, {
      hint: `Built in are ${Object.keys(BUILT_IN).join(', ')}; \`termarium import-profile\` adds others.`,
    });
  }
  const { value, lineOf } = readYaml(text, file);
  const parsed = storedProfile.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = (issue?.path ?? []).filter((key) => typeof key !== 'symbol');
    throw new AppError('config.invalid', `${path.join('.') || 'the profile'}: ${issue?.message ?? 'is no prompt profile'}`, {
      where: `${file}:${lineOf(path)}`,
      hint: 'A profile has the keys parser, system, user and observationBytes.',
    });
  }
  const { parser, system, user, observationBytes } = parsed.data;
  return checked({ name, parser, system, user, observationBytes, limits: {} }, `${file}:${lineOf(['user'])}`);
}

/** Reads a built-in profile. Fails with `config.invalid` where its text is unreadable or has no place for the task. */
export async function loadBuiltIn(name: ProfileName, folder: string = join(resolvePaths().resources, 'prompts')): Promise<PromptProfile> {
  const { system, user, ...rest } = BUILT_IN[name];
  const read = (file: string) => boundary('config.invalid', `read the prompt ${file}`, () => readFile(join(folder, file), 'utf8'));
  const texts = {
    system: system === undefined ? null : (await read(system)).trimEnd(),
    user: user === undefined ? '{instruction}' : (await read(user)).trimEnd(),
  };
  return checked({ name, ...rest, ...texts }, `${join(folder, user ?? '')}:1`);
}

function checked(profile: PromptProfile, where: string): PromptProfile {
  if (profile.user.includes('{instruction}')) return profile;
  throw new AppError('config.invalid', `the prompt of the profile ${profile.name} has no place for the task`, {
    hint: 'Write {instruction} where the task is to stand.',
    where,
  });
}

export function isBuiltIn(name: string): name is ProfileName {
  return Object.hasOwn(BUILT_IN, name);
}

/** The messages that open a conversation. Placeholders inside of the values are left as they are. */
export function openingMessages(
  profile: PromptProfile,
  values: { instruction: string; terminalState: string },
): (ChatMessage & { role: 'system' | 'user' })[] {
  const user = profile.user.replace(/\{instruction\}|\{terminal_state\}/g, (name) =>
    name === '{instruction}' ? values.instruction : values.terminalState,
  );
  return [...(profile.system === null ? [] : [{ role: 'system' as const, content: profile.system }]), { role: 'user', content: user }];
}

/** Characters of ordinary English text to a token, on the careful side. */
const CHARACTERS_PER_TOKEN = 3;

/**
 * Cuts an instruction that would leave the model no room to work: it may take half of the context. The end is kept too, since tasks
 * say there what the result must look like. The model is told what is missing.
 */
export function fitInstruction(instruction: string, contextLimit: number | null): string {
  if (contextLimit === null) return instruction;
  const room = Math.floor((contextLimit / 2) * CHARACTERS_PER_TOKEN);
  if (instruction.length <= room) return instruction;
  const half = Math.floor(room / 2);
  const omitted = instruction.length - 2 * half;
  const notice = `[... ${omitted} characters of this instruction are left out here: it is too long for a context of ${contextLimit} tokens ...]`;
  return `${instruction.slice(0, half)}\n${notice}\n${instruction.slice(-half)}`;
}
