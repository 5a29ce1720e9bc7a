// The CLI's way to a backend that is already running: the contract over a WebSocket, let in by the token of the data folder's lock.
import { type ClientContext, type ClientLink, createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/websocket';
import { WebSocket } from 'ws';
import { AppError, boundary } from '../lib/errors.ts';
import type { LabClient } from './memory.ts';

export interface LabConnection<Client = LabClient> extends AsyncDisposable {
  client: Client;
  /** Aborted when the connection is gone, whoever ended it. */
  closed: AbortSignal;
  close(): Promise<void>;
}

/**
 * Connects to the backend at `url` (as its lock names it). Calls that are open when the connection goes away reject with a retryable
 * `AppError`; one connection is not reopened: a command-line program says so and ends.
 */
export async function connect<Client = LabClient>(url: string, token: string, signal?: AbortSignal): Promise<LabConnection<Client>> {
  const address = new URL('/rpc', url);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = new WebSocket(address, {
    perMessageDeflate: false,
    maxPayload: 64 * 1024 * 1024,
    handshakeTimeout: 10_000,
    headers: { Authorization: `Bearer ${token}` },
  });
  const closed = new AbortController();
  await opened(socket, url, signal);
  // Before the link listens, so that calls that are open learn first what happened to them.
  socket.on('close', () => closed.abort());
  socket.on('error', () => socket.terminate());

  const link = new RPCLink({
    websocket: {
      addEventListener: socket.addEventListener.bind(socket),
      removeEventListener: socket.removeEventListener.bind(socket),
      readyState: WebSocket.OPEN,
      // What a closing socket is given is dropped: its close event rejects the open calls.
      send: (data: string) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(data);
      },
    } as ConstructorParameters<typeof RPCLink>[0]['websocket'], // The DOM's overloads; ws has the same events under its own types.
  });
  const client: unknown = createORPCClient(guarded(link, closed.signal, url));
  const close = async () => {
    if (closed.signal.aborted) return;
    const done = new Promise<void>((resolve) => closed.signal.addEventListener('abort', () => resolve(), { once: true }));
    socket.close();
    const last = setTimeout(() => socket.terminate(), 1_000);
    await done;
    clearTimeout(last);
  };
  // The contract behind the URL is the caller's to name; `system.hello` tells whether the versions fit.
  return { client: client as Client, closed: closed.signal, close, [Symbol.asyncDispose]: close };
}

/** Asks the running backend at `url` for a new one-time URL to open in a browser. */
export async function requestUrl(url: string, token: string, signal?: AbortSignal): Promise<string> {
  const answer = await boundary('server.unreachable', `No lab answers at ${url}`, () =>
    fetch(new URL('/ticket', url), { method: 'POST', headers: { Authorization: `Bearer ${token}` }, ...(signal ? { signal } : {}) }),
  );
  if (answer.ok) return answer.text();
  throw refused(url, `${answer.status} ${answer.statusText}`);
}

function refused(url: string, why: string): AppError {
  return new AppError('server.unauthorized', `The lab at ${url} refused the connection (${why}).`, {
    hint: 'The token must be the one in the lock file of the data folder that this lab uses.',
  });
}

function opened(socket: WebSocket, url: string, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      signal?.removeEventListener('abort', abort);
      // A socket that is closed before it opened says so once more.
      socket.on('error', () => {});
      socket.terminate();
      reject(error);
    };
    const abort = () => fail(signal?.reason);
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort, { once: true });
    socket.once('open', () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    socket.once('unexpected-response', (_request, response) => {
      response.resume();
      fail(refused(url, `${response.statusCode} ${response.statusMessage}`));
    });
    socket.once('error', (error) =>
      fail(
        new AppError('server.unreachable', `No lab answers at ${url}: ${error.message}`, {
          hint: 'Where its lock file is left over from a crash, start the lab again; it takes the lock over.',
          retryable: true,
          cause: error,
        }),
      ),
    );
  });
}

function guarded(link: ClientLink<ClientContext>, closed: AbortSignal, url: string): ClientLink<ClientContext> {
  const gone = () =>
    new AppError('server.unreachable', `The lab at ${url} closed the connection.`, {
      hint: 'Look whether it still runs.',
      retryable: true,
    });
  return {
    call: (path, input, options) =>
      new Promise((resolve, reject) => {
        const lost = () => reject(gone());
        if (closed.aborted) return lost();
        closed.addEventListener('abort', lost, { once: true });
        link
          .call(path, input, options)
          .then(resolve, reject)
          .finally(() => closed.removeEventListener('abort', lost));
      }),
  };
}
