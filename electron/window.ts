// The window, and what may become of it: it shows our page, embeds nothing, opens nothing, and goes nowhere else.
import { BrowserWindow, type WebContents } from 'electron';
import { isAppUrl } from './permissions.ts';
import { appOrigin } from './protocol.ts';
import { openExternal } from './shell.ts';

/** Opens a window of the lab. `preload` is the path of the built preload script. */
export function createWindow(preload: string): BrowserWindow {
  const window = new BrowserWindow({
    name: 'main',
    windowStatePersistence: true,
    width: 1440,
    height: 900,
    minWidth: 800,
    minHeight: 560,
    show: false,
    autoHideMenuBar: true,
    backgroundColor: '#16181d',
    title: 'Termarium',
    // Stated although they are the defaults: a test asserts them, so that nobody turns one off in passing.
    webPreferences: { preload, contextIsolation: true, sandbox: true, nodeIntegration: false, webviewTag: false, spellcheck: false },
  });
  // Without this the first thing to see is an empty rectangle.
  window.once('ready-to-show', () => window.show());
  void window.loadURL(`${appOrigin}/`);
  return window;
}

/** Keeps a page where it is. Links to other sites open in the system's browser where they are https. */
export function guard(contents: WebContents): void {
  contents.on('will-navigate', (event) => {
    if (isAppUrl(event.url)) return;
    event.preventDefault();
    void openExternal(event.url);
  });
  contents.on('will-redirect', (event) => {
    if (!isAppUrl(event.url)) event.preventDefault();
  });
  contents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame) event.preventDefault();
  });
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    void openExternal(url);
    return { action: 'deny' };
  });
}
