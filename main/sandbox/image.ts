// Images by reference: looked up, pulled, replaced by an alias; and the engine's progress stream.
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { AppError } from '../lib/errors.ts';
import { engineFailure, engineMessage, statusOf } from './failure.ts';

/** What the engine knows about an image, or null where it does not have it. */
export async function lookUp(docker: Docker, reference: string): Promise<Docker.ImageInspectInfo | null> {
  try {
    return await docker.getImage(reference).inspect();
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw engineFailure(`look up image ${reference}`, error);
  }
}

/** Pulls an image. Fails with `image.missing`; `where` is the `file:line` that names it. */
export async function pull(
  docker: Docker,
  reference: string,
  onLog: (line: string) => void,
  where?: string,
  signal?: AbortSignal,
): Promise<void> {
  onLog(`pulling ${reference}`);
  try {
    const stream = await docker.pull(withTag(reference), { ...(signal ? { abortSignal: signal } : {}) });
    for await (const event of readEvents(stream)) {
      if (event.error) throw new Error(event.error);
      // Progress bars of single layers come many times a second; the changes of state are enough.
      if (event.status && !event.progress) onLog(event.id ? `${event.id}: ${event.status}` : event.status);
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw new AppError('image.missing', `image ${reference} is not here and cannot be pulled: ${engineMessage(error)}`, {
      hint: `Run \`docker pull ${reference}\` where a registry answers and load it here, or name a stand-in under \`aliases\` in the sandbox configuration.`,
      ...(where ? { where } : {}),
      cause: error,
    });
  }
}

/** One line of the engine's progress stream, of a pull or a build. */
export interface EngineEvent {
  stream?: string;
  status?: string;
  id?: string;
  progress?: string;
  error?: string;
  aux?: { ID?: string };
}

/** The engine's progress, one JSON object a line. Fails when the connection breaks. */
export async function* readEvents(stream: NodeJS.ReadableStream): AsyncGenerator<EngineEvent> {
  // Once the reader has stopped, a break of the connection is nobody's error. Not readline: it passes such an error on to itself, where
  // nobody listens any more, which ends the process.
  stream.on('error', () => {});
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of stream) {
      // No encoding is set on the engine's answers, so they yield buffers.
      const lines = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* parseEvents(lines);
    }
    yield* parseEvents([rest]);
  } finally {
    if (stream instanceof Readable) stream.destroy();
  }
}

function* parseEvents(lines: string[]): Generator<EngineEvent> {
  // The engine's own format; a field that is not there is treated as missing wherever it is read.
  for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as EngineEvent;
}

/** Without a tag the engine would pull every tag of a repository. */
export function withTag(reference: string): string {
  return /[:@][^/]*$/.test(reference) ? reference : `${reference}:latest`;
}

/** Replaces an image name by its alias. `ubuntu:24.04` and `docker.io/library/ubuntu:24.04` are the same name. */
export function resolveAlias(reference: string, aliases: Record<string, string>): string {
  const wanted = normalName(reference);
  for (const [name, target] of Object.entries(aliases)) if (normalName(name) === wanted) return target;
  return reference;
}

function normalName(reference: string): string {
  return withTag(reference)
    .replace(/^(index\.)?docker\.io\//, '')
    .replace(/^library\//, '');
}
