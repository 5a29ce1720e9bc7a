// The connection's state for a component.
import { useSyncExternalStore } from 'react';
import type { Connection, ConnectionState } from './connection.ts';

/** Renders again whenever the state of the connection changes. */
export function useConnection(connection: Connection): ConnectionState {
  return useSyncExternalStore(connection.onState, connection.state);
}
