// The desktop door: a MessagePort of a page (Electron's MessagePortMain in the backend) or of a worker thread.
import type { Pipe, Rpc } from './rpc.ts';

/** Electron's `MessagePortMain`. */
export interface EmitterPort {
  on(event: 'message', listener: (event: { data: unknown }) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  postMessage(message: unknown): void;
  start(): void;
  close(): void;
}

/** A MessagePort as the web and Node know it. */
export interface EventPort {
  addEventListener(event: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(event: 'close', listener: () => void): void;
  postMessage(message: unknown): void;
  start?(): void;
  close(): void;
}

/**
 * Serves one port until either end closes it. Nothing bounds what a port queues, but nothing is pushed either: a page that stops
 * reading also stops asking, so at most the answers to its open calls wait for it.
 */
export function servePort(rpc: Rpc, port: EmitterPort | EventPort): void {
  rpc(pipeOf(port));
  port.start?.();
}

function pipeOf(port: EmitterPort | EventPort): Pipe {
  return {
    post: (message) => port.postMessage(message),
    refuse: () => port.close(),
    // Node's own ports have both forms, but their `on` hands over bare values: the event form comes first.
    onMessage(listener) {
      if ('addEventListener' in port) port.addEventListener('message', (event) => listener(event.data));
      else port.on('message', (event) => listener(event.data));
    },
    onClose(listener) {
      if ('addEventListener' in port) port.addEventListener('close', listener);
      else port.on('close', listener);
    },
  };
}
