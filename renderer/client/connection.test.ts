// The page's connection over real MessagePorts to a real router that serves a part of the contract.
import { implement, ORPCError } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { afterEach, describe, expect, test } from 'vitest';
import { contract } from '../../main/contract/index.ts';
import { type Connection, type ConnectionState, type ConnectOptions, connect } from './connection.ts';
import { DisconnectedError } from './errors.ts';
import { openPort, portWire, UnauthorizedError, type Wire } from './wire.ts';

const open: Connection[] = [];
afterEach(() => {
  for (const connection of open.splice(0)) connection.close();
});

/** A backend that can be cut off, made silent, and made to refuse. */
function backend() {
  const ports: MessagePort[] = [];
  const lab = {
    instance: 'first life',
    /** Called instead of answering a hello, where set. */
    refuse: null as (() => Promise<never>) | null,
    calls: 0,
    parked: Promise.withResolvers<AbortSignal>(),
    wires: 0,
    failOpening: null as (() => Error | null) | null,
    async open(): Promise<Wire> {
      lab.wires += 1;
      const failure = lab.failOpening?.();
      if (failure) throw failure;
      const { port1, port2 } = new MessageChannel();
      ports.push(port1);
      handler.upgrade(port1, { context: {} });
      port1.start();
      return portWire(port2);
    },
    cut() {
      for (const port of ports.splice(0)) port.close();
    },
  };
  const os = implement(contract);
  const handler = new RPCHandler({
    system: {
      hello: os.system.hello.handler(async () => {
        if (lab.refuse) await lab.refuse();
        return { version: '1.0', instance: lab.instance, platform: 'linux' };
      }),
      doctor: os.system.doctor.handler(() => {
        lab.calls += 1;
        return { findings: [] };
      }),
      watchStatus: os.system.watchStatus.handler(
        ({ signal }) =>
          new Promise((_resolve, reject) => {
            if (!signal) throw new Error('calls over a wire have a signal');
            lab.parked.resolve(signal);
            signal.addEventListener('abort', () => reject(signal.reason));
          }),
      ),
    },
  });
  return lab;
}

function connectTo(lab: { open(): Promise<Wire> }, options: ConnectOptions = {}) {
  const connection = connect({ open: () => lab.open(), ...options });
  open.push(connection);
  const history: string[] = [];
  connection.onState(() => history.push(connection.state().kind));
  /** Resolves as soon as the connection is in this state. */
  const reaches = <Kind extends ConnectionState['kind']>(kind: Kind) =>
    new Promise<Extract<ConnectionState, { kind: Kind }>>((resolve) => {
      const look = () => {
        const state = connection.state();
        if (state.kind !== kind) return;
        stop();
        resolve(state as Extract<ConnectionState, { kind: Kind }>); // Its kind was just compared.
      };
      const stop = connection.onState(look);
      look();
    });
  return { connection, client: connection.client, history, reaches };
}

describe('connecting', () => {
  test('says who is at the other end', async () => {
    const { connection, reaches } = connectTo(backend());
    expect(connection.state()).toEqual({ kind: 'connecting' });
    expect(await reaches('connected')).toEqual({ kind: 'connected', peer: { version: '1.0', instance: 'first life', platform: 'linux' } });
  });

  test('a call made before there is a connection waits for it', async () => {
    const { client } = connectTo(backend());
    expect(await client.system.doctor({})).toEqual({ findings: [] });
  });

  test('keeps trying while nothing answers', async () => {
    const lab = backend();
    let failures = 2;
    lab.failOpening = () => (failures-- > 0 ? new DisconnectedError('The lab does not answer.', { sent: false }) : null);
    const { reaches, history } = connectTo(lab);
    expect(await reaches('reconnecting')).toMatchObject({ attempt: 1, reason: 'The lab does not answer.' });
    await reaches('connected');
    expect(lab.wires).toBe(3);
    expect(history).toEqual(['reconnecting', 'reconnecting', 'connected']);
  });

  test('a browser that the lab does not know is told so, and tries again only when asked', async () => {
    const lab = backend();
    lab.failOpening = () => new UnauthorizedError('The lab does not know this browser.');
    const { connection, client, reaches } = connectTo(lab);
    await reaches('unauthorized');
    await expect(client.system.doctor({})).rejects.toMatchObject({ name: 'DisconnectedError', sent: false });
    expect(lab.wires).toBe(1);
    lab.failOpening = null;
    connection.retry();
    await reaches('connected');
  });

  test('a lab that refuses the hello for good is a failure with its reason', async () => {
    const lab = backend();
    lab.refuse = async () => {
      throw new ORPCError('LAB', { status: 500, data: { code: 'data.newer', message: 'The data is of a newer lab.', retryable: false } });
    };
    const { reaches } = connectTo(lab);
    expect(await reaches('failed')).toEqual({
      kind: 'failed',
      error: { code: 'data.newer', message: 'The data is of a newer lab.', retryable: false },
    });
  });
});

