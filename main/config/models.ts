// Model files: configs/models as shipped, and the user's own, which win. Secrets never stand in them, only the names of the
// environment variables that hold them.
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type ModelConfig, modelConfig } from '../contract/schema/config.ts';
import { AppError, messageOf } from '../lib/errors.ts';
import { nearest } from '../lib/nearest.ts';
import { dotted, explain } from './explain.ts';
import { isPlainMap } from './merge.ts';
import type { Paths } from './paths.ts';
import { type KeyPath, readYaml } from './yaml.ts';

export interface ListedModel {
  name: string;
  /** Absolute path. */
  file: string;
  config: ModelConfig | null;
  /** What is wrong with the file, with its line. */
  error: string | null;
}

/** Every model file by name; a broken one is listed with its error. */
export async function listModels(paths: Paths): Promise<ListedModel[]> {
  const models: ListedModel[] = [];
  for (const [name, file] of await modelFiles(paths)) {
    try {
      models.push({ name, file, config: await readModelFile(file), error: null });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      models.push({ name, file, config: null, error: `${error.where ?? file}: ${error.message}` });
    }
  }
  return models;
}

/**
 * Loads a model by the name of its file, or by a path (anything with a slash or that ends in .yaml).
 * Fails with `model.unknown` naming the nearest model and where it looked, or `config.invalid` with `where` at the line at fault.
 */
export async function loadModel(nameOrPath: string, paths: Paths): Promise<ModelConfig> {
  if (/[\\/]|\.ya?ml$/.test(nameOrPath)) return readModelFile(resolve(nameOrPath));
  const files = await modelFiles(paths);
  const file = files.get(nameOrPath);
  if (file !== undefined) return readModelFile(file);
  const near = nearest(nameOrPath, files.keys());
  const known = files.size === 0 ? '' : ` Known: ${[...files.keys()].join(', ')}.`;
  throw new AppError('model.unknown', `there is no model "${nameOrPath}"${near === null ? '' : `; did you mean "${near}"?`}`, {
    hint: `Looked for ${nameOrPath}.yaml in ${modelFolders(paths).join(' and ')}.${known}`,
  });
}

/** Shipped first, so that a user's own file of the same name replaces it. */
function modelFolders(paths: Paths): string[] {
  return [join(paths.configs, 'models'), join(paths.userConfigs, 'models')];
}

async function modelFiles(paths: Paths): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const folder of modelFolders(paths)) {
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw new AppError('config.invalid', `cannot list ${folder}: ${error.message}`, { cause: error });
    });
    for (const name of names.filter((each) => /\.ya?ml$/.test(each))) files.set(name.replace(/\.ya?ml$/, ''), join(folder, name));
  }
  return new Map([...files].sort(([a], [b]) => a.localeCompare(b)));
}

async function readModelFile(file: string): Promise<ModelConfig> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new AppError('model.unknown', `cannot read the model file ${file}: ${messageOf(error)}`, {
      hint: 'Check the path.',
      cause: error,
    });
  });
  const { value, lineOf } = readYaml(text, file);
  const secret = findSecret(value, []);
  if (secret !== null) {
    throw new AppError('config.invalid', `${dotted(secret)}: looks like a key itself`, {
      where: `${file}:${lineOf(secret)}`,
      hint: 'Put the key into an environment variable and write its name here: apiKeyEnv: OPENAI_API_KEY. Then replace the key: a file is no place for it.',
    });
  }
  const named = isPlainMap(value) && !Object.hasOwn(value, 'name') ? { ...value, name: basename(file).replace(/\.ya?ml$/, '') } : value;
  const parsed = modelConfig.safeParse(named);
  if (parsed.success) return parsed.data;
  const findings = explain(modelConfig, named, parsed.error.issues);
  throw new AppError('config.invalid', findings.map(({ path, message }) => `${dotted(path) || 'the file'}: ${message}`).join('\n'), {
    where: `${file}:${lineOf(findings[0]?.path ?? [])}`,
    hint: 'Compare with the examples in configs/models.',
  });
}

/** Spellings under which people write a key down. `apiKeyEnv` is not among them: it holds a name. */
const SECRET_KEYS = /^(api[_-]?key|key|token|secret|password|authorization|bearer)$/i;
/** Keys of the well-known providers, and bearer tokens. */
const SECRET_VALUES = /^(sk-|sk_|hf_|gsk_|xai-|ghp_|github_pat_|AIza|AKIA|Bearer\s|eyJ[\w-]+\.)/;

/** Path of the first value that is, or is called, a secret; null where there is none. Its text never reaches a message. */
function findSecret(value: unknown, path: KeyPath): KeyPath | null {
  if (typeof value === 'string') {
    const isNamed = SECRET_KEYS.test(String(path.at(-1) ?? ''));
    // What cannot be the name of a variable stands where one belongs.
    const isLiteral = path.at(-1) === 'apiKeyEnv' && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(value);
    const isInUrl = /^\w+:\/\/[^/@\s]*:[^/@\s]*@|[?&](api[_-]?key|key|token)=/i.test(value);
    const isRandom =
      path.at(-1) === 'apiKeyEnv' &&
      value.length >= 32 &&
      !value.includes('_') &&
      /[a-z]/.test(value) &&
      /[A-Z]/.test(value) &&
      /\d/.test(value);
    return isNamed || isLiteral || isInUrl || isRandom || SECRET_VALUES.test(value) ? path : null;
  }
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const found = findSecret(inner, [...path, Array.isArray(value) ? Number(key) : key]);
    if (found !== null) return found;
  }
  return null;
}
