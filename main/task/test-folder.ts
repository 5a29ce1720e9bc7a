// Task folders for tests: made on the spot in a temporary folder, or the real ones of the fixture pack beside the project.
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Folder of the fixture pack, which lies next to the project on machines that have it. */
export const fixturePack = join(import.meta.dirname, '..', '..', '..', 'shared', 'data');
export const hasFixturePack = existsSync(join(fixturePack, 'README.md'));

/** For the name of a suite that needs the pack, so that a skipped suite says why. */
export const packNote = hasFixturePack ? '' : ' (fixture pack not found at ../shared/data, skipping)';

export interface TemporaryFolder extends AsyncDisposable {
  path: string;
}

/** Writes `files` (path → content) into a new temporary folder; a path that ends in .sh becomes executable. */
export async function folderOf(files: Record<string, string | Uint8Array>): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'termarium-test-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
    if (name.endsWith('.sh')) await chmod(join(path, name), 0o755);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** A small Harbor task that is right in every way; tests replace what they are about. */
export function harborFiles(replace: Record<string, string> = {}): Record<string, string> {
  return {
    'task.toml': 'schema_version = "1.4"\n\n[task]\nname = "tests/greet"\n\n[agent]\ntimeout_sec = 60.0\n',
    'instruction.md': 'Write "hello" into /app/greeting.txt.\n',
    'environment/Dockerfile': 'FROM termarium/base:1\nWORKDIR /app\n',
    'tests/test.sh':
      '#!/bin/bash\ngrep -qx hello /app/greeting.txt && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt\n',
    'solution/solve.sh': '#!/bin/bash\necho hello > /app/greeting.txt\n',
    ...replace,
  };
}