describe('losing the connection', () => {
  test('open calls end, and the next ones go to the next life of the backend', async () => {
    const lab = backend();
    const { client, reaches, history } = connectTo(lab);
    const parked = client.system.watchStatus({ after: 1 });
    const atServer = await lab.parked.promise;
    const ended = expect(parked).rejects.toMatchObject({ name: 'DisconnectedError', sent: true });
    lab.instance = 'second life';
    lab.cut();
    await ended;
    expect(atServer.aborted).toBe(true);
    expect(await client.system.doctor({})).toEqual({ findings: [] });
    expect(await reaches('connected')).toMatchObject({ peer: { instance: 'second life' } });
    expect(history).toEqual(['connected', 'reconnecting', 'connected']);
  });

  test('a call that waits for a connection gives up after a while, having sent nothing', async () => {
    const lab = backend();
    lab.failOpening = () => new DisconnectedError('The lab does not answer.', { sent: false });
    const { client } = connectTo(lab, { patienceMs: 20 });
    await expect(client.system.doctor({})).rejects.toMatchObject({ name: 'DisconnectedError', sent: false });
    expect(lab.calls).toBe(0);
  });

  test('a caller that gives up is heard by the backend, and by itself at once', async () => {
    const lab = backend();
    const { client } = connectTo(lab);
    const caller = new AbortController();
    const parked = client.system.watchStatus({ after: 1 }, { signal: caller.signal });
    const atServer = await lab.parked.promise;
    const heard = new Promise<void>((resolve) => atServer.addEventListener('abort', () => resolve()));
    caller.abort();
    await expect(parked).rejects.toMatchObject({ name: 'AbortError' });
    await heard;
  });
});

describe('a backend that falls silent', () => {
  test('counts as degraded, and as connected again when it answers', async () => {
    const lab = backend();
    const { reaches } = connectTo(lab, { heartbeatMs: 5, degradedMs: 10 });
    await reaches('connected');
    const silence = Promise.withResolvers<never>();
    lab.refuse = () => silence.promise;
    expect(await reaches('degraded')).toMatchObject({ peer: { instance: 'first life' }, silentMs: expect.any(Number) });
    lab.refuse = null;
    silence.reject(new Error('busy'));
    await reaches('connected');
    expect(lab.wires).toBe(1);
  });

  test('loses its wire in the end', async () => {
    const lab = backend();
    const { reaches } = connectTo(lab, { heartbeatMs: 5, degradedMs: 10, lostMs: 30 });
    await reaches('connected');
    lab.refuse = () => new Promise<never>(() => {});
    await reaches('degraded');
    await reaches('reconnecting');
    lab.refuse = null;
    await reaches('connected');
    expect(lab.wires).toBe(2);
  });
});

test('closing ends everything', async () => {
  const lab = backend();
  const { connection, client, reaches } = connectTo(lab);
  await reaches('connected');
  const parked = expect(client.system.watchStatus({ after: 1 })).rejects.toMatchObject({ name: 'DisconnectedError' });
  await lab.parked.promise;
  connection.close();
  await parked;
  await expect(client.system.doctor({})).rejects.toMatchObject({ name: 'DisconnectedError' });
});

test('a page of the desktop app takes the port that its own window received, and no other', async () => {
  const page = new EventTarget();
  Object.assign(globalThis, { window: page });
  const { port1, port2 } = new MessageChannel();
  const receive = (fields: { source: unknown; data: unknown; ports: MessagePort[] }) =>
    page.dispatchEvent(Object.assign(new Event('message'), fields));
  const wire = openPort(
    {
      platform: 'linux',
      connect() {
        receive({ source: {}, data: 'termarium:port', ports: [new MessageChannel().port1] });
        receive({ source: page, data: 'something else', ports: [new MessageChannel().port1] });
        receive({ source: page, data: 'termarium:port', ports: [port2] });
      },
    },
    new AbortController().signal,
  );
  const closed = (await wire).closed;
  const gone = new Promise<void>((resolve) => closed.addEventListener('abort', () => resolve()));
  port1.close();
  await gone;
  Reflect.deleteProperty(globalThis, 'window');
});
