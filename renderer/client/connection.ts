// One connection for the whole page: keeps a wire open, says in which state it is, and gives calls a client that outlives any one wire.
import { type ClientContext, type ClientLink, createORPCClient, ORPCError } from '@orpc/client';
import type { ContractRouterClient } from '@orpc/contract';
import type { ErrorData } from '../../main/contract/errors.ts';
import type { Contract } from '../../main/contract/index.ts';
import { backoff, pause } from './backoff.ts';
import { DisconnectedError, labError } from './errors.ts';
import { chooseWire, type OpenWire, UnauthorizedError, type Wire } from './wire.ts';

type CallOptions = Parameters<ClientLink<ClientContext>['call']>[2];

export type LabClient = ContractRouterClient<Contract>;

/** Who is at the other end. `instance` changes when the backend was restarted. */
interface Peer {
  version: string;
  instance: string;
  platform: string;
}

export type ConnectionState =
  | { kind: 'connecting' }
  | { kind: 'connected'; peer: Peer }
  /** The wire is open but the backend has not answered for `silentMs`. Calls are still sent. */
  | { kind: 'degraded'; peer: Peer; silentMs: number }
  /** The wire is gone. `retryAt` is when the next try begins, in ms since the epoch. */
  | { kind: 'reconnecting'; attempt: number; retryAt: number; reason: string }
  /** The browser's session is not valid: a new URL from the lab is needed. */
  | { kind: 'unauthorized' }
  /** The backend answers, but not as a lab that this page can talk to. */
  | { kind: 'failed'; error: ErrorData };

export interface Connection {
  /** Calls made while there is no wire wait a while for the next one, then fail with a `DisconnectedError`. */
  client: LabClient;
  state(): ConnectionState;
  /** Calls `listener` after every change of state; answers how to stop that. */
  onState(listener: () => void): () => void;
  /** Tries again now, also from `unauthorized` and `failed`. */
  retry(): void;
  /** Ends the connection for good. */
  close(): void;
}

export interface ConnectOptions {
  open?: OpenWire;
  /** How this client names itself to the backend. */
  name?: string;
  /** Milliseconds: between heartbeats, until a silent backend counts as degraded, and until its wire is given up. */
  heartbeatMs?: number;
  degradedMs?: number;
  lostMs?: number;
  /** Milliseconds that opening a wire and the first hello may take. */
  openMs?: number;
  /** Milliseconds that a call made without a connection waits for one: long enough for a restart, too short to act on a forgotten click. */
  patienceMs?: number;
}

