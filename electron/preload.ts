// The only thing the page gets from the desktop app: where it runs, and a port to the backend. Built into one CommonJS file (sandboxed
// preload scripts cannot load a second one), so nothing is imported here but Electron.
import { contextBridge, ipcRenderer } from 'electron';

contextBridge.exposeInMainWorld('termarium', {
  platform: process.platform,
  /** Sends one end of a new port to the backend and the other to the page, as a `message` event with data `termarium:port`. */
  connect() {
    const { port1, port2 } = new MessageChannel();
    ipcRenderer.postMessage('termarium:connect', null, [port1]);
    // '/' keeps the port within the page's own origin, whatever this window shows by then.
    window.postMessage('termarium:port', '/', [port2]);
  },
});
