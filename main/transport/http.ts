// The browser door: one port on the loopback interface that serves the page and its WebSocket to those who were let in (auth.ts).
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import sirv from 'sirv';
import { pageHeaders } from '../lib/csp.ts';
import { AppError, assertNever, messageOf } from '../lib/errors.ts';
import { localPath, textPage } from '../lib/page.ts';
import { createGate, type Gate, hostAllowed, isLoopback, sameOrigin } from './auth.ts';
import { createRpc, type Served } from './rpc.ts';
import { type SocketLimits, type Sockets, serveSockets } from './websocket.ts';

export interface HttpOptions extends Served {
  /** Address to listen on, 127.0.0.1 by default. Any that is not loopback needs `token`. */
  host?: string;
  /** 0 takes a free one. */
  port: number;
  /** A password for URLs and clients that the user chose, instead of one-time tokens only. */
  token?: string;
  /** Signs the sessions; `sessionSecret(dataFolder)` lets them outlive a restart. */
  secret?: Uint8Array;
  /** dist/renderer. */
  rendererFolder: string;
  /** Further host names by which browsers may address this lab. */
  allowedHosts?: readonly string[];
  limits?: SocketLimits;
}

export interface HttpDoor {
  /** Where the lab answers, without any token. */
  url: string;
  port: number;
  /** What command-line clients send as `Authorization: Bearer`. Secret: keep it in a file that only the owner reads. */
  bearer: string;
  /** A URL that lets one browser in, once, within a day. */
  issueUrl(): string;
  readonly sockets: Pick<Sockets, 'count' | 'queued'>;
  close(): Promise<void>;
}