/** Connects to the backend that this page belongs to, and keeps doing so. */
export function connect(options: ConnectOptions = {}): Connection {
  const { name = 'page', heartbeatMs = 10_000, degradedMs = 4_000, lostMs = 20_000, openMs = 15_000, patienceMs = 10_000 } = options;
  const open = options.open ?? chooseWire();
  const ended = new AbortController();
  const listeners = new Set<() => void>();
  let state: ConnectionState = { kind: 'connecting' };
  let wire: Wire | null = null;
  let waiting = Promise.withResolvers<void>();
  let wakeUp = new AbortController();

  const become = (next: ConnectionState) => {
    state = next;
    waiting.resolve();
    waiting = Promise.withResolvers<void>();
    for (const listener of [...listeners]) listener();
  };

  /** The wire to send on, as soon as there is one. */
  const usable = async (signal: AbortSignal | undefined): Promise<Wire> => {
    if (wire) return wire;
    const patience = AbortSignal.any([...(signal ? [signal] : []), ended.signal, AbortSignal.timeout(patienceMs)]);
    while (!wire && !patience.aborted && state.kind !== 'unauthorized' && state.kind !== 'failed') {
      await Promise.race([waiting.promise, aborted(patience)]);
    }
    signal?.throwIfAborted();
    if (wire) return wire;
    throw new DisconnectedError('There is no connection to the lab.', { sent: false });
  };

  const link: ClientLink<ClientContext> = {
    async call(path, input, callOptions) {
      const used = await usable(callOptions.signal);
      return callOn(used, path, input, callOptions);
    },
  };

  const hello = (used: Wire, signal: AbortSignal): Promise<Peer> => {
    // The one call that goes to a certain wire rather than to whichever is current.
    const client: LabClient = createORPCClient({ call: (path, input, callOptions) => callOn(used, path, input, callOptions) });
    return client.system.hello({ client: name }, { signal });
  };

  /** Looks after an open wire until it closes or falls silent for too long. */
  const watchOver = async (used: Wire, peer: Peer) => {
    const over = AbortSignal.any([ended.signal, used.closed]);
    for (;;) {
      await pause(heartbeatMs, over);
      if (over.aborted) return;
      const asked = Date.now();
      const late = setTimeout(() => become({ kind: 'degraded', peer, silentMs: Date.now() - asked }), degradedMs);
      try {
        await hello(used, AbortSignal.any([ended.signal, AbortSignal.timeout(lostMs)]));
      } catch (error) {
        // Closed, or silent for too long: both end this wire. A refusal is an answer too.
        if (!(error instanceof ORPCError)) return;
      } finally {
        clearTimeout(late);
      }
      if (state.kind === 'degraded') become({ kind: 'connected', peer });
    }
  };

  const keepConnected = async () => {
    let attempt = 0;
    while (!ended.signal.aborted) {
      let reason = 'The connection to the lab was closed.';
      let used: Wire | null = null;
      try {
        const inTime = AbortSignal.any([ended.signal, AbortSignal.timeout(openMs)]);
        used = await open(inTime);
        const peer = await hello(used, inTime);
        wire = used;
        attempt = 0;
        become({ kind: 'connected', peer });
        await watchOver(used, peer);
      } catch (error) {
        if (ended.signal.aborted) break;
        const told = error instanceof ORPCError ? labError(error) : null;
        if (error instanceof UnauthorizedError) become({ kind: 'unauthorized' });
        else if (told && !told.retryable) become({ kind: 'failed', error: told });
        else if (error instanceof DisconnectedError) reason = error.message;
        else reason = told?.message ?? 'The lab did not answer in time.';
      } finally {
        wire = null;
        used?.close();
      }
      if (ended.signal.aborted) break;
      const wait = wakeUp.signal;
      if (state.kind === 'unauthorized' || state.kind === 'failed') {
        await aborted(AbortSignal.any([ended.signal, wait]));
      } else {
        const ms = backoff(attempt);
        attempt += 1;
        become({ kind: 'reconnecting', attempt, retryAt: Date.now() + ms, reason });
        await pause(ms, AbortSignal.any([ended.signal, wait]));
      }
      if (wait.aborted) {
        attempt = 0;
        wakeUp = new AbortController();
        if (!ended.signal.aborted) become({ kind: 'connecting' });
      }
    }
  };

  const retry = () => {
    if (!wire) wakeUp.abort();
  };
  // Where there is a page, its coming back is a reason to try at once.
  globalThis.window?.addEventListener('online', retry, { signal: ended.signal });
  globalThis.document?.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && retry(), {
    signal: ended.signal,
  });
  void keepConnected();

  return {
    client: createORPCClient(link),
    state: () => state,
    onState(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    retry,
    close() {
      ended.abort();
      wire?.close();
      waiting.resolve();
    },
  };
}

/** Calls over one wire; a wire that closes under the call makes it a `DisconnectedError`, whatever the link called it. */
function callOn(wire: Wire, path: readonly string[], input: unknown, options: CallOptions): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const lost = () => reject(new DisconnectedError('The connection to the lab was lost before it answered.', { sent: true }));
    if (wire.closed.aborted) return reject(new DisconnectedError('The connection to the lab was lost.', { sent: false }));
    wire.closed.addEventListener('abort', lost, { once: true });
    wire.link
      .call(path, input, options)
      .then(resolve, reject)
      .finally(() => wire.closed.removeEventListener('abort', lost));
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
