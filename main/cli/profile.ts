// `termarium import-profile`: a prompt of the user's own, from a template file or a recorded trajectory.
import { resolve } from 'node:path';
import { profileFolder } from '../agent/profile.ts';
import { importProfile, type ProfileImport } from '../agent/profile-import.ts';
import type { Common } from './commands.ts';
import { exitCodes, plain, printJson } from './print.ts';

/** Imports a profile and says how to use it. */
export async function importProfileCommand(source: string, options: Omit<ProfileImport, 'source'>, common: Common): Promise<number> {
  const imported = await importProfile({ ...options, source: resolve(source) }, profileFolder(common.paths.userConfigs));
  const { name, file, parser, kind, user } = imported;
  if (common.json) printJson({ name, file, parser, kind, bytes: Buffer.byteLength(user) });
  else {
    const from = kind === 'recovered' ? 'recovered from a recording' : 'read from a template';
    process.stdout.write(
      `${plain(name)}: ${from}, answers in ${parser.toUpperCase()}, ${Buffer.byteLength(user)} bytes, in ${plain(file)}\n`,
    );
    process.stdout.write(`use it with: -o agentSettings.profile=${plain(name)}\n`);
  }
  return exitCodes.ok;
}
