// An engine whose connection breaks while it reports progress: an error for whoever waits for the image, and nothing else.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDockerProvider } from './docker.ts';
import { readEvents } from './image.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let folder: string;
let engine: Server | undefined;
const unhandled = vi.fn();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'termarium-engine-'));
  await writeFile(join(folder, 'Dockerfile'), 'FROM scratch\nCOPY Dockerfile /\n');
  process.on('uncaughtException', unhandled);
  unhandled.mockReset();
});
afterEach(async () => {
  process.off('uncaughtException', unhandled);
  engine?.closeAllConnections();
  engine?.close();
  await rm(folder, { recursive: true });
});

/** Answers as Docker's API does for an engine without images; `progress` answers builds and pulls. */
async function listen(progress: Answer): Promise<string> {
  const path = join(folder, 'engine.sock');
  engine = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://engine');
    if (pathname.endsWith('/version')) response.end(JSON.stringify({ Version: '1', ApiVersion: '1.41' }));
    else if (pathname.endsWith('/info')) response.end(JSON.stringify({ NCPU: 1, MemTotal: 1 }));
    else if (request.method === 'POST') progress(request, response);
    else response.writeHead(404).end(JSON.stringify({ message: 'no such image' }));
  });
  engine.listen(path);
  await once(engine, 'listening');
  return `unix://${path}`;
}

const event = (content: object) => `${JSON.stringify(content)}\n`;

/** Sends some progress and breaks the connection once it is on its way. */
function breakAfter(...events: object[]): Answer {
  return (request, response) => {
    request.resume();
    request.once('end', () => response.write(events.map(event).join(''), () => response.socket?.destroy()));
  };
}

const provider = (host: string) =>
  createDockerProvider({
    lab: 'broken',
    owner: 'host//1/1',
    aliases: {},
    log: { info() {}, warn() {} },
    env: { DOCKER_HOST: host },
  });

test('a connection that breaks in the middle of a build log fails that build', async () => {
  const answer = breakAfter({ stream: 'Step 1/2 : FROM scratch\n' }, { stream: 'half a li' });
  const log: string[] = [];
  const building = provider(await listen(answer)).prepareImage({ context: folder }, { onLog: (line) => log.push(line) });
  await expect(building).rejects.toMatchObject({ code: 'docker.unreachable', retryable: true });
  expect(log).toEqual(['Step 1/2 : FROM scratch']);
  expect(unhandled).not.toHaveBeenCalled();
});

test("a connection that breaks in the moment in which its reader stops is nobody's error", async () => {
  const stream = new PassThrough();
  stream.write(event({ stream: 'one' }) + event({ error: 'no space left' }) + event({ stream: 'three' }));
  const closed = new Promise((resolve) => stream.once('close', resolve));
  for await (const { error } of readEvents(stream)) {
    if (error === undefined) continue;
    stream.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
    break;
  }
  await closed;
  expect(unhandled).not.toHaveBeenCalled();
});

test('a connection that breaks while an image is pulled fails that pull', async () => {
  const answer = breakAfter({ status: 'Pulling from library/nothing' });
  const pulling = provider(await listen(answer)).prepareImage({ reference: 'nothing:1' }, {});
  await expect(pulling).rejects.toMatchObject({ code: 'image.missing' });
  expect(unhandled).not.toHaveBeenCalled();
});

test('progress that is cut in the middle of a letter, of a line and of a colour is read as it was written', async () => {
  const [first, second] = [event({ stream: '\u001b[91mgrü\u001b[0m' }), event({ stream: '\u001b[91mße\n\u001b[0mnext\n' })].map((text) =>
    Buffer.from(text),
  );
  const bytes = Buffer.concat([first ?? Buffer.of(), second ?? Buffer.of()]);
  const cut = bytes.indexOf(0xc3) + 1;
  const log: string[] = [];
  const building = provider(
    await listen((request, response) => {
      request.resume();
      request.once('end', () => {
        response.write(bytes.subarray(0, cut), () => setImmediate(() => response.end(bytes.subarray(cut))));
      });
    }),
  ).prepareImage({ context: folder }, { onLog: (line) => log.push(line) });
  // This engine says that it built something, and then has no such image.
  await expect(building).rejects.toMatchObject({ code: 'image.build_failed' });
  expect(log).toEqual(['grüße', 'next']);
});
