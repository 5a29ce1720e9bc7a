// The two ways from the page to the backend: a MessagePort in the desktop app, a WebSocket in a browser. Nothing else knows which it is.
import type { ClientContext, ClientLink } from '@orpc/client';
import { RPCLink as PortLink } from '@orpc/client/message-port';
import { RPCLink as SocketLink } from '@orpc/client/websocket';
import { DisconnectedError } from './errors.ts';

/** One open way to the backend. It is used until `closed` is aborted, then replaced by another. */
export interface Wire {
  link: ClientLink<ClientContext>;
  closed: AbortSignal;
  close(): void;
}

/** The backend refused this page: its session cookie is missing or no longer valid. */
export class UnauthorizedError extends Error {
  override readonly name = 'UnauthorizedError';
}

/** Opens one wire, or rejects with a `DisconnectedError` (try again) or an `UnauthorizedError` (do not). */
export type OpenWire = (signal: AbortSignal) => Promise<Wire>;

/** What the preload script of the desktop app puts on `window`. */
export interface DesktopBridge {
  platform: string;
  /** Asks for a port to the backend. It arrives as a `message` event of this window with data `termarium:port`. */
  connect(): void;
}

declare global {
  interface Window {
    termarium?: DesktopBridge;
  }
}

/** The way that this page has. */
export function chooseWire(): OpenWire {
  const bridge = window.termarium;
  if (bridge) return (signal) => openPort(bridge, signal);
  return (signal) => openSocket(new URL('/rpc', location.href), signal);
}

/** Asks the preload script for a port and waits until the window receives it. */
export function openPort(bridge: DesktopBridge, signal: AbortSignal): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      window.removeEventListener('message', receive);
      signal.removeEventListener('abort', abort);
    };
    const abort = () => {
      stop();
      reject(signal.reason);
    };
    const receive = (event: MessageEvent) => {
      const port = event.ports[0];
      if (event.source !== window || event.data !== 'termarium:port' || !port) return;
      stop();
      resolve(portWire(port));
    };
    if (signal.aborted) return reject(signal.reason);
    window.addEventListener('message', receive);
    signal.addEventListener('abort', abort, { once: true });
    bridge.connect();
  });
}

/** Speaks over a port. The port closes when the backend at its other end ends. */
export function portWire(port: MessagePort): Wire {
  const closed = new AbortController();
  port.addEventListener('close', () => closed.abort());
  const link = new PortLink({ port });
  port.start();
  return {
    link,
    closed: closed.signal,
    close() {
      port.close();
      // Closing one's own end fires no event here.
      closed.abort();
    },
  };
}

/** Opens a WebSocket to the backend that served this page. */
async function openSocket(url: URL, signal: AbortSignal): Promise<Wire> {
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = new WebSocket(url);
  socket.binaryType = 'arraybuffer';
  const opened = await new Promise<boolean>((resolve) => {
    socket.addEventListener('open', () => resolve(true), { once: true });
    socket.addEventListener('close', () => resolve(false), { once: true });
    signal.addEventListener('abort', () => resolve(false), { once: true });
    if (signal.aborted) resolve(false);
  });
  if (opened) return socketWire(socket);
  socket.close();
  signal.throwIfAborted();
  throw await whyRefused(url, signal);
}

/** Speaks over an open WebSocket. */
function socketWire(socket: WebSocket): Wire {
  const closed = new AbortController();
  socket.addEventListener('close', () => closed.abort());
  const link = new SocketLink({
    websocket: {
      addEventListener: socket.addEventListener.bind(socket),
      removeEventListener: socket.removeEventListener.bind(socket),
      readyState: WebSocket.OPEN,
      // A socket that is closing drops what it is given: its close event, which is on the way, rejects every open call. Throwing here
      // instead would surface as an unhandled rejection whenever a call is aborted in that moment.
      send: (data) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(data);
      },
    },
  });
  return { link, closed: closed.signal, close: () => socket.close() };
}

/** A page cannot see why an upgrade failed, so it asks over HTTP whether its session is still good. */
async function whyRefused(url: URL, signal: AbortSignal): Promise<Error> {
  const session = new URL('/session', url);
  session.protocol = url.protocol === 'wss:' ? 'https:' : 'http:';
  try {
    const answer = await fetch(session, { cache: 'no-store', signal });
    if (answer.status === 401 || answer.status === 403) return new UnauthorizedError('The lab does not know this browser.');
    return new DisconnectedError('The lab answered, but did not open a connection.', { sent: false });
  } catch {
    signal.throwIfAborted();
    return new DisconnectedError('The lab does not answer.', { sent: false });
  }
}
