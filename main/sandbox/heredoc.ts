// Rewrites what only BuildKit understands so that the classic builder of any engine builds the same image: above all heredocs. Pure.
//
// RUN: BuildKit hands the heredoc, or the command with its heredocs, to the shell as one argument; the same argument is written in the
// JSON form. COPY and ADD: the contents become files of a small image of their own, from which they are copied. Not of the context:
// a later `COPY . /app` would take them along.
import { createHash } from 'node:crypto';
import { AppError } from '../lib/errors.ts';
import { type Dockerfile, type Instruction, shellWords } from './dockerfile.ts';
import { expandVariables } from './expand.ts';
import { type BaseConfig, walkStages } from './stages.ts';

export interface HeredocFile {
  /** Path in the image of heredocs, e.g. `/0/EOF`. */
  path: string;
  content: string;
  mode: number;
}

export interface Rewritten {
  dockerfile: string;
  /** Line of the original for each instruction of the result, in order: the engine counts its steps so. */
  lines: number[];
  /** Contents of COPY heredocs, for an image under the name `filesImage`; empty where there are none. */
  files: HeredocFile[];
  filesImage: string;
}

export interface RewriteContext {
  /** Name of the Dockerfile, for errors. */
  file: string;
  buildArgs: Record<string, string>;
  /** Image to use in the place of a named one; the same one where there is no alias. */
  alias: (reference: string) => string;
  /** What is known of an image that a stage starts from, by its name as written. */
  baseOf: (reference: string) => BaseConfig | undefined;
}

const filesImagePlaceholder = 'termarium/heredoc:pending';

/** An instruction without anything to rewrite is passed on as it stands. */
export function rewriteDockerfile(dockerfile: Dockerfile, context: RewriteContext): Rewritten {
  const output = [...dockerfile.head];
  const lines: number[] = [];
  const files: HeredocFile[] = [];
  let copies = 0;
  for (const { instruction, state, from, copiesFrom } of walkStages(dockerfile, context.buildArgs, context.baseOf)) {
    const it = withAlias(instruction, from ?? copiesFrom, context.alias);
    let written: string[] | undefined;
    if (it.heredocs.length > 0 && it.keyword === 'RUN') written = [runAsJson(it, state.shell, dockerfile.continuation)];
    else if (it.heredocs.length > 0) {
      const own = filesOf(it, `/${copies++}`, state.env, context.file);
      files.push(...own);
      written = copyFromImage(it, own);
    } else if (it !== instruction || it.flags.some(isDispensable)) written = [join(it.keyword, it.flags.filter(isNeeded), it.args)];
    output.push(...(written ?? it.raw));
    lines.push(...(written ?? ['as it stands']).map(() => it.line));
  }
  const digest = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 32);
  const filesImage = `termarium/heredoc:${digest}`;
  return { dockerfile: `${output.join('\n')}\n`.replaceAll(filesImagePlaceholder, filesImage), lines, files, filesImage };
}

/** The instruction with an outside image replaced by its alias, or itself where there is none. */
function withAlias(it: Instruction, reference: string | undefined, alias: (reference: string) => string): Instruction {
  if (reference === undefined || alias(reference) === reference) return it;
  if (it.keyword === 'FROM') return { ...it, args: it.args.replace(/^\S+/, () => alias(reference)) };
  return { ...it, flags: it.flags.map((flag) => (flag.startsWith('--from=') ? `--from=${alias(reference)}` : flag)) };
}

/** The files that BuildKit would make of an instruction's heredocs. */
function filesOf(it: Instruction, folder: string, env: ReadonlyMap<string, string>, file: string): HeredocFile[] {
  const mode = modeOf(it, file);
  return it.heredocs.map((heredoc) => {
    const content = heredoc.chomp ? chomp(heredoc.content) : heredoc.content;
    return { path: `${folder}/${heredoc.name}`, content: heredoc.expand ? expandVariables(content, env, true) : content, mode };
  });
}

/** The command that BuildKit runs for a RUN with heredocs, as an exec form. Nothing is expanded here: that is the shell's work. */
function runAsJson(it: Instruction, shell: string[], continuation: string): string {
  const flags = it.flags.filter(isNeeded);
  const [only] = it.heredocs;
  if (only && it.heredocs.length === 1 && it.args === only.word) {
    const script = only.chomp ? chomp(only.content) : only.content;
    return join(
      'RUN',
      flags,
      script.startsWith('#!') ? json(asFile(only.name, script), continuation) : json([...shell, script], continuation),
    );
  }
  const full = it.args + it.heredocs.map((heredoc) => `\n${heredoc.content}${heredoc.name}`).join('');
  return join('RUN', flags, json([...shell, full], continuation));
}

/** A script with an interpreter line is a program: it is written to a file that lasts as long as the step, and started. */
function asFile(name: string, script: string): string[] {
  const run = 'd=$(mktemp -d) && printf %s "$2" >"$d/$1" && chmod 755 "$d" "$d/$1" && "$d/$1"; s=$?; rm -rf "$d"; exit "$s"';
  return ['/bin/sh', '-c', run, 'sh', name, script];
}

function copyFromImage(it: Instruction, files: HeredocFile[]): string[] {
  const words = shellWords(it.args);
  const target = words.at(-1) ?? '';
  const announced = new Set(it.heredocs.map((heredoc) => heredoc.word));
  const plain = words.slice(0, -1).filter((word) => !announced.has(word));
  const flags = it.flags.filter(isNeeded);
  const owner = flags.filter((flag) => flag.startsWith('--chown='));
  return [
    ...(plain.length > 0 ? [join(it.keyword, flags, [...plain, target].join(' '))] : []),
    join('COPY', [`--from=${filesImagePlaceholder}`, ...owner], [...files.map((file) => file.path), target].join(' ')),
  ];
}

/** `--chmod` of a heredoc is set on the file itself, since the classic builder does not know the option. */
function modeOf(it: Instruction, file: string): number {
  const flag = it.flags.find((one) => one.startsWith('--chmod='))?.slice('--chmod='.length);
  if (flag === undefined) return 0o644;
  if (/^0?[0-7]{3,4}$/.test(flag)) return Number.parseInt(flag, 8);
  throw new AppError('image.build_failed', `--chmod=${flag} is not an octal mode`, { where: `${file}:${it.line}` });
}

/** Cache and tmpfs mounts only make a build faster or its layer smaller; `--link` only changes how layers are cached. */
function isDispensable(flag: string): boolean {
  return /^--mount=(.*,)?type=(cache|tmpfs)(,|$)/.test(flag) || /^--link(=|$)/.test(flag);
}

function isNeeded(flag: string): boolean {
  return !isDispensable(flag);
}

function join(keyword: string, flags: string[], args: string): string {
  return [keyword, ...flags, args].join(' ');
}

function chomp(content: string): string {
  return content.replace(/^\t+/gm, '');
}

const longestLine = 16_000;

/** A JSON array, in lines short enough for the classic parser, which refuses one of 64 KiB. */
function json(words: string[], continuation: string): string {
  let rest = JSON.stringify(words);
  const parts: string[] = [];
  while (rest.length > longestLine) {
    // Between two letters: a part may neither end with an escape nor start like a comment or with a space.
    let cut = longestLine;
    while (cut > 0 && !/^[a-z]{2}$/i.test(rest.slice(cut - 1, cut + 1))) cut -= 1;
    if (cut === 0) break;
    parts.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...parts, rest].join(`${continuation}\n`);
}
