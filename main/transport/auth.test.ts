import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createGate, hostAllowed, sameOrigin, sessionSecret } from './auth.ts';

const secret = Buffer.alloc(32, 7);
const hour = 3600 * 1000;

function request(headers: Record<string, string>): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  Object.assign(message.headers, headers);
  return message;
}

/** The `Cookie` header that a browser would answer a `Set-Cookie` with. */
function cookieOf(setCookie: string): string {
  return setCookie.split(';')[0] ?? '';
}

test('a ticket lets one browser in, once', () => {
  const gate = createGate({ secret, port: 7321 });
  const ticket = gate.ticket();
  expect(gate.redeem('guessed')).toBe(false);
  expect(gate.redeem(ticket)).toBe(true);
  expect(gate.redeem(ticket)).toBe(false);
});

test('a ticket is worth nothing after a day', () => {
  let now = 0;
  const gate = createGate({ secret, port: 7321, now: () => now });
  const early = gate.ticket();
  const late = gate.ticket();
  now = 23 * hour;
  expect(gate.redeem(early)).toBe(true);
  now = 25 * hour;
  expect(gate.redeem(late)).toBe(false);
});

test('a token that the user chose works every time, in the URL and for clients', () => {
  const gate = createGate({ secret, port: 7321, token: 'correct horse' });
  expect(gate.redeem('correct horse')).toBe(true);
  expect(gate.redeem('correct horse')).toBe(true);
  expect(gate.redeem('correct')).toBe(false);
  expect(gate.bearer).toBe('correct horse');
});

test('a session survives a restart of the lab and ends after thirty days', () => {
  let now = Date.UTC(2026, 10, 30);
  const before = createGate({ secret, port: 7321, now: () => now });
  const cookie = cookieOf(before.sessionCookie(false));
  const after = createGate({ secret, port: 7321, now: () => now });
  expect(after.hasSession(request({ cookie }))).toBe(true);
  now += 31 * 24 * hour;
  expect(after.hasSession(request({ cookie }))).toBe(false);
});

test('a session cannot be forged, prolonged or brought from another lab', () => {
  const gate = createGate({ secret, port: 7321 });
  const cookie = cookieOf(gate.sessionCookie(false));
  const signature = cookie.split('.')[1];
  const other = createGate({ secret: Buffer.alloc(32, 8), port: 7321 });
  const neighbour = createGate({ secret, port: 7322 });
  expect(gate.hasSession(request({ cookie: `other=1; ${cookie}; more=2` }))).toBe(true);
  for (const forged of [
    '',
    'termarium_7321=',
    'termarium_7321=1',
    `termarium_7321=9999999999.${signature}`,
    `${cookie}.`,
    cookie.toUpperCase(),
  ]) {
    expect(gate.hasSession(request({ cookie: forged }))).toBe(false);
  }
  expect(other.hasSession(request({ cookie }))).toBe(false);
  expect(neighbour.hasSession(request({ cookie }))).toBe(false);
});

test('a session cookie is out of reach of scripts and other sites', () => {
  const gate = createGate({ secret, port: 7321 });
  expect(gate.sessionCookie(false)).toMatch(/^termarium_7321=\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/);
  expect(gate.sessionCookie(true)).toMatch(/; Secure$/);
});

test('a bearer token is compared whole', () => {
  const gate = createGate({ secret, port: 7321 });
  expect(gate.hasBearer(request({ authorization: `Bearer ${gate.bearer}` }))).toBe(true);
  for (const wrong of [
    gate.bearer,
    `Bearer ${gate.bearer}x`,
    `Bearer ${gate.bearer.slice(1)}`,
    'Bearer',
    'Bearer ',
    `Basic ${gate.bearer}`,
  ]) {
    expect(gate.hasBearer(request({ authorization: wrong }))).toBe(false);
  }
});

test.each([
  ['localhost:7321', true],
  ['LOCALHOST', true],
  ['127.0.0.1:7321', true],
  ['[::1]:7321', true],
  ['localhost:9000', true], // through an SSH tunnel
  ['lab.example.org', true], // allowed by name
  ['rebound.attacker.example:7321', false],
  ['127.0.0.1.attacker.example', false],
  ['localhost.attacker.example', false],
  ['192.168.1.5:7321', false],
  ['localhost/@attacker.example', false],
  ['user@localhost', false],
  ['', false],
])('on loopback, Host "%s" is %s', (host, allowed) => {
  expect(hostAllowed(request({ host }), '127.0.0.1', ['lab.example.org:443'])).toBe(allowed);
});

test('beyond loopback an address is as good as the bound one, a name is not', () => {
  expect(hostAllowed(request({ host: '192.168.1.5:7321' }), '0.0.0.0', [])).toBe(true);
  expect(hostAllowed(request({ host: '[fe80::1]:7321' }), '::', [])).toBe(true);
  expect(hostAllowed(request({ host: 'gpu-box:7321' }), '0.0.0.0', [])).toBe(false);
  expect(hostAllowed(request({ host: 'gpu-box:7321' }), '0.0.0.0', ['GPU-box'])).toBe(true);
});

test.each([
  ['http://localhost:7321', 'localhost:7321', true],
  ['https://lab.example.org', 'lab.example.org', true],
  ['http://localhost:3000', 'localhost:7321', false], // another program's page on this machine
  ['http://attacker.example', 'localhost:7321', false],
  ['null', 'localhost:7321', false],
  ['file://localhost:7321', 'localhost:7321', false],
  ['', 'localhost:7321', false],
])('a page of "%s" may talk to "%s": %s', (origin, host, allowed) => {
  expect(sameOrigin(request({ origin, host }))).toBe(allowed);
});

test('the secret of a data folder is made once, for its owner only', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'termarium-auth-'));
  try {
    const first = await sessionSecret(folder);
    expect(first).toHaveLength(32);
    expect(await sessionSecret(folder)).toEqual(first);
    expect((await stat(join(folder, 'session.key'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, 'session.key'), 'utf8')).not.toContain('\n');

    await writeFile(join(folder, 'session.key'), 'short');
    await expect(sessionSecret(folder)).rejects.toMatchObject({ code: 'data.corrupt' });
    await expect(sessionSecret(join(folder, 'missing'))).rejects.toMatchObject({ code: 'data.read_only' });
  } finally {
    await rm(folder, { recursive: true });
  }
});
