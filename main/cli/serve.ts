// Starts a backend with its browser door.
import { join } from 'node:path';
import { type App, createApp } from '../app.ts';
import type { Paths } from '../config/paths.ts';
import { sessionSecret } from '../transport/auth.ts';
import { type HttpDoor, serveHttp } from '../transport/http.ts';
import { cliLog } from './connection.ts';

export interface Served extends AsyncDisposable {
  app: App;
  door: HttpDoor;
}

export async function serveApp(
  paths: Paths,
  options: { port: number; host: string; token?: string; allowedHosts?: string[] },
): Promise<Served> {
  const log = cliLog();
  const app = await createApp({ paths, log });
  try {
    const door = await serveHttp({
      router: app.router,
      log,
      host: options.host,
      port: options.port,
      ...(options.token === undefined ? {} : { token: options.token }),
      allowedHosts: options.allowedHosts ?? [],
      secret: await sessionSecret(paths.data),
      rendererFolder: join(paths.root, 'dist', 'renderer'),
    });
    app.announce(door.url, door.bearer);
    const close = async () => {
      await door.close();
      await app.close();
    };
    return { app, door, [Symbol.asyncDispose]: close };
  } catch (error) {
    await app.close();
    throw error;
  }
}
