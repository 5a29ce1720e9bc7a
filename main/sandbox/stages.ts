// Follows a Dockerfile from stage to stage: which images it starts from, and which variables and shell hold at each instruction. Pure.
import { type Dockerfile, type Instruction, shellWords, unquote } from './dockerfile.ts';
import { expandVariables } from './expand.ts';

/** What an image brings along. */
export interface BaseConfig {
  env: string[];
  shell: string[] | undefined;
}

/** The state of a stage before one of its instructions. */
export interface StageState {
  env: ReadonlyMap<string, string>;
  shell: string[];
}

export interface NamedImage {
  /** As written, variables replaced. */
  reference: string;
  line: number;
}

const defaultShell = ['/bin/sh', '-c'];

/** Images that the engine must have before the build: those of FROM and of COPY --from that are no stage of this file. */
export function namedImages(dockerfile: Dockerfile, buildArgs: Record<string, string>): NamedImage[] {
  const images: NamedImage[] = [];
  for (const { instruction, from, copiesFrom } of walkStages(dockerfile, buildArgs, () => undefined)) {
    const reference = from ?? copiesFrom;
    if (reference !== undefined && reference !== 'scratch') images.push({ reference, line: instruction.line });
  }
  return images;
}

/**
 * Every instruction with the state that holds when it runs. `from` and `copiesFrom` are set where it names an image from outside.
 * `baseOf` gives what is known of such an image.
 */
export function* walkStages(
  dockerfile: Dockerfile,
  buildArgs: Record<string, string>,
  baseOf: (reference: string) => BaseConfig | undefined,
): Generator<{ instruction: Instruction; state: StageState; from?: string; copiesFrom?: string }> {
  const globalArgs = new Map<string, string>();
  const stages = new Map<string, { env: Map<string, string>; args: Map<string, string>; shell: string[] }>();
  let count = 0;
  let stage = { env: new Map<string, string>(), args: new Map<string, string>(), shell: defaultShell };
  for (const instruction of dockerfile.instructions) {
    const visible = () => new Map([...stage.args, ...stage.env]);
    const { keyword, args } = instruction;
    if (keyword === 'FROM') {
      const [image = '', , name] = args.split(/\s+/);
      const reference = expandVariables(image, globalArgs);
      const parent = stages.get(reference.toLowerCase());
      const base = parent ? undefined : baseOf(reference);
      stage = {
        env: new Map(parent?.env ?? base?.env.map(splitPair)),
        args: new Map(parent?.args),
        shell: parent?.shell ?? base?.shell ?? defaultShell,
      };
      stages.set(String(count++), stage);
      if (name) stages.set(name.toLowerCase(), stage);
      yield { instruction, state: { env: visible(), shell: stage.shell }, ...(parent ? {} : { from: reference }) };
      continue;
    }
    const copied = instruction.flags.find((flag) => flag.startsWith('--from='))?.slice('--from='.length);
    const outside = copied !== undefined && !stages.has(copied.toLowerCase()) && !copied.includes('$');
    yield { instruction, state: { env: visible(), shell: stage.shell }, ...(outside ? { copiesFrom: copied } : {}) };
    if (keyword === 'ARG') {
      for (const [name, fallback] of assignments(args, count === 0 ? globalArgs : visible())) {
        const value = buildArgs[name] ?? fallback ?? (count === 0 ? undefined : globalArgs.get(name));
        if (value !== undefined) (count === 0 ? globalArgs : stage.args).set(name, value);
      }
    } else if (keyword === 'ENV') {
      for (const [name, value] of assignments(args, visible())) stage.env.set(name, value ?? '');
    } else if (keyword === 'SHELL') stage.shell = jsonWords(args) ?? stage.shell;
  }
}

/** `a=1 b="2 3" c` or the old form `a value to the end`. A name alone has no value. */
function assignments(args: string, values: ReadonlyMap<string, string>): [string, string | undefined][] {
  const words = shellWords(args);
  const [first = ''] = words;
  if (words.length > 1 && !first.includes('=')) return [[first, expandVariables(args.slice(first.length).trim(), values)]];
  return words.map((word) => {
    const equals = word.indexOf('=');
    return equals < 0 ? [word, undefined] : [word.slice(0, equals), unquote(expandVariables(word.slice(equals + 1), values))];
  });
}

function jsonWords(args: string): string[] | undefined {
  try {
    const words: unknown = JSON.parse(args);
    return Array.isArray(words) && words.every((word) => typeof word === 'string') ? words : undefined;
  } catch {
    return undefined;
  }
}

function splitPair(pair: string): [string, string] {
  const equals = pair.indexOf('=');
  return equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
}
