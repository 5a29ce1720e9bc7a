// The browser door as browsers, command-line clients and attackers meet it, over real sockets.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { contentSecurityPolicy } from '../lib/csp.ts';
import { connect, requestUrl } from './connect.ts';
import { type HttpDoor, type HttpOptions, serveHttp } from './http.ts';
import { type TestClient, type TestLab, testLab } from './transport.lab.ts';

let folder: string;
const doors: HttpDoor[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'termarium-page-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>the page</title>');
  await writeFile(join(folder, 'assets', 'index-abc123.js'), 'export {};');
});
afterEach(async () => {
  for (const door of doors.splice(0)) await door.close();
});
afterAll(() => rm(folder, { recursive: true }));

async function open(options: Partial<HttpOptions> = {}, lab: TestLab = testLab()): Promise<HttpDoor> {
  const door = await serveHttp({ ...lab.served, port: 0, rendererFolder: folder, ...options });
  doors.push(door);
  return door;
}

/** One plain HTTP exchange, with headers that fetch would not let through. */
function get(
  door: HttpDoor,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ host: '127.0.0.1', port: door.port, path, method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        body += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** What a browser does with a one-time URL; answers its cookie. */
async function signIn(door: HttpDoor): Promise<string> {
  const { pathname, search } = new URL(door.issueUrl());
  const answer = await get(door, pathname + search);
  return answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

/** Tries to open a WebSocket; answers `open` or the status of the refusal. */
function upgrade(door: HttpDoor, headers: Record<string, string>, path = '/rpc'): Promise<WebSocket | number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${door.port}${path}`, { headers });
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (_request, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    socket.once('error', reject);
  });
}

function closeCode(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => socket.once('close', (code) => resolve(code)));
}

describe('entering', () => {
  test('a one-time URL becomes a session and leaves the address bar', async () => {
    const door = await open();
    const { pathname, search } = new URL(door.issueUrl());
    const entered = await get(door, `${pathname}${search}&view=runs`);
    expect(entered).toMatchObject({ status: 303, headers: { location: '/?view=runs' } });
    const cookie = entered.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const page = await get(door, '/?view=runs', { cookie });
    expect(page).toMatchObject({ status: 200, body: expect.stringContaining('the page') });

    const again = await get(door, pathname + search);
    expect(again).toMatchObject({ status: 401, body: expect.stringContaining('used already') });
    expect(again.headers['set-cookie']).toBeUndefined();
  });

  test('without a session there is nothing but a page that says how to get one', async () => {
    const door = await open();
    for (const path of ['/', '/assets/index-abc123.js', '/session', '/?token=wrong', '/?token=']) {
      const answer = await get(door, path);
      expect(answer.status).toBe(401);
      expect(answer.body).toContain('termarium serve');
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });

  test('the redirect stays on this server', async () => {
    const door = await open();
    const token = new URL(door.issueUrl()).searchParams.get('token');
    expect((await get(door, `//attacker.example/?token=${token}`)).headers.location).toBe('/attacker.example/');
  });

  test('a link on another site arrives although the strict cookie stayed behind', async () => {
    const door = await open();
    const first = await get(door, '/runs?x="><script>', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' });
    expect(first.status).toBe(200);
    expect(first.body).toContain('<meta http-equiv="refresh" content="0; url=/runs?x=');
    expect(first.body).not.toContain('<script>');
    expect((await get(door, '/', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' })).status).toBe(401);
  });

  test('a client of the data folder gets a new URL for a browser', async () => {
    const door = await open();
    const { pathname, search } = new URL(await requestUrl(door.url, door.bearer));
    expect((await get(door, pathname + search)).status).toBe(303);
    await expect(requestUrl(door.url, 'wrong')).rejects.toMatchObject({ code: 'server.unauthorized' });
  });
});

describe('serving', () => {
  test('every answer carries the policy and keeps to this site', async () => {
    const door = await open();
    const cookie = await signIn(door);
    for (const answer of [await get(door, '/', { cookie }), await get(door, '/'), await get(door, '/', { host: 'attacker.example' })]) {
      expect(answer.headers).toMatchObject({
        'content-security-policy': contentSecurityPolicy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
    }
    expect(contentSecurityPolicy).toContain("frame-ancestors 'none'");
  });

  test('hashed files are kept for good, the page is asked for anew, answers about sessions are not kept', async () => {
    const door = await open();
    const cookie = await signIn(door);
    expect((await get(door, '/assets/index-abc123.js', { cookie })).headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await get(door, '/runs/some-run', { cookie })).headers['cache-control']).toBe('no-cache');
    expect(await get(door, '/session', { cookie })).toMatchObject({ status: 204, headers: { 'cache-control': 'no-store' } });
    expect((await get(door, '/assets/gone.js', { cookie })).status).toBe(404);
  });

  test('nothing outside the folder is served', async () => {
    const door = await open();
    const cookie = await signIn(door);
    for (const path of ['/../../etc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/..%2f..%2fetc%2fpasswd', '//etc/passwd', '/assets/%00']) {
      expect((await get(door, path, { cookie })).body).not.toContain('root:');
    }
  });

  test('only GET', async () => {
    const door = await open();
    const cookie = await signIn(door);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) expect((await get(door, '/', { cookie }, method)).status).toBe(405);
    expect((await get(door, '/ticket', { cookie }, 'POST')).status).toBe(401);
  });

  test('says so where the page was never built', async () => {
    const door = await open({ rendererFolder: join(folder, 'nowhere') });
    const answer = await get(door, '/', { cookie: await signIn(door) });
    expect(answer).toMatchObject({ status: 503, body: expect.stringContaining('npm run build') });
  });
});

describe('guarding', () => {
  test('a name that somebody else can point at this machine is refused, session or not', async () => {
    const door = await open();
    const cookie = await signIn(door);
    const answer = await get(door, '/', { cookie, host: `rebound.example:${door.port}` });
    expect(answer).toMatchObject({ status: 403, body: expect.stringContaining('rebound.example') });
    expect(await upgrade(door, { cookie, host: 'rebound.example', origin: 'http://rebound.example' })).toBe(403);
    expect(await upgrade(door, { authorization: `Bearer ${door.bearer}`, host: 'rebound.example' })).toBe(403);
  });

  test('a page of the lab may connect, a page of anybody else may not', async () => {
    const door = await open();
    const cookie = await signIn(door);
    const own = `http://127.0.0.1:${door.port}`;
    expect(await upgrade(door, { cookie, origin: own })).toBeInstanceOf(WebSocket);
    expect(await upgrade(door, { cookie, origin: 'http://attacker.example' })).toBe(403);
    expect(await upgrade(door, { cookie, origin: `http://localhost:${door.port}` })).toBe(403);
    expect(await upgrade(door, { cookie })).toBe(403);
    expect(await upgrade(door, { origin: own })).toBe(401);
    expect(await upgrade(door, { origin: own, authorization: 'Bearer wrong' })).toBe(401);
    expect(await upgrade(door, { cookie, origin: own }, '/other')).toBe(404);
  });

  test('a wrong token of a client is told as such', async () => {
    const door = await open();
    await expect(connect(door.url, 'wrong')).rejects.toMatchObject({ code: 'server.unauthorized', hint: expect.any(String) });
  });

  test('refuses to listen to strangers without a token', async () => {
    await expect(open({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'config.invalid', hint: expect.stringContaining('tunnel') });
    const door = await open({ host: '0.0.0.0', token: 'correct horse' });
    expect((await get(door, '/?token=correct%20horse')).status).toBe(303);
  });

  test('a taken port is told with what to do', async () => {
    const first = await open();
    await expect(open({ port: first.port })).rejects.toMatchObject({ code: 'server.port_taken', hint: expect.stringContaining('--port') });
  });
});

describe('connections', () => {
  const bearer = (door: HttpDoor) => ({ authorization: `Bearer ${door.bearer}` });
  const socketTo = async (door: HttpDoor): Promise<WebSocket> => {
    const socket = await upgrade(door, bearer(door));
    if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
    return socket;
  };

  test('a message that is too large ends its connection and no other', async () => {
    const door = await open();
    await using kept = await connect<TestClient>(door.url, door.bearer);
    const socket = await socketTo(door);
    const closed = closeCode(socket);
    socket.send('x'.repeat(1024 * 1024 + 1));
    expect(await closed).toBe(1009);
    expect(await kept.client.echo({ text: 'still here' })).toEqual({ text: 'still here' });
  });

  test.each([
    'not json',
    '[]',
    '{}',
    '{"i":"1"}',
    '{"i":"1","p":{"u":"http://attacker.example/"}}',
    '{"i":"1","t":3,"p":{}}',
    '{"i":"1","t":9}',
    Buffer.from([0, 1, 2]),
  ])('what is not the protocol (%s) ends the connection', async (message) => {
    const lab = testLab();
    const door = await open({}, lab);
    const socket = await socketTo(door);
    const closed = closeCode(socket);
    socket.send(message);
    expect(await closed).toBe(1002);
    expect(lab.logged).toMatchObject([{ level: 'warn' }]);
  });

  test('a client that is behind with reading is not heard until it has caught up', async () => {
    const lab = testLab();
    const door = await open({ limits: { pauseAbove: 256 * 1024 } }, lab);
    await using other = await connect<TestClient>(door.url, door.bearer);
    const socket = await socketTo(door);
    const ask = (calls: number, from: number) => {
      for (let call = from; call < from + calls; call += 1) {
        socket.send(JSON.stringify({ i: String(call), p: { u: '/bytes', b: { json: { count: 512 * 1024 } } } }));
      }
    };
    let arrived = 0;
    const all = new Promise<void>((resolve) => {
      socket.on('message', () => {
        arrived += 1;
        if (arrived === 60) resolve();
      });
    });
    /** Long enough for everything that is read to be answered: another client is answered a hundred times meanwhile. */
    const settle = async () => {
      for (let round = 0; round < 100; round += 1) await other.client.echo({ text: 'and now?' });
      return lab.answered();
    };
    socket.pause();
    ask(30, 0);
    while (door.sockets.queued() <= 256 * 1024) await other.client.echo({ text: 'is it behind?' });
    const heard = await settle();
    ask(30, 30);
    expect(await settle()).toBe(heard);

    socket.resume();
    await all;
    expect(lab.answered()).toBe(60);
    socket.terminate();
  });

  test('a client that asks but does not read is cut off, and memory stays bounded', async () => {
    const lab = testLab();
    const door = await open({ limits: { pauseAbove: 1024 * 1024, cutAbove: 16 * 1024 * 1024 } }, lab);
    const socket = await socketTo(door);
    socket.pause();
    let most = 0;
    const cut = new Promise<void>((resolve) => {
      const look = setInterval(() => {
        most = Math.max(most, door.sockets.queued());
        if (door.sockets.count() > 0) return;
        clearInterval(look);
        resolve();
      }, 1);
    });
    for (let call = 0; call < 2_000; call += 1) {
      socket.send(JSON.stringify({ i: String(call), p: { u: '/bytes', b: { json: { count: 256 * 1024 } } } }));
    }
    await cut;
    expect(most).toBeLessThan(20 * 1024 * 1024);
    expect(lab.logged).toContainEqual({ level: 'warn', message: 'cut off a client: it does not read its answers' });
    socket.terminate();
  });

  test('a client that falls silent is cut off', async () => {
    const lab = testLab();
    const door = await open({ limits: { heartbeatMs: 20 } }, lab);
    const socket = await socketTo(door);
    const closed = new Promise<void>((resolve) => {
      const look = setInterval(() => {
        if (door.sockets.count() > 0) return;
        clearInterval(look);
        resolve();
      }, 5);
    });
    socket.pause();
    await closed;
    expect(lab.logged).toContainEqual({ level: 'warn', message: 'cut off a client: no answer to pings' });
    socket.terminate();
  });

  test('closing tells every client, and their open calls end', async () => {
    const lab = testLab();
    const door = await open({}, lab);
    const { client, closed } = await connect<TestClient>(door.url, door.bearer);
    const parked = expect(client.park({})).rejects.toMatchObject({ code: 'server.unreachable', retryable: true });
    await lab.untilParked(1);
    await door.close();
    await parked;
    expect(closed.aborted).toBe(true);
    expect(lab.parked()).toBe(0);
    doors.length = 0;
    await expect(connect(door.url, door.bearer)).rejects.toMatchObject({ message: expect.stringContaining('No lab answers') });
  });
});
