// One router behind every door. A door gives this a pipe of text messages; oRPC does the rest.
import type { AnyRouter, Context } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import type { Log } from '../lib/log.ts';
import { labErrors } from './errors.ts';

/** What a door serves. */
export interface Served {
  router: AnyRouter;
  context?: Context;
  log: Log;
}

/** One connection, whatever carries it. */
export interface Pipe {
  /** Sends one message. Never throws: where the other side is gone, there is nobody to tell. */
  post(message: string): void;
  /** Ends the connection because the other side does not speak the protocol. */
  refuse(reason: string): void;
  onMessage(listener: (message: unknown) => void): void;
  onClose(listener: () => void): void;
}

/** Answers calls that come in over the pipe, until it closes; then the signals of the calls that are still open abort. */
export type Rpc = (pipe: Pipe) => void;

export function createRpc(served: Served): Rpc {
  const handler = new RPCHandler(served.router, { clientInterceptors: [labErrors(served.log)] });
  return (pipe) => {
    handler.upgrade(
      {
        on(event, callback) {
          if (event === 'close') pipe.onClose(() => callback());
          else if (event === 'message') {
            pipe.onMessage((message) => {
              const problem = problemOf(message);
              if (problem) pipe.refuse(problem);
              else callback({ data: message });
            });
          }
        },
        postMessage: (message: string) => pipe.post(message),
      },
      { context: served.context ?? {} },
    );
  };
}

/** Characters of one message to the lab. Every schema of the contract stays far below. */
export const maxMessage = 1024 * 1024;

/** Numbers of oRPC's peer protocol. A message without one is a request. */
const requestType = 1;
const abortType = 4;

/**
 * Says what is wrong with a message, or null. Checked before oRPC sees it, because what oRPC cannot read it reports as an unhandled
 * rejection, and no page may be able to end the backend.
 */
function problemOf(message: unknown): string | null {
  if (typeof message !== 'string') return 'only text messages are understood';
  if (message.length > maxMessage) return 'the message is too large';
  let parsed: unknown;
  try {
    parsed = JSON.parse(message);
  } catch {
    return 'not JSON';
  }
  if (!isRecord(parsed) || typeof parsed.i !== 'string') return 'no call id';
  if (parsed.t === abortType) return null;
  if (parsed.t !== undefined && parsed.t !== requestType) return 'streamed input is not part of the contract';
  if (!isRecord(parsed.p) || typeof parsed.p.u !== 'string' || !parsed.p.u.startsWith('/')) return 'no procedure';
  if (parsed.p.h !== undefined && !isRecord(parsed.p.h)) return 'headers are not an object';
  return null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
