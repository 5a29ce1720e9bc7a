// A fake of the part of Electron that the shell uses, because its binary cannot run in tests. It does nothing but remember what it was
// told and let a test play the other side. Vitest resolves `electron` to this file.
import { EventEmitter } from 'node:events';

type Handler = (...args: never[]) => unknown;

/** One end of a port pair. */
export class FakePort {
  closed = false;
  close() {
    this.closed = true;
  }
}

export class FakeWebContents extends EventEmitter {
  windowOpenHandler: ((details: { url: string }) => { action: string }) | undefined;
  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }) {
    this.windowOpenHandler = handler;
  }
}

export class BrowserWindow extends EventEmitter {
  static all: BrowserWindow[] = [];
  static getAllWindows() {
    return BrowserWindow.all;
  }
  readonly options: Record<string, unknown>;
  readonly webContents = new FakeWebContents();
  readonly loaded: string[] = [];
  shown = false;
  focused = 0;
  minimized = false;
  constructor(options: Record<string, unknown>) {
    super();
    this.options = options;
    BrowserWindow.all.push(this);
    app.emit('web-contents-created', {}, this.webContents);
  }
  async loadURL(url: string) {
    this.loaded.push(url);
  }
  show() {
    this.shown = true;
  }
  isMinimized() {
    return this.minimized;
  }
  restore() {
    this.minimized = false;
  }
  focus() {
    this.focused += 1;
  }
}

/** A child process that a test plays: `emit('message', …)` speaks for it, `emit('exit', code)` ends it. */
export class FakeChild extends EventEmitter {
  readonly path: string;
  readonly heard: { message: unknown; ports: unknown[] }[] = [];
  readonly stdout = new EventEmitter();
  readonly stderr = new EventEmitter();
  killed = false;
  constructor(path: string) {
    super();
    this.path = path;
  }
  postMessage(message: unknown, ports: unknown[] = []) {
    this.heard.push({ message, ports });
    this.emit('heard');
  }
  kill() {
    this.killed = true;
    this.emit('exit', 0);
    return true;
  }
}

export const utilityProcess = {
  children: [] as FakeChild[],
  fork(path: string) {
    const child = new FakeChild(path);
    utilityProcess.children.push(child);
    return child;
  },
};

class FakeApp extends EventEmitter {
  /** What was called, in order. */
  readonly calls: string[] = [];
  isPackaged = false;
  hasLock = true;
  readonly paths: Record<string, string> = { appData: '/nonexistent/appData' };
  #ready = Promise.withResolvers<void>();
  setName(name: string) {
    this.calls.push(`setName ${name}`);
  }
  setPath(name: string, path: string) {
    this.calls.push(`setPath ${name}`);
    this.paths[name] = path;
  }
  getPath(name: string) {
    return this.paths[name] ?? '';
  }
  getAppPath() {
    return '/nonexistent/app';
  }
  requestSingleInstanceLock() {
    this.calls.push('requestSingleInstanceLock');
    return this.hasLock;
  }
  enableSandbox() {
    this.calls.push('enableSandbox');
  }
  whenReady() {
    this.calls.push('whenReady');
    return this.#ready.promise;
  }
  becomeReady() {
    this.#ready.resolve();
  }
  quit() {
    this.calls.push('quit');
  }
}
export const app = new FakeApp();

export const protocol = {
  handlers: new Map<string, (request: Request) => Promise<Response>>(),
  schemes: [] as unknown[],
  registerSchemesAsPrivileged(schemes: unknown[]) {
    app.calls.push('registerSchemes');
    protocol.schemes.push(...schemes);
  },
  handle(scheme: string, handler: (request: Request) => Promise<Response>) {
    app.calls.push(`handle ${scheme}`);
    protocol.handlers.set(scheme, handler);
  },
};

export const session = {
  defaultSession: {
    request: undefined as Handler | undefined,
    check: undefined as Handler | undefined,
    device: undefined as Handler | undefined,
    setPermissionRequestHandler(handler: Handler) {
      app.calls.push('setPermissionRequestHandler');
      session.defaultSession.request = handler;
    },
    setPermissionCheckHandler(handler: Handler) {
      app.calls.push('setPermissionCheckHandler');
      session.defaultSession.check = handler;
    },
    setDevicePermissionHandler(handler: Handler) {
      session.defaultSession.device = handler;
    },
  },
};

export const crashReporter = {
  start(options: { uploadToServer?: boolean }) {
    app.calls.push(`crashReporter upload=${options.uploadToServer}`);
  },
};

export const shell = {
  opened: [] as string[],
  async openExternal(url: string) {
    shell.opened.push(url);
  },
  async openPath(path: string) {
    shell.opened.push(path);
    return '';
  },
};

interface FakeMenuItem {
  label?: string;
  role?: string;
  submenu?: FakeMenuItem[];
  click?: () => void;
}
export const Menu = {
  current: [] as FakeMenuItem[],
  buildFromTemplate: (template: FakeMenuItem[]) => template,
  setApplicationMenu(template: FakeMenuItem[]) {
    Menu.current = template;
  },
};

export const ipcMain = new EventEmitter();

export const ipcRenderer = {
  posted: [] as { channel: string; message: unknown; ports: unknown[] }[],
  postMessage(channel: string, message: unknown, ports: unknown[]) {
    ipcRenderer.posted.push({ channel, message, ports });
  },
};

export const contextBridge = {
  exposed: new Map<string, Record<string, unknown>>(),
  exposeInMainWorld(name: string, api: Record<string, unknown>) {
    contextBridge.exposed.set(name, api);
  },
};
