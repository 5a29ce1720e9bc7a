// Builds a folder with a Dockerfile through the classic builder API, which every engine has.
import { lstat, readFile, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type Docker from 'dockerode';
import tar from 'tar-stream';
import { AppError, messageOf } from '../lib/errors.ts';
import { digestOf, packContext, readContext, rewrittenName } from './context.ts';
import { type Dockerfile, parseDockerfile } from './dockerfile.ts';
import { engineFailure, engineMessage } from './failure.ts';
import { type HeredocFile, type Rewritten, rewriteDockerfile } from './heredoc.ts';
import { lookUp, pull, readEvents, resolveAlias } from './image.ts';
import { toLabels } from './labels.ts';
import { namedImages } from './stages.ts';

export interface BuildSource {
  context: string;
  dockerfile?: string;
  buildArgs?: Record<string, string>;
  buildTimeoutMs?: number;
}

export interface BuildOptions {
  lab: string;
  owner: string;
  aliases: Record<string, string>;
  force: boolean;
  onLog: (line: string) => void;
  signal: AbortSignal;
}

const defaultTimeoutMs = 600_000;
/** Lines of the failing step's log that go into the error. */
const shownLines = 15;

/**
 * Answers the id of the image. An image that was built from the same files, arguments and base images is found by its tag and used again.
 * Fails with `image.missing` (a base image), `image.build_failed` with the line of the failing step, or the signal's reason.
 */
export async function buildFolder(docker: Docker, source: BuildSource, options: BuildOptions): Promise<string> {
  const { onLog, signal, aliases } = options;
  const buildArgs = source.buildArgs ?? {};
  const name = source.dockerfile ?? 'Dockerfile';
  const path = join(source.context, name);
  const text = await readInside(source.context, path);
  const parsed = parseDockerfile(text, path);
  const bases = await baseImages(docker, parsed, { buildArgs, path, aliases, onLog, signal });
  const rewritten = rewriteDockerfile(parsed, {
    file: path,
    buildArgs,
    alias: (reference) => resolveAlias(reference, aliases),
    baseOf: (reference) => {
      const config = bases.get(reference)?.Config;
      // Docker's answer also has the image's SHELL, which the client's types leave out.
      return config && { env: config.Env ?? [], shell: (config as { Shell?: string[] | null }).Shell ?? undefined };
    },
  });
  const files = await readContext(source.context, name);
  const baseIds = [...bases].map(([reference, image]) => `${reference}=${image.Id}`).toSorted();
  const digest = await digestOf(files, [rewritten.dockerfile, name, JSON.stringify(Object.entries(buildArgs).toSorted()), ...baseIds]);
  const tag = `termarium/build:${digest.slice(0, 40)}`;
  if (!options.force) {
    const built = await lookUp(docker, tag);
    if (built) return built.Id;
  }
  if (rewritten.files.length > 0) await importFiles(docker, rewritten, options);
  const changed = rewritten.dockerfile !== text ? rewritten.dockerfile : undefined;
  await build(
    docker,
    packContext(files, changed),
    { source, path, rewritten, tag, digest, dockerfile: changed === undefined ? name : rewrittenName },
    options,
  );
  const image = await lookUp(docker, tag);
  if (!image) throw new AppError('image.build_failed', `the engine built ${path} but has no image ${tag}`);
  return image.Id;
}

/** The Dockerfile's text. A link out of the context would read a file of this machine. */
async function readInside(context: string, path: string): Promise<string> {
  try {
    const root = await realpath(context);
    const outside = relative(root, await realpath(path));
    if (outside.startsWith('..') || !(await lstat(await realpath(path))).isFile()) throw new Error('it is not a file of its folder');
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new AppError('image.build_failed', `cannot read ${path}: ${messageOf(error)}`, {
      hint: 'An environment without a prebuilt image needs a Dockerfile in its folder.',
      cause: error,
    });
  }
}

/** Every image from outside that the Dockerfile names, by its name as written; pulled where it is not there. */
async function baseImages(
  docker: Docker,
  parsed: Dockerfile,
  use: {
    buildArgs: Record<string, string>;
    path: string;
    aliases: Record<string, string>;
    onLog: (line: string) => void;
    signal: AbortSignal;
  },
): Promise<Map<string, Docker.ImageInspectInfo>> {
  const found = new Map<string, Docker.ImageInspectInfo>();
  for (const { reference, line } of namedImages(parsed, use.buildArgs)) {
    if (found.has(reference)) continue;
    const name = resolveAlias(reference, use.aliases);
    let image = await lookUp(docker, name);
    if (!image) {
      await pull(docker, name, use.onLog, `${use.path}:${line}`, use.signal);
      image = await lookUp(docker, name);
    }
    if (image) found.set(reference, image);
  }
  return found;
}

/** The contents of COPY heredocs as an image of their own. It is tiny, and kept for the next build that needs the same. */
async function importFiles(docker: Docker, { files, filesImage }: Rewritten, options: BuildOptions): Promise<void> {
  if (await lookUp(docker, filesImage)) return;
  const pack = tar.pack();
  for (const { path, content, mode } of files satisfies HeredocFile[])
    pack.entry({ name: path.slice(1), mode, mtime: new Date(0) }, content);
  pack.finalize();
  const [repo, tag] = filesImage.split(':');
  const labels = Object.entries(toLabels({ ...options, kind: 'build' })).map(([key, value]) => `LABEL ${key}=${JSON.stringify(value)}`);
  try {
    // tar-stream's pack is a readable of the streamx kind; piping it is all that the client does with it.
    const progress = await docker.importImage(pack as unknown as Readable, { repo, tag, changes: labels });
    for await (const event of readEvents(progress)) if (event.error) throw new Error(event.error);
  } catch (error) {
    throw engineFailure('import the heredocs of a Dockerfile', error);
  }
}

interface BuildPlan {
  source: BuildSource;
  path: string;
  rewritten: Rewritten;
  tag: string;
  digest: string;
  dockerfile: string;
}

async function build(docker: Docker, context: tar.Pack, plan: BuildPlan, options: BuildOptions): Promise<void> {
  const timeoutMs = plan.source.buildTimeoutMs ?? defaultTimeoutMs;
  const timeout = AbortSignal.timeout(timeoutMs);
  const log: string[] = [];
  let step = 0;
  let unfinished = '';
  const note = (line: string) => {
    if (line.trim() === '') return;
    const started = /^Step (\d+)\/\d+ : /.exec(line);
    if (started) {
      step = Number(started[1]);
      log.length = 0;
    }
    log.push(line);
    if (log.length > shownLines) log.shift();
    options.onLog(line);
  };
  const failed = (why: string, hint: string, cause?: unknown) => {
    note(unfinished);
    const line = plan.rewritten.lines[step - 1];
    return new AppError('image.build_failed', [`${why}${line ? ` in line ${line}` : ''}`, ...log].join('\n'), {
      where: line ? `${plan.path}:${line}` : plan.path,
      hint,
      ...(cause === undefined ? {} : { cause }),
    });
  };
  try {
    const progress = await docker.buildImage(context as unknown as Readable, {
      t: plan.tag,
      dockerfile: plan.dockerfile,
      buildargs: plan.source.buildArgs ?? {},
      labels: toLabels({ ...options, kind: 'build' }, { digest: plan.digest }),
      rm: true,
      forcerm: true,
      nocache: options.force,
      abortSignal: AbortSignal.any([options.signal, timeout]),
    });
    for await (const event of readEvents(progress)) {
      // A program's output comes in pieces of lines, and coloured where it went to stderr.
      const lines = (unfinished + stripVTControlCharacters(event.stream ?? event.status ?? '')).split(/\r?\n|\r/);
      unfinished = event.stream === undefined ? '' : (lines.pop() ?? '');
      for (const line of lines) note(line);
      if (event.error) throw failed(`the build failed (${event.error})`, hintFor(log));
    }
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason;
    if (timeout.aborted) {
      throw failed(
        `the build took longer than ${Math.round(timeoutMs / 1000)} s`,
        'Raise build_timeout_sec in task.toml, or make the image do less while it is built.',
        error,
      );
    }
    if (error instanceof AppError) throw error;
    const broken = engineFailure('build an image', error);
    // The engine refuses a Dockerfile that it cannot parse before any step.
    throw broken instanceof AppError && broken.code === 'docker.failed'
      ? failed(`the engine refused the Dockerfile (${engineMessage(error)})`, hintFor([engineMessage(error)]), error)
      : broken;
  }
}

function hintFor(log: string[]): string {
  return log.some((line) => line.includes('BuildKit'))
    ? 'This Dockerfile needs a feature of BuildKit that cannot be rewritten for the classic builder.'
    : 'Build it by hand to see more: docker build <folder>';
}
