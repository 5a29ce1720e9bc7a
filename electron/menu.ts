// The application menu: what the system expects (edit, window, quit) and where the logs are. Actions of the lab are in the page's palette.
import { app, Menu, type MenuItemConstructorOptions, shell } from 'electron';

/** Puts the menu in place. Developer tools and reload only where the app is not packaged. */
export function buildMenu(folders: () => { data: string; logs: string } | null): void {
  const open = (which: 'data' | 'logs') => {
    const path = folders()?.[which];
    if (path) void shell.openPath(path);
  };
  const template: MenuItemConstructorOptions[] = [
    ...(process.platform === 'darwin' ? [{ role: 'appMenu' } as const] : [{ label: '&File', submenu: [{ role: 'quit' } as const] }]),
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        ...(app.isPackaged ? [] : [{ role: 'reload' } as const, { role: 'toggleDevTools' } as const, { type: 'separator' } as const]),
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
    {
      role: 'help',
      submenu: [
        { label: 'Open the data folder', click: () => open('data') },
        { label: 'Open the log folder', click: () => open('logs') },
      ],
    },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
