// app://termarium/: the page, from files, with the same headers as the browser door gives it. file:// is never used.
import { readFile } from 'node:fs/promises';
import { extname, isAbsolute, join, relative, sep } from 'node:path';
import { protocol } from 'electron';
import { pageHeaders } from '../main/lib/csp.ts';
import { textPage } from '../main/lib/page.ts';

export const appOrigin = 'app://termarium';

/** Shown in place of the page where the backend cannot run. */
export interface Failure {
  title: string;
  text: string;
  hint: string;
}

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

/** Must run before the app is ready: makes app:// an origin of its own, like https. */
export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } }]);
}

export interface PageSource {
  /** dist/renderer. */
  folder: string;
  /** Why the lab does not run, for the page that tells it. */
  failure(): Failure | null;
  /** Called when the page itself is loaded: somebody wants to see the lab. */
  onOpened(): void;
}

/** Serves the page to windows of the app. */
export function servePage(source: PageSource): void {
  protocol.handle('app', (request) => answer(request, source));
}

/** Path of the page that tells why the lab does not run. */
export const failedPath = '/failed';

/** Answers one request. Only GET, only of this host, only files inside the folder. */
export async function answer(request: Request, source: PageSource): Promise<Response> {
  const url = URL.parse(request.url);
  if (request.method !== 'GET') return text(405, 'Only GET is answered.');
  if (url?.protocol !== 'app:' || url.host !== 'termarium') return text(404, 'There is no such host.');
  if (url.pathname === failedPath) {
    const told = source.failure() ?? { title: 'The lab runs again', text: 'Whatever was in the way is gone.', hint: '' };
    return html(200, textPage(told.title, told.text, { hint: told.hint, link: { to: '/', text: 'Try again' } }));
  }
  const path = fileOf(url.pathname, source.folder);
  if (path === null) return text(403, 'This path leaves the page.');
  if (extname(path) === '.html') source.onOpened();
  try {
    const content = await readFile(path);
    return new Response(new Uint8Array(content), {
      headers: { ...pageHeaders, 'Content-Type': contentTypes[extname(path)] ?? 'application/octet-stream' },
    });
  } catch {
    return text(404, 'There is no such file.');
  }
}

/** The file behind a path of the page, or null where it would lie outside the folder. Paths without an extension are the page's own routes. */
function fileOf(pathname: string, folder: string): string | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(pathname);
  } catch {
    return null;
  }
  if (decoded.includes('\0') || decoded.includes('\\')) return null;
  const path = join(folder, extname(decoded) === '' ? 'index.html' : decoded);
  const inside = relative(folder, path);
  return inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? null : path;
}

function text(status: number, body: string): Response {
  return new Response(body, { status, headers: { ...pageHeaders, 'Content-Type': 'text/plain; charset=utf-8' } });
}

function html(status: number, body: string): Response {
  return new Response(body, {
    status,
    headers: { ...pageHeaders, 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
  });
}
