// Links that leave the app: https only, to the system's browser.
import { shell } from 'electron';

/** Opens an https URL in the system's browser; false for anything else, which could start a program or name a file. */
export async function openExternal(url: string): Promise<boolean> {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'https:' || parsed.username !== '' || parsed.password !== '') return false;
  await shell.openExternal(parsed.href);
  return true;
}
