// What a run is configured by: configs/default.yaml, then each -c file over it, then each -o override.
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { stringify } from 'yaml';
import { type RunConfig, runConfig } from '../contract/schema/config.ts';
import type { ConfigIssue } from '../contract/schema/task.ts';
import { AppError, messageOf } from '../lib/errors.ts';
import { dotted, explain } from './explain.ts';
import { isPlainMap, type Layer, type Merged, mergeLayers, type Source } from './merge.ts';
import { readOverride } from './override.ts';
import type { Paths } from './paths.ts';
import { readYaml } from './yaml.ts';

export interface ConfigRequest {
  /** YAML files (`-c`), each laid over those before it. */
  files: string[];
  /** `a.b=c` (`-o`), laid over the files. */
  overrides: string[];
  paths: Paths;
}

export interface CheckedConfig {
  /** Null where an issue is an error. */
  config: RunConfig | null;
  issues: ConfigIssue[];
  /** For each value that somebody wrote, by its dotted path: `file:line`, or `-o key=value`. */
  sources: Record<string, string>;
}

/**
 * Reads and checks a run's configuration. Fails with `config.invalid`: `where` is the file and line of the first problem, the
 * message names every problem (an override by its own text), each with the nearest right key. `config.not_found` where a file is absent.
 */
export async function loadRunConfig(request: ConfigRequest): Promise<CheckedConfig & { config: RunConfig }> {
  const files = await Promise.all([defaultLayer(request.paths), ...request.files.map(fileLayer)]);
  const checked = check(mergeLayers([...files, ...request.overrides.map(readOverride)]));
  if (checked.config !== null) return { ...checked, config: checked.config };
  throw refusal(checked.issues);
}

/** Checks YAML text as it stands in an editor, laid over the defaults. Problems are in `issues`; only a missing default.yaml throws. */
export async function loadRunConfigText(text: string, name: string, paths: Paths): Promise<CheckedConfig> {
  const base = await defaultLayer(paths);
  try {
    return check(mergeLayers([base, textLayer(text, name)]));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { config: null, issues: [issueOf(error, name)], sources: {} };
  }
}

/** Checks a configuration that was made by a form, laid over the defaults; issues name `name` as their file. */
export async function checkRunConfig(value: unknown, name: string, paths: Paths): Promise<CheckedConfig> {
  const base = await defaultLayer(paths);
  if (!isPlainMap(value)) {
    return { config: null, issues: [{ level: 'error', message: 'a configuration is a group of keys', file: name }], sources: {} };
  }
  return check(mergeLayers([base, { value, sourceOf: () => ({ kind: 'file', file: name, line: 1 }) }]));
}

/** YAML of what differs from the defaults, keys in the schema's order; loading it over the defaults gives `config` again. */
export function toYaml(config: RunConfig): string {
  const defaults = runConfig.parse({ tasks: ['-'] });
  const different = { ...differences(config, { ...defaults, tasks: [] }, Object.keys(runConfig.shape)) };
  return stringify(different, { lineWidth: 0 });
}

function check(merged: Merged): CheckedConfig {
  const sources = Object.fromEntries(leaves(merged.value, []).flatMap((path) => sourceEntry(merged, path)));
  const parsed = runConfig.safeParse(merged.value);
  if (parsed.success) return { config: parsed.data, issues: [], sources };
  const issues = explain(runConfig, merged.value, parsed.error.issues).map(({ path, message }) =>
    issueAt(merged.sourceOf(path), `${dotted(path)}: ${message}`),
  );
  return { config: null, issues, sources };
}

/** What nobody wrote is missing everywhere, so no file can be named for it. */
function issueAt(source: Source | null, message: string): ConfigIssue {
  if (source === null) return { level: 'error', message, file: 'configuration' };
  return source.kind === 'file'
    ? { level: 'error', message, file: source.file, line: source.line }
    : { level: 'error', message, file: `-o ${source.text}` };
}

function refusal(issues: ConfigIssue[]): AppError {
  const [first] = issues;
  const message = issues.map((issue) => `${issue.file.startsWith('-o ') ? `${issue.file}: ` : ''}${issue.message}`).join('\n');
  const isInFile = first && first.line !== undefined;
  return new AppError('config.invalid', message, {
    ...(isInFile ? { where: `${first.file}:${first.line}` } : {}),
    hint: first?.message.startsWith('tasks: is missing')
      ? 'Name a task set, a folder of tasks or a task folder: -o "tasks=[bundled]".'
      : 'Every key is explained in configs/default.yaml.',
  });
}

async function defaultLayer(paths: Paths): Promise<Layer> {
  return fileLayer(join(paths.configs, 'default.yaml'));
}

async function fileLayer(file: string): Promise<Layer> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new AppError('config.not_found', `cannot read the configuration ${file}: ${messageOf(error)}`, {
      hint: 'Check the path given with -c.',
      cause: error,
    });
  }
  return textLayer(text, shown(file));
}

function textLayer(text: string, name: string): Layer {
  const { value, lineOf } = readYaml(text, name);
  if (!isPlainMap(value)) {
    throw new AppError('config.invalid', 'a configuration is a group of keys', {
      where: `${name}:1`,
      hint: 'Write lines of the form key: value.',
    });
  }
  return { value, sourceOf: (path) => ({ kind: 'file', file: name, line: lineOf(path) }) };
}

/** As the user would type it: relative where the file lies below the working directory. */
function shown(file: string): string {
  const between = relative(process.cwd(), file);
  return between === '' || between.startsWith('..') ? file : between;
}

function issueOf(error: AppError, name: string): ConfigIssue {
  const line = /:(\d+)$/.exec(error.where ?? '')?.[1];
  return { level: 'error', message: error.message, file: name, ...(line === undefined ? {} : { line: Number(line) }) };
}

function sourceEntry(merged: Merged, path: (string | number)[]): [string, string][] {
  const source = merged.sourceOf(path);
  return source === null ? [] : [[dotted(path), sourceText(source)]];
}

function sourceText(source: Source): string {
  return source.kind === 'file' ? `${source.file}:${source.line}` : `-o ${source.text}`;
}

function leaves(value: unknown, path: (string | number)[]): (string | number)[][] {
  if (!isPlainMap(value) || Object.keys(value).length === 0) return path.length > 0 ? [path] : [];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

function differences(value: Record<string, unknown>, base: Record<string, unknown>, order: string[]): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const key of order) {
    const [here, there] = [value[key], base[key]];
    if (here === undefined || JSON.stringify(here) === JSON.stringify(there)) continue;
    found[key] = isPlainMap(here) && isPlainMap(there) ? differences(here, there, Object.keys({ ...there, ...here })) : here;
  }
  return found;
}
