// Adds a prompt profile to the user's own: from a template file of a harness, or from the first message of a recorded trajectory.
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { stringify } from 'yaml';
import type { AgentSettings } from '../contract/schema/config.ts';
import { AppError, boundary } from '../lib/errors.ts';
import { isBuiltIn, type StoredProfile, storedProfile } from './profile.ts';
import { recoverTemplate, templateText } from './profile-recovery.ts';
import { readRecording } from './recording.ts';

export interface ProfileImport {
  /** Template file, recorded first prompt, trajectory file or trial folder. */
  source: string;
  /** Left out, it is called after its source. */
  name?: string | undefined;
  /** Left out, the text shows it. */
  parser?: AgentSettings['parser'] | undefined;
  /** Folder of the task that was recorded, where headings do not tell where it stands. */
  task?: string | undefined;
  /** Rows of the recorded terminal. */
  rows: number;
  /** Replace a profile of this name. */
  replace: boolean;
}

export interface ImportedProfile {
  name: string;
  file: string;
  parser: AgentSettings['parser'];
  /** `recovered`: from a recording. */
  kind: 'template' | 'recovered';
  user: string;
}

/**
 * Imports a profile into `folder`. Fails with `request.not_found` where there is nothing to read, `config.invalid` where the text has no
 * place for the task, and `request.conflict` where the name is taken.
 */
export async function importProfile(wanted: ProfileImport, folder: string): Promise<ImportedProfile> {
  const { kind, user } = await readTemplate(wanted);
  const name = wanted.name ?? basename(wanted.source).replace(/\.[^.]+$/, '');
  if (!/^[\w][\w.-]*$/.test(name)) {
    throw new AppError('request.invalid', `'${name}' cannot be the name of a profile`, {
      hint: 'Use letters, digits, dots, dashes and underscores: --name NAME.',
    });
  }
  const file = join(folder, `${name}.yaml`);
  const taken = isBuiltIn(name) || (!wanted.replace && (await stat(file).catch(() => null)) !== null);
  if (taken) {
    throw new AppError('request.conflict', `there is a profile ${name} already`, {
      hint: isBuiltIn(name) ? 'That one is built in: give another --name.' : 'Give another --name, or --replace it.',
    });
  }
  const parser = wanted.parser ?? (user.includes('<response>') ? 'xml' : 'json');
  const stored: StoredProfile = storedProfile.parse({ parser, user, source: wanted.source });
  await mkdir(folder, { recursive: true });
  await writeFile(file, stringify(stored, { lineWidth: 0 }));
  return { name, file, parser, kind, user };
}

async function readTemplate({ source, task, rows }: ProfileImport): Promise<{ kind: ImportedProfile['kind']; user: string }> {
  const found = await stat(source).catch(() => null);
  if (found === null) throw new AppError('request.not_found', `there is nothing at ${source}`, { hint: 'Check the path.' });
  const instruction =
    task === undefined
      ? null
      : await boundary('request.not_found', 'read the instruction of the task', () => readFile(join(task, 'instruction.md'), 'utf8'));
  if (found.isDirectory() || source.endsWith('.json')) {
    const { prompt, path } = await readRecording(source);
    if (prompt === null) {
      throw new AppError('config.invalid', 'the recording does not hold its first message', {
        where: `${path}:1`,
        hint: 'Use another trial.',
      });
    }
    return { kind: 'recovered', user: recoverTemplate(prompt, instruction, rows, `${path}:1`) };
  }
  const text = await readFile(source, 'utf8');
  if (text.includes('{instruction}')) return { kind: 'template', user: templateText(text, `${source}:1`) };
  return { kind: 'recovered', user: recoverTemplate(text, instruction, rows, `${source}:1`) };
}
