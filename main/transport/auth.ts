// Who may come in through the browser door. A local port that can start containers is reachable by every web page the user opens, so
// each request proves three things: that it was addressed to this lab (Host), that it came from this lab's page (Origin), and that the
// page was opened by someone who can read the lab's console (a session).
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { AppError } from '../lib/errors.ts';

const sessionSeconds = 30 * 24 * 3600;
const ticketMs = 24 * 3600 * 1000;
/** One-time URLs that may be waiting at once; the oldest goes first. */
const ticketsKept = 32;

export interface Gate {
  /** Secret of command-line clients and, where one was given, of the person who typed the URL. */
  readonly bearer: string;
  /** A new one-time token. */
  ticket(): string;
  /** Takes a token from a URL: true once for a ticket, always for a token that the user chose. */
  redeem(token: string): boolean;
  /** `Set-Cookie` value of a new session. */
  sessionCookie(secure: boolean): string;
  /** True where the request carries a session of this lab. */
  hasSession(request: IncomingMessage): boolean;
  hasBearer(request: IncomingMessage): boolean;
}

/**
 * Sessions are signed, not stored: with the same `secret` they survive a restart of the lab. `port` names the cookie, because browsers
 * share cookies between the ports of a host. `token` is a standing password for the URL and for clients, chosen by the user.
 */
export function createGate(options: { secret: Uint8Array; port: number; token?: string; now?: () => number }): Gate {
  const { secret, port, token, now = Date.now } = options;
  const cookieName = `termarium_${port}`;
  const tickets = new Map<string, number>();
  const sign = (purpose: string) => createHmac('sha256', secret).update(purpose).digest('base64url');
  const bearer = token ?? sign('bearer');

  return {
    bearer,
    ticket() {
      const value = randomBytes(24).toString('base64url');
      tickets.set(digest(value), now() + ticketMs);
      for (const oldest of [...tickets.keys()].slice(0, -ticketsKept)) tickets.delete(oldest);
      return value;
    },
    redeem(value) {
      if (token !== undefined && same(value, token)) return true;
      // Looked up by digest: how long a lookup takes says nothing about the tokens themselves.
      const key = digest(value);
      const expires = tickets.get(key);
      tickets.delete(key);
      return expires !== undefined && expires > now();
    },
    sessionCookie(secure) {
      const expires = Math.floor(now() / 1000) + sessionSeconds;
      const value = `${expires}.${sign(`session ${expires}`)}`;
      return `${cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${sessionSeconds}${secure ? '; Secure' : ''}`;
    },
    hasSession(request) {
      const [expires, signature, ...rest] = (cookies(request).get(cookieName) ?? '').split('.');
      if (!expires || !signature || rest.length > 0 || !/^\d{1,12}$/.test(expires)) return false;
      return same(signature, sign(`session ${expires}`)) && Number(expires) * 1000 > now();
    },
    hasBearer(request) {
      const [scheme, value, ...rest] = (request.headers.authorization ?? '').split(' ');
      return scheme?.toLowerCase() === 'bearer' && value !== undefined && rest.length === 0 && same(value, bearer);
    },
  };
}

/**
 * True where the request was addressed to this lab by a name that no stranger's DNS can point here: loopback names, IP addresses where
 * the lab listens beyond loopback, the bound name and the names the user allowed. The port is not compared: through an SSH tunnel
 * (`-L 9000:localhost:7321`) the browser says another one, and rebinding needs a foreign name, not a foreign port.
 */
export function hostAllowed(request: IncomingMessage, bound: string, names: readonly string[]): boolean {
  const host = hostname(request.headers.host);
  if (host === null) return false;
  if (['localhost', '127.0.0.1', '::1', bound.toLowerCase()].includes(host)) return true;
  if (!isLoopback(bound) && isIP(host) !== 0) return true;
  return names.some((name) => hostname(name) === host);
}

/** True where the request came from a page that this very address served. */
export function sameOrigin(request: IncomingMessage): boolean {
  const { origin, host } = request.headers;
  if (!origin || !host) return false;
  const parsed = URL.parse(origin);
  return (
    parsed !== null &&
    (parsed.protocol === 'http:' || parsed.protocol === 'https:') &&
    parsed.host === URL.parse(`${parsed.protocol}//${host}`)?.host
  );
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** The secret that signs the sessions of a data folder; made on first use, readable by its owner only. */
export async function sessionSecret(dataFolder: string): Promise<Buffer> {
  const path = join(dataFolder, 'session.key');
  try {
    await writeFile(path, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) {
      throw new AppError('data.read_only', `Cannot write ${path}.`, {
        hint: 'The data folder must be writable: set TERMARIUM_HOME or --data to one that is.',
        cause: error,
      });
    }
  }
  const secret = Buffer.from(await readFile(path, 'utf8'), 'base64url');
  if (secret.length >= 32) return secret;
  throw new AppError('data.corrupt', `${path} does not hold a session key.`, { hint: 'Delete the file; browsers then need a new URL.' });
}

/** Host name of a `Host` header or a configured name, without port and brackets, in lower case. */
function hostname(host: string | undefined): string | null {
  if (!host || /[\s/@?#\\]/.test(host)) return null;
  const parsed = URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}`);
  return parsed ? parsed.hostname.replace(/^\[|\]$/g, '') : null;
}

function cookies(request: IncomingMessage): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at > 0) found.set(part.slice(0, at).trim(), part.slice(at + 1).trim());
  }
  return found;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Compares without telling by its duration where the texts differ, or how long the right one is. */
function same(given: string, right: string): boolean {
  return timingSafeEqual(createHash('sha256').update(given).digest(), createHash('sha256').update(right).digest());
}
