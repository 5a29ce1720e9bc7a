// The same suite through every door.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { connect } from './connect.ts';
import { serveHttp } from './http.ts';
import { memoryClient } from './memory.ts';
import { servePort } from './port.ts';
import { createRpc } from './rpc.ts';
import type { TestClient } from './transport.lab.ts';
import { describeTransport } from './transport.suite.ts';

describeTransport('memory', async (lab) => ({
  connect: async () => ({ client: memoryClient<TestClient>(lab.served), cut: null }),
  [Symbol.asyncDispose]: async () => {},
}));

describeTransport('a MessagePort', async (lab) => {
  const rpc = createRpc(lab.served);
  const open: MessageChannel[] = [];
  return {
    async connect() {
      const channel = new MessageChannel();
      open.push(channel);
      servePort(rpc, channel.port1);
      const client: TestClient = createORPCClient(new RPCLink({ port: channel.port2 }));
      const closed = new Promise((resolve) => channel.port2.once('close', resolve));
      channel.port2.start();
      return {
        client,
        async cut() {
          channel.port1.close();
          await closed;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      for (const { port1 } of open) port1.close();
    },
  };
});

describeTransport('a WebSocket', async (lab) => {
  const rendererFolder = await mkdtemp(join(tmpdir(), 'termarium-page-'));
  await writeFile(join(rendererFolder, 'index.html'), '<!doctype html><title>page</title>');
  const door = await serveHttp({ ...lab.served, port: 0, rendererFolder });
  return {
    async connect() {
      const { client, close } = await connect<TestClient>(door.url, door.bearer);
      return { client, cut: close };
    },
    async [Symbol.asyncDispose]() {
      await door.close();
      await rm(rendererFolder, { recursive: true });
    },
  };
});
