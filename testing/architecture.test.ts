// What the design promises of the source tree and no type checker sees.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isContractProcedure } from '@orpc/contract';
import { describe, expect, it } from 'vitest';
import { errorCodes } from '../main/contract/errors.ts';
import { contract } from '../main/contract/index.ts';
import { errorCopy } from '../renderer/ui/error-copy.ts';

const root = join(import.meta.dirname, '..');
const folders = ['electron', 'main', 'renderer', 'native', 'testing', 'bench', 'scripts'];

const sources = folders
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`))
  .filter((path) => /\.(ts|tsx|css|py)$/.test(path) && !path.includes('node_modules'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** Files outside `allowed` whose text matches, as `path:line`. */
function offenders(pattern: RegExp, allowed: (path: string) => boolean): string[] {
  return sources
    .filter(({ path }) => !allowed(path) && path !== 'testing/architecture.test.ts')
    .flatMap(({ path, text }) => text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])));
}

describe('the source tree', () => {
  it('has no file of more than 400 lines', () => {
    expect(sources.filter(({ text }) => text.split('\n').length > 401).map(({ path }) => path)).toEqual([]);
  });

  it('has SQL only in main/store', () => {
    expect(
      offenders(/\b(SELECT .+ FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE)\b/, (path) => path.startsWith('main/store/')),
    ).toEqual([]);
  });

  it.each([
    ['dockerode', 'main/sandbox/'],
    ['node-pty', 'main/terminal/'],
    ['@xterm/headless', 'main/terminal/'],
    ['better-sqlite3', 'main/store/'],
    ['electron', 'electron/'],
  ])('imports %s only in %s', (library, folder) => {
    const pattern = new RegExp(`(from|import\\()\\s*['"]${library.replace('/', '\\/')}['"]`);
    expect(offenders(pattern, (path) => path.startsWith(folder) || path.startsWith('testing/') || path.startsWith('bench/'))).toEqual([]);
  });

  it('never renders text as HTML', () => {
    expect(offenders(/dangerouslySetInnerHTML|\.innerHTML\s*=|insertAdjacentHTML|document\.write/, () => false)).toEqual([]);
  });

  it('has no catch-all folders', () => {
    const names = new Set(sources.flatMap(({ path }) => path.split('/').slice(0, -1)));
    expect([...names].filter((name) => /^(utils?|helpers?|services?|managers?|common|misc)$/.test(name))).toEqual([]);
  });

  it('says in its first line what each backend file is for', () => {
    const silent = sources.filter(
      ({ path, text }) =>
        /^main\/(?!api\/|contract\/)/.test(path) && path.endsWith('.ts') && !path.endsWith('.test.ts') && !/^(\/\/|\/\*\*)/.test(text),
    );
    expect(silent.map(({ path }) => path)).toEqual([]);
  });
});

describe('the contract', () => {
  const procedures: [string, unknown][] = Object.entries(contract).flatMap(([topic, group]) =>
    Object.entries(group).map(([name, procedure]): [string, unknown] => [`${topic}.${name}`, procedure]),
  );

  it.each(procedures)('%s checks its input and its output', (_, procedure) => {
    if (!isContractProcedure(procedure)) throw new Error('not a procedure');
    expect(procedure['~orpc'].inputSchema).toBeDefined();
    expect(procedure['~orpc'].outputSchema).toBeDefined();
    expect(Object.keys(procedure['~orpc'].errorMap)).toContain('LAB');
  });

  it('has words for every error it can answer', () => {
    expect(Object.keys(errorCopy).sort()).toEqual([...errorCodes].sort());
  });
});
