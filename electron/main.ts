// The desktop app: a thin shell in a fixed order around the page and the backend. There is no product logic here.
import { join } from 'node:path';
import { app, BrowserWindow, session } from 'electron';
import { acceptPages, startBackend } from './backend.ts';
import { desktopLog, keepCrashDumps, logCrashes } from './crash.ts';
import { buildMenu } from './menu.ts';
import { guardPermissions } from './permissions.ts';
import { appOrigin, failedPath, registerScheme, servePage } from './protocol.ts';
import { createWindow, guard } from './window.ts';

/** dist/, which holds this file's folder beside renderer/ and main/. */
const dist = join(import.meta.dirname, '..');
const preload = join(import.meta.dirname, 'preload.cjs');

function main(): void {
  app.setName('Termarium');
  app.setPath('userData', join(app.getPath('appData'), 'termarium'));
  keepCrashDumps();
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return;
  }
  app.enableSandbox();
  registerScheme();
  app.on('web-contents-created', (_event, contents) => guard(contents));
  void app.whenReady().then(open);
}

function open(): void {
  const log = desktopLog(join(app.getPath('userData'), 'logs', 'desktop.log'));
  const showEverywhere = (path: string) => {
    for (const window of BrowserWindow.getAllWindows()) void window.loadURL(appOrigin + path);
  };
  logCrashes(log, () => showEverywhere('/'));

  const backend = startBackend({
    host: join(dist, 'main', 'host.js'),
    // Packaged, configs/ and resources/ lie beside the archive: Python and Docker read them as files.
    start: { kind: 'start', root: app.isPackaged ? process.resourcesPath : app.getAppPath() },
    log,
    onFailed: () => showEverywhere(failedPath),
  });
  guardPermissions(session.defaultSession);
  servePage({ folder: join(dist, 'renderer'), failure: backend.failure, onOpened: backend.retry });
  acceptPages(backend, log);
  buildMenu(backend.folders);
  createWindow(preload);

  app.on('second-instance', () => {
    const [window] = BrowserWindow.getAllWindows();
    if (!window) return void createWindow(preload);
    if (window.isMinimized()) window.restore();
    window.focus();
  });
  app.on('activate', () => {
    if (BrowserWindow.getAllWindows().length === 0) createWindow(preload);
  });
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });

  let closed = false;
  app.on('before-quit', (event) => {
    if (closed) return;
    // The quit goes on by itself once rollouts are stored and containers removed.
    event.preventDefault();
    void backend.close().finally(() => {
      closed = true;
      app.quit();
    });
  });
}

main();
