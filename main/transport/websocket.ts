// The browser door's wire: WebSockets that a slow or dead reader cannot make grow without bound.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Log } from '../lib/log.ts';
import { maxMessage, type Pipe, type Rpc } from './rpc.ts';

export interface SocketLimits {
  /** Bytes of one message from a client; a larger one closes the connection with 1009. */
  maxPayload?: number;
  /** Bytes waiting to be sent above which no further request is read from this client. */
  pauseAbove?: number;
  /** Bytes waiting to be sent above which the client is cut off. It reconnects and goes on from its cursors. */
  cutAbove?: number;
  /** Milliseconds between pings. A client that answered none of three is cut off. */
  heartbeatMs?: number;
}

export interface Sockets {
  /** Completes the handshake of an upgrade that was already allowed. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Open connections. */
  count(): number;
  /** Bytes waiting for clients that do not read. */
  queued(): number;
  /** Says goodbye to every client (1001), and cuts off those that do not answer within a second. */
  close(): Promise<void>;
}

/** Serves WebSockets of one backend. */
export function serveSockets(rpc: Rpc, log: Log, limits: SocketLimits = {}): Sockets {
  const { maxPayload = maxMessage, pauseAbove = 1024 * 1024, cutAbove = 64 * 1024 * 1024, heartbeatMs = 15_000 } = limits;
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload });

  const accept = (socket: WebSocket) => {
    let silentBeats = 0;
    const beat = setInterval(() => {
      silentBeats += 1;
      if (silentBeats > 3) return cutOff(socket, 'no answer to pings');
      if (socket.readyState === socket.OPEN) socket.ping();
    }, heartbeatMs);
    socket.on('pong', () => {
      silentBeats = 0;
    });
    socket.on('close', () => clearInterval(beat));
    // ws reports a broken frame or an oversized message here and closes the connection itself.
    socket.on('error', (error) => log.warn({ err: error }, 'a client broke the WebSocket protocol'));
    rpc(pipeOf(socket));
  };

  const cutOff = (socket: WebSocket, reason: string) => {
    log.warn({ queued: socket.bufferedAmount }, `cut off a client: ${reason}`);
    socket.terminate();
  };

  const pipeOf = (socket: WebSocket): Pipe => ({
    post(message) {
      if (socket.readyState !== socket.OPEN) return;
      // The callback also gets the error of a send that the close of the socket overtook; its close event says the same.
      socket.send(message, () => {
        if (socket.isPaused && socket.bufferedAmount <= pauseAbove) socket.resume();
      });
      if (socket.bufferedAmount > cutAbove) cutOff(socket, 'it does not read its answers');
      else if (socket.bufferedAmount > pauseAbove) socket.pause();
    },
    refuse(reason) {
      log.warn({ reason }, 'a client does not speak the protocol');
      socket.close(1002, reason);
    },
    onMessage(listener) {
      socket.on('message', (data, binary) => {
        if (socket.readyState === socket.OPEN) listener(binary ? data : data.toString());
      });
    },
    onClose: (listener) => socket.on('close', listener),
  });

  return {
    upgrade: (request, socket, head) => server.handleUpgrade(request, socket, head, accept),
    count: () => server.clients.size,
    queued: () => [...server.clients].reduce((sum, client) => sum + client.bufferedAmount, 0),
    async close() {
      const closed = [...server.clients].map((client) => new Promise<void>((resolve) => client.once('close', () => resolve())));
      for (const client of server.clients) client.close(1001, 'the lab is closing');
      const last = setTimeout(() => {
        for (const client of server.clients) client.terminate();
      }, 1_000);
      await Promise.all(closed);
      clearTimeout(last);
      server.close();
    },
  };
}