/** Opens the browser door. Throws `server.port_taken`, or `config.invalid` for a bind that would be open to strangers. */
export async function serveHttp(options: HttpOptions): Promise<HttpDoor> {
  const { host = '127.0.0.1', log, allowedHosts = [] } = options;
  if (!isLoopback(host) && !options.token) {
    throw new AppError('config.invalid', `Refusing to listen on ${host} without a token: anyone on the network could start containers.`, {
      hint: 'Give a token, or keep to 127.0.0.1 and reach it through an SSH tunnel (ssh -L).',
    });
  }
  const server = createServer({ requestTimeout: 30_000 });
  const port = await listen(server, host, options.port);
  const secret = options.secret ?? randomBytes(32);
  const gate = createGate({ secret, port, ...(options.token ? { token: options.token } : {}) });
  const sockets = serveSockets(createRpc(options), log, options.limits);
  const page = pageFiles(options.rendererFolder);

  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const issueUrl = () => `${url}/?token=${gate.ticket()}`;

  server.on('request', (request, response) => {
    for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value);
    const decision: Decision = hostAllowed(request, host, allowedHosts)
      ? decide(request, gate)
      : { do: 'say', status: 403, page: wrongHost(request) };
    if (decision.do !== 'file') response.setHeader('Cache-Control', 'no-store');
    switch (decision.do) {
      case 'say':
        say(response, decision.status, decision.page);
        break;
      case 'let_in':
        response.setHeader('Set-Cookie', gate.sessionCookie(request.headers['x-forwarded-proto'] === 'https'));
        response.writeHead(303, { Location: decision.to }).end();
        break;
      case 'session':
        response.writeHead(204).end();
        break;
      case 'ticket':
        response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' }).end(issueUrl());
        break;
      case 'file':
        page(request, response, () => say(response, 404, textPage('Not found', 'The lab has no such page.')));
        break;
      default:
        assertNever(decision);
    }
  });
  server.on('upgrade', (request, socket: Duplex, head) => {
    // Until the handshake is done nobody else listens, and an unheard error would end the process.
    socket.on('error', (error) => log.warn({ err: error }, 'a connection broke'));
    const refusal = refuseUpgrade(request, gate, host, allowedHosts);
    if (refusal === null) return sockets.upgrade(request, socket, head);
    log.warn(
      { host: request.headers.host, origin: request.headers.origin, path: pathOf(request).pathname },
      `refused a connection: ${refusal.why}`,
    );
    socket.end(`HTTP/1.1 ${refusal.status} ${refusal.why}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });

  return {
    url,
    port,
    bearer: gate.bearer,
    issueUrl,
    sockets,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await sockets.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** What to do with a request that was addressed to this lab. */
type Decision =
  | { do: 'say'; status: number; page: string }
  | { do: 'let_in'; to: string }
  | { do: 'session' }
  | { do: 'ticket' }
  | { do: 'file' };

function decide(request: IncomingMessage, gate: Gate): Decision {
  const url = pathOf(request);
  if (url.pathname === '/ticket' && request.method === 'POST') {
    return gate.hasBearer(request) ? { do: 'ticket' } : { do: 'say', status: 401, page: unknownBrowser };
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return { do: 'say', status: 405, page: textPage('Not allowed', 'This address only answers GET requests.') };
  }
  const token = url.searchParams.get('token');
  if (token !== null) {
    if (!gate.redeem(token)) return { do: 'say', status: 401, page: usedUrl };
    url.searchParams.delete('token');
    return { do: 'let_in', to: localPath(url.pathname) + url.search };
  }
  if (!gate.hasSession(request)) {
    if (!isForeignNavigation(request)) return { do: 'say', status: 401, page: unknownBrowser };
    return { do: 'say', status: 200, page: textPage('Termarium', 'Opening the lab.', { refreshTo: url.pathname + url.search }) };
  }
  return { do: url.pathname === '/session' ? 'session' : 'file' };
}

type PageFiles = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** Files of the built page. Names under assets/ contain a hash of their content, so they are kept for good; all else is asked for anew. */
function pageFiles(folder: string): PageFiles {
  if (!existsSync(join(folder, 'index.html'))) {
    return (_request, response) =>
      say(
        response,
        503,
        textPage('The page is not built', `There is no index.html in ${folder}. Run "npm run build" and start the lab again.`),
      );
  }
  return sirv(folder, {
    // Looked up at each request: a lab that serves while its page is built anew must not trip over a file that is gone.
    dev: true,
    single: true,
    etag: true,
    setHeaders(response, pathname) {
      response.setHeader('Cache-Control', pathname.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
}

function refuseUpgrade(
  request: IncomingMessage,
  gate: Gate,
  bound: string,
  names: readonly string[],
): { status: number; why: string } | null {
  if (pathOf(request).pathname !== '/rpc') return { status: 404, why: 'Not Found' };
  if (!hostAllowed(request, bound, names)) return { status: 403, why: 'Host Not Allowed' };
  // Browsers cannot set this header on a WebSocket, so whoever sends it is not a web page and has no Origin to compare.
  if (request.headers.authorization !== undefined) return gate.hasBearer(request) ? null : { status: 401, why: 'Wrong Token' };
  if (!sameOrigin(request)) return { status: 403, why: 'Origin Not Allowed' };
  return gate.hasSession(request) ? null : { status: 401, why: 'No Session' };
}

/**
 * A link to the lab on another site: the browser holds back the strict cookie on that first request. A page of our own that goes there
 * again brings the cookie along, so such links work and the cookie can stay strict.
 */
function isForeignNavigation(request: IncomingMessage): boolean {
  return request.headers['sec-fetch-site'] === 'cross-site' && request.headers['sec-fetch-mode'] === 'navigate';
}

const howToEnter =
  'Run "termarium serve" on the machine where the lab runs: it prints a new one-time address, also while the lab is running.';
const usedUrl = textPage('This address was used already', 'Each address of the lab lets one browser in, once.', { hint: howToEnter });
const unknownBrowser = textPage('The lab does not know this browser', 'It lets in browsers that were opened with a one-time address.', {
  hint: howToEnter,
});

function wrongHost(request: IncomingMessage): string {
  const name = (request.headers.host ?? '').slice(0, 200);
  return textPage('Wrong name', `The lab does not answer to the name "${name}".`, {
    hint: 'Where the name is right, allow it: start the lab with --allowed-host NAME.',
  });
}

function say(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': Buffer.byteLength(page) }).end(page);
}

/** The request's path and query. The base only makes it parse: what the request says of its host is not used here. */
function pathOf(request: IncomingMessage): URL {
  return URL.parse(`http://lab${request.url ?? '/'}`) ?? new URL('http://lab/');
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    const failed = (error: Error) => {
      const taken = 'code' in error && error.code === 'EADDRINUSE';
      reject(
        taken
          ? new AppError('server.port_taken', `Port ${port} of ${host} is taken.`, {
              hint: 'Choose another with --port (0 takes a free one), or stop the program that holds it.',
              cause: error,
            })
          : new AppError('config.invalid', `Cannot listen on ${host}:${port}: ${messageOf(error)}`, {
              hint: 'Give an address of this machine with --host and a port above 1023 with --port.',
              cause: error,
            }),
      );
    };
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('listening on something that is not a port');
  return address.port;
}
