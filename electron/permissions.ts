// What a page may ask of the machine: to write the clipboard and to show notifications, from our own page. All else is refused, in both
// handlers: Electron asks one of them before some features and the other before the rest, and grants by default where either is missing.
import type { Session } from 'electron';
import { appOrigin } from './protocol.ts';

const granted = new Set(['clipboard-sanitized-write', 'notifications']);

/** True where this permission may be given to the frame that asks. */
export function permissionGranted(permission: string, requestingUrl: string, isMainFrame: boolean): boolean {
  return granted.has(permission) && isMainFrame && isAppUrl(requestingUrl);
}

/** True for a URL of our own page. Compared as parsed: text that merely contains the origin is not it. */
export function isAppUrl(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && `${parsed.protocol}//${parsed.host}` === appOrigin;
}

export function guardPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, permission, answer, details) => {
    answer(permissionGranted(permission, details.requestingUrl, details.isMainFrame));
  });
  session.setPermissionCheckHandler((_contents, permission, requestingOrigin, details) =>
    permissionGranted(permission, requestingOrigin, details.isMainFrame),
  );
  session.setDevicePermissionHandler(() => false);
}
